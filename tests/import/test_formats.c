/* A format of `smsched import` is one struct, which nothing else names: formats made here run as the program's own do.
 */
#include "sim/import/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* What an importer writes for one path; the caller frees it. */
static char *import(const struct sms__importer *importer, int expected)
{
    const struct sms_load_options load = {.installed_models = SOURCE_DIR "/models"};
    const struct sms__import_options options = {.profiled = "v100", .load = &load};
    const char *const paths[] = {"folder/a file.txt"};
    struct sms_errors errors;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_int_equal(sms__import(importer, paths, 1, &options, to, &errors), expected);
    fclose(to);
    if (expected == SMS_OK)
        assert_int_equal(sms__import_check(paths[0], text, size, &options, &errors), SMS_OK);
    return text;
}

static int write_workload(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                          const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    (void)arena, (void)paths, (void)options, (void)errors;
    fprintf(to, "workload: made\nkernels: [{name: k, blocks: %zu, threads: 32, block_time: 1 us}]\n", n_paths);
    return SMS_OK;
}

static void an_importer_writes_documents(void **state)
{
    (void)state;
    char *text = import(&(struct sms__importer){.name = "made", .import = write_workload}, SMS_OK);
    assert_non_null(strstr(text, "blocks: 1,"));
    free(text);
}

static int read_launch(struct sms__arena *arena, const char *const *paths, size_t n_paths, struct sms__profile *out,
                       struct sms_errors *errors)
{
    static const struct sms__profile_shape shape = {
        .kernel = "scale(float *)", .grid = {640, 1, 1}, .block = {256, 1, 1}};
    static const struct sms__trace_place nowhere = {0};
    static struct sms__profile_launch launch = {.place = &nowhere, .shape = &shape, .duration_s = 1e-3, .count = 3};
    (void)arena, (void)paths, (void)n_paths, (void)errors;
    out->launch = &launch;
    out->launches = 1;
    return SMS_OK;
}

static void a_reader_of_profiles_yields_workload_and_scenario(void **state)
{
    (void)state;
    char *text = import(&(struct sms__importer){.name = "made", .read = read_launch}, SMS_OK);
    assert_non_null(strstr(text, "workload: a_file\n"));
    assert_non_null(strstr(text, "source: \"made\"\n"));
    assert_non_null(strstr(text, "{launch: scale, times: 3}"));
    assert_non_null(strstr(text, "scenario: a_file\n"));
    free(text);
}

static void each_format_of_the_program_has_a_name_and_one_operation(void **state)
{
    (void)state;
    assert_non_null(sms__importers[0]);
    for (size_t i = 0; sms__importers[i]; i++) {
        assert_true(*sms__importers[i]->name && *sms__importers[i]->help && *sms__importers[i]->files);
        assert_true(!sms__importers[i]->import != !sms__importers[i]->read);
        assert_true(i == 0 || strcmp(sms__importers[i - 1]->name, sms__importers[i]->name) < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_importer_writes_documents),
        cmocka_unit_test(a_reader_of_profiles_yields_workload_and_scenario),
        cmocka_unit_test(each_format_of_the_program_has_a_name_and_one_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
