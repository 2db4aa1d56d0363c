/* libFuzzer: whatever a sweep's journal holds, its status is told, and a merge reads every record that it has found or
 * says which it cannot. The first byte says whether keys and checksums are put right, without which no record that has
 * been changed would be read. The plan is that in $FUZZ_PLAN. Built and started by run.sh. */
#include "scratch.h"

#include "sim/sweep/sweep.h"

#include <sha2.h>

enum { SIZE_MAX_OF_INPUT = 256 * 1024, NUMBER = SMS__RECORD_HEADER, KEY = NUMBER + 8 };

static struct sms__plan *plan;
static struct sms__worker_context context;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct sms_load_options options = {.installed_models = "models"};
    struct sms_errors errors = {0};
    (void)argc, (void)argv;
    if (sms__plan_load(getenv("FUZZ_PLAN"), &options, &plan, &errors) ||
        sms__worker_context_open(plan, &context, &errors)) {
        sms_errors_print(&errors, stderr);
        abort();
    }
    return 0;
}

/* The record at `at`, if there is one, becomes one of a point, and whole; its length. */
static size_t put_right(uint8_t *at, size_t size)
{
    uint32_t length;
    SHA2_CTX sha;
    uint8_t sum[SHA256_DIGEST_LENGTH];
    if (size <= SMS__RECORD_HEADER || memcmp(at, "smsr", 4) != 0)
        return 0;
    memcpy(&length, at + 4, sizeof length);
    if (length > size - SMS__RECORD_HEADER)
        length = (uint32_t)(size - SMS__RECORD_HEADER);
    memcpy(at + 4, &length, sizeof length);
    struct sms__bytes bytes = {.data = at, .capacity = SMS__RECORD_HEADER + length};
    struct sms__point_head head;
    sms__record_head(&bytes, &head);
    if (!bytes.failed)
        sms__point_key(&context, head.point % plan->points, head.models, at + KEY);
    SHA256Init(&sha);
    SHA256Update(&sha, at + SMS__RECORD_HEADER, length);
    SHA256Final(sum, &sha);
    memcpy(at + 8, sum, 8);
    return SMS__RECORD_HEADER + length;
}

static void merge(const struct sms__index *index)
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
    uint8_t *bytes = malloc(size);
    memcpy(bytes, data, size);
    for (size_t at = 1; at < size && (data[0] & 1);) {
        size_t length = put_right(bytes + at, size - at);
        at += length ? length : 1;
    }
    scratch_write("1-of-1.fuzz.journal", bytes + 1, size - 1);
    free(bytes);
    int code = sms__index_open(&context, scratch(), (struct sms__shard){1, 1}, &index, &errors);
    if ((code != SMS_OK) != (errors.count > 0))
        abort();
    if (code == SMS_OK && index.done + index.failed > 0)
        merge(&index);
    if (code == SMS_OK)
        sms__index_close(&index);
    return 0;
}
