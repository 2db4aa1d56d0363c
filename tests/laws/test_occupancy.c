/* Compares the occupancy rule with what Nsight Compute printed for Rodinia kernels on a V100.
 * Reads ncu/v100_rodinia_kernels.csv from $SMSCHED_DATA, by default ../shared/data. Skipped without it. */
#include "tests/harness.h"

#include "sim/model/file.h"
#include "sim/model/footprint.h"

#include <csv.h>

enum { COLUMNS = 64, ROW_BYTES = 128 };

struct reader {
    struct sms__sm sm;
    uint64_t sms;
    size_t columns, field, rows, wrong;
    char name[COLUMNS][ROW_BYTES], value[COLUMNS][ROW_BYTES];
};

static double column(const struct reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->columns; i++)
        if (!strcmp(reader->name[i], name))
            return atof(reader->value[i]);
    fail_msg("no column %s", name);
    return 0;
}

static void take_field(void *text, size_t length, void *user)
{
    struct reader *reader = user;
    char *to = reader->columns ? reader->value[reader->field] : reader->name[reader->field];
    assert_true(reader->field < COLUMNS);
    snprintf(to, ROW_BYTES, "%.*s", (int)length, (const char *)text);
    reader->field++;
}

/* Printed values have two digits after the point. */
static bool differs(const struct reader *reader, const char *what, double ours)
{
    double theirs = column(reader, what);
    if (fabs(ours - theirs) <= 0.00501)
        return false;
    print_message("row %zu: %s is %g, measured %g\n", reader->rows, what, ours, theirs);
    return true;
}

static void check_row(struct reader *reader)
{
    uint64_t capacity[SMS_LIMITS], needs[SMS_LIMITS];
    enum sms_limit binds;
    struct sms__kernel kernel = {.threads = (uint64_t)column(reader, "Block Size"),
                                 .registers = (uint64_t)column(reader, "Registers Per Thread")};
    double shared =
        column(reader, "Static Shared Memory Per Block") + column(reader, "Dynamic Shared Memory Per Block");
    double by_shared = column(reader, "Block Limit Shared Mem");
    kernel.shared_memory = (uint64_t)shared;
    sms__sm_capacity(&reader->sm, capacity);
    assert_null(sms__block_needs(&reader->sm, &kernel, needs));
    double by_registers = (double)(capacity[SMS_REGISTERS] / needs[SMS_REGISTERS]);
    double blocks = (double)sms__blocks_per_sm(capacity, needs, &binds);
    /* The driver may set part of the shared memory aside as L1. Then the measured limit counts. */
    blocks = by_shared < blocks ? by_shared : blocks;
    double warps = blocks * (double)needs[SMS_WARPS];
    bool wrong = differs(reader, "Block Limit Registers", by_registers);
    wrong |= differs(reader, "Theoretical Occupancy", 100 * warps / (double)reader->sm.warps);
    wrong |= differs(reader, "Waves Per SM", column(reader, "Grid Size") / blocks / (double)reader->sms);
    reader->wrong += wrong;
}

static void take_row(int end, void *user)
{
    struct reader *reader = user;
    (void)end;
    if (reader->columns)
        check_row(reader);
    else
        reader->columns = reader->field;
    reader->rows += reader->field > 0;
    reader->field = 0;
}

static void every_row_of_the_v100_data_is_reproduced(void **state)
{
    char path[4096], bytes[4096];
    const char *data = getenv("SMSCHED_DATA");
    (void)state;
    snprintf(path, sizeof path, "%s/ncu/v100_rodinia_kernels.csv", data ? data : SOURCE_DIR "/../shared/data");
    FILE *file = fopen(path, "r");
    if (!file)
        skip();
    struct sms_file *v100 = load_path(SOURCE_DIR "/models/devices/v100.yaml");
    struct reader *reader = calloc(1, sizeof *reader);
    struct csv_parser parser;
    reader->sm = v100->device[0]->sm;
    reader->sms = v100->device[0]->sms;
    csv_init(&parser, 0);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        assert_int_equal(csv_parse(&parser, bytes, n, take_field, take_row, reader), n);
    csv_fini(&parser, take_field, take_row, reader);
    csv_free(&parser);
    fclose(file);
    print_message("%zu rows, %zu wrong\n", reader->rows - 1, reader->wrong);
    assert_true(reader->rows > 100);
    assert_int_equal(reader->wrong, 0);
    free(reader);
    sms_file_free(v100);
}

static void sixty_registers_and_192_threads_give_five_blocks(void **state)
{
    (void)state;
    struct sms_file *v100 = load_path(SOURCE_DIR "/models/devices/v100.yaml");
    struct sms__kernel kernel = {.threads = 192, .registers = 60};
    uint64_t capacity[SMS_LIMITS], needs[SMS_LIMITS];
    enum sms_limit binds;
    sms__sm_capacity(&v100->device[0]->sm, capacity);
    assert_null(sms__block_needs(&v100->device[0]->sm, &kernel, needs));
    assert_int_equal(sms__blocks_per_sm(capacity, needs, &binds), 5);
    assert_int_equal(binds, SMS_REGISTERS);
    sms_file_free(v100);
}

/* docs/explanation/model.md's example of two kernels side by side: by the registers of each partition two blocks of
 * both would fit.
 */
static void ninety_six_beside_thirty_two_registers_leave_room(void **state)
{
    (void)state;
    struct sms_file *v100 = load_path(SOURCE_DIR "/models/devices/v100.yaml");
    const struct sms__sm *sm = &v100->device[0]->sm;
    struct sms__kernel large = {.threads = 256, .registers = 96}, small = {.threads = 256, .registers = 32};
    uint64_t capacity[SMS_LIMITS], needs[SMS_LIMITS], beside[SMS_LIMITS];
    enum sms_limit binds;
    sms__sm_capacity(sm, capacity);
    assert_null(sms__block_needs(sm, &large, needs));
    assert_null(sms__block_needs(sm, &small, beside));
    for (int l = 0; l < SMS_LIMITS; l++)
        capacity[l] -= 2 * needs[l];
    assert_int_equal(sms__blocks_per_sm(capacity, beside, &binds), 1);
    assert_int_equal(binds, SMS_REGISTERS);
    uint64_t warps = 2 * 256 / 32 / sm->register_partitions;
    assert_int_equal(warps * 32 * (large.registers + small.registers), sm->registers / sm->register_partitions);
    sms_file_free(v100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_v100_data_is_reproduced),
        cmocka_unit_test(sixty_registers_and_192_threads_give_five_blocks),
        cmocka_unit_test(ninety_six_beside_thirty_two_registers_leave_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
