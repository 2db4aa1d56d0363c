/* libFuzzer: whatever a shard's store holds, its status is told, and a merge reads every record that it has found or
 * says which it cannot. If the first byte is even, the rest is the file. Otherwise it is the contents of records with
 * right keys and checksums, each behind its length in two bytes. The plan is that in $FUZZ_PLAN. Built and started by
 * run.sh. */
#include "scratch.h"

#include "sim/sweep/store.h"

enum { SIZE_MAX_OF_INPUT = 256 * 1024, LENGTH_BYTES = 2 };

static struct sms__plan *plan;
static struct sms__worker_context context;
static char *models;

static void must(int code, const struct sms_errors *errors)
{
    if (code == SMS_OK)
        return;
    sms_errors_print(errors, stderr);
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct sms_load_options options = {.installed_models = "models"};
    struct sms_errors errors = {0};
    struct sms_file *file;
    (void)argc, (void)argv;
    setenv("SLURMD_NODENAME", "fuzz", 1); /* the machine in the store's name */
    must(sms__plan_load(getenv("FUZZ_PLAN"), &options, &plan, &errors), &errors);
    must(sms__worker_context_open(plan, true, &context, &errors), &errors);
    must(sms__point_load(&context, 0, &file, &models, &errors), &errors);
    sms_file_free(file);
    return 0;
}

static void write_records(const uint8_t *data, size_t size)
{
    struct sms_errors errors = {0};
    struct sms__store store;
    scratch_write("1-of-1.fuzz.db", data, 0);
    must(sms__store_open(scratch(), (struct sms__shard){1, 1}, &store, &errors), &errors);
    for (uint64_t point = 0; point < plan->points && size >= LENGTH_BYTES; point++) {
        size_t length = data[0] | (size_t)data[1] << 8, left = size - LENGTH_BYTES;
        struct sms__buffer content = {0}, packed = {0};
        struct sms__point_record record = {.point = point, .failed = point % 4 == 3, .models = models};
        length = length < left ? length : left;
        sms__buffer_add(&content, (const char *)data + LENGTH_BYTES, length);
        if (!sms__point_key(&context, point, models, &record.name, record.key) ||
            !sms__record_pack(&record, &content, &packed))
            abort();
        must(sms__store_add(&store, &record, 1, &errors), &errors);
        free(content.bytes);
        free(packed.bytes);
        data += LENGTH_BYTES + length;
        size -= LENGTH_BYTES + length;
    }
    sms__store_close(&store);
}

static void merge(struct sms__index *index)
{
    struct sms_errors errors = {0};
    uint64_t warned;
    static atomic_bool never;
    int code = sms__sweep_merge(index, &never, &warned, &errors);
    if ((code != SMS_OK) != (errors.count > 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sms_errors errors = {0};
    struct sms__index index;
    if (size < 1 || size > SIZE_MAX_OF_INPUT)
        return -1;
    if (data[0] & 1)
        write_records(data + 1, size - 1);
    else
        scratch_write("1-of-1.fuzz.db", data + 1, size - 1);
    int code = sms__index_open(&context, scratch(), (struct sms__shard){1, 1}, &index, &errors);
    if ((code != SMS_OK) != (errors.count > 0))
        abort();
    if (code == SMS_OK && index.done + index.failed > 0)
        merge(&index);
    if (code == SMS_OK)
        sms__index_close(&index);
    return 0;
}
