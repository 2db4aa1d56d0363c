/* What a crafted journal costs, counted in bytes that are hashed: linked with -Wl,--wrap=SHA256Update. */
#include "../harness.h"

#include "sim/sweep/sweep.h"

#include <sha2.h>
#include <stdio.h>

void __real_SHA256Update(SHA2_CTX *context, const uint8_t *bytes, size_t size);
void __wrap_SHA256Update(SHA2_CTX *context, const uint8_t *bytes, size_t size);

static uint64_t hashed;

void __wrap_SHA256Update(SHA2_CTX *context, const uint8_t *bytes, size_t size)
{
    hashed += size;
    __real_SHA256Update(context, bytes, size);
}

static const char plan_text[] = "workload: w\nkernels: [{name: k, blocks: 4, threads: 32, block_time: 1 us}]\n---\n"
                                "scenario: s\ndevices: [{model: v100, sms: 2}]\npolicies: [round_robin]\n"
                                "vms: [{name: a, workload: w, repeat: 1}]\n---\n"
                                "plan: p\nkeep: [host]\naxes: [vms.a.repeat: [1, 2, 3]]\n";

struct sweep {
    char folder[64], plan_path[80], journal[120];
    struct sms_load_options options;
    struct sms__plan *plan;
    struct sms__worker_context context;
};

static void put_file(const char *path, const void *bytes, size_t size, const char *mode)
{
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void begin(struct sweep *sweep)
{
    struct sms_errors errors = {0};
    *sweep = (struct sweep){.folder = "/tmp/smsched-test-XXXXXX", .options = harness_options()};
    assert_non_null(mkdtemp(sweep->folder));
    snprintf(sweep->plan_path, sizeof sweep->plan_path, "%s/plan.yaml", sweep->folder);
    snprintf(sweep->journal, sizeof sweep->journal, "%s/1-of-1.x.journal", sweep->folder);
    put_file(sweep->plan_path, plan_text, sizeof plan_text - 1, "w");
    assert_int_equal(sms__plan_load(sweep->plan_path, &sweep->options, &sweep->plan, &errors), SMS_OK);
    assert_int_equal(sms__worker_context_open(sweep->plan, &sweep->context, &errors), SMS_OK);
}

static void end(struct sweep *sweep)
{
    sms__worker_context_close(&sweep->context);
    sms__plan_free(sweep->plan);
    unlink(sweep->journal);
    unlink(sweep->plan_path);
    rmdir(sweep->folder);
}

/* Bytes that look like records every 16 bytes, each as long as what is left, or as `length`. */
static void put_damage(const struct sweep *sweep, size_t size, uint32_t length)
{
    char *bytes = calloc(1, size);
    for (size_t at = 0; at + SMS__RECORD_HEADER <= size; at += SMS__RECORD_HEADER) {
        uint32_t claimed = length ? length : (uint32_t)(size - at - SMS__RECORD_HEADER);
        memcpy(bytes + at, "smsr", 4);
        memcpy(bytes + at + 4, &claimed, sizeof claimed);
    }
    put_file(sweep->journal, bytes, size, "w");
    free(bytes);
}

static int count_hashed(struct sweep *sweep, struct sms__index *index, struct sms_errors *errors)
{
    hashed = 0;
    return sms__index_open(&sweep->context, sweep->folder, (struct sms__shard){1, 1}, index, errors);
}

static void a_journal_of_false_records_costs_no_more_than_its_size(void **state)
{
    (void)state;
    for (size_t size = 64000; size <= 6400000; size *= 10) {
        struct sweep sweep;
        struct sms__index index;
        struct sms_errors errors = {0};
        begin(&sweep);
        put_damage(&sweep, size, 0);
        int code = count_hashed(&sweep, &index, &errors);
        assert_true(hashed <= 17 * size + (16 << 20) + 4096);
        if (code == SMS_OK)
            sms__index_close(&index);
        else
            assert_non_null(strstr(errors.item[0].message, "damaged in too many places"));
        end(&sweep);
    }
}

static void a_whole_record_behind_thousands_of_damaged_ones_is_found(void **state)
{
    (void)state;
    struct sweep sweep;
    struct sms__index index;
    struct sms_errors errors = {0};
    struct sms__point_head head = {.point = 1, .failed = true, .models = "d v100\nw w\n"};
    struct sms__bytes bytes = {0};
    begin(&sweep);
    assert_true(sms__point_key(&sweep.context, head.point, head.models, head.key));
    sms__record_begin(&bytes, &head);
    sms__record_put_string(&bytes, "it failed");
    sms__record_end(&bytes);
    put_damage(&sweep, 1600000, 400);
    put_file(sweep.journal, bytes.data, bytes.size, "a");
    free(bytes.data);
    assert_int_equal(count_hashed(&sweep, &index, &errors), SMS_OK);
    assert_int_equal(index.failed, 1);
    assert_int_equal(index.journal[0].records, 1);
    sms__index_close(&index);
    end(&sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_of_false_records_costs_no_more_than_its_size),
        cmocka_unit_test(a_whole_record_behind_thousands_of_damaged_ones_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
