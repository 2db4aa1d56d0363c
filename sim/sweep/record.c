/* Encodes and decodes the record of a point. Its header has the bytes `smsr`, the length of the rest, and the first 8
 * bytes of the rest's SHA-256. Then come the point's number, its key, whether it failed, its models, and its results.
 */
#include "sweep.h"

#include "../report/output.h"

#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char magic[4] = {'s', 'm', 's', 'r'};

enum { RECORD_MAX = 1 << 30 };

static void append(struct sms__bytes *bytes, const void *from, size_t size)
{
    if (bytes->failed || size > RECORD_MAX - bytes->size) {
        bytes->failed = true;
        return;
    }
    if (bytes->capacity - bytes->size < size) {
        size_t wanted = (bytes->size + size) * 2;
        unsigned char *grown = realloc(bytes->data, wanted);
        bytes->failed = !grown;
        if (!grown)
            return;
        bytes->data = grown;
        bytes->capacity = wanted;
    }
    memcpy(bytes->data + bytes->size, from, size);
    bytes->size += size;
}

static void store_le(unsigned char *to, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t load_le(const unsigned char *from, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void put_number(struct sms__bytes *bytes, uint64_t value, int size)
{
    unsigned char raw[8];
    store_le(raw, value, size);
    append(bytes, raw, (size_t)size);
}

void sms__record_put_u32(struct sms__bytes *bytes, uint32_t value) { put_number(bytes, value, 4); }

void sms__record_put_double(struct sms__bytes *bytes, double value)
{
    uint64_t raw;
    memcpy(&raw, &value, sizeof raw);
    put_number(bytes, raw, 8);
}

void sms__record_put_string(struct sms__bytes *bytes, const char *text)
{
    size_t length = strlen(text) + 1;
    sms__record_put_u32(bytes, (uint32_t)length);
    append(bytes, text, length);
}

void sms__record_begin(struct sms__bytes *bytes, const struct sms__point_head *head)
{
    static const unsigned char header[SMS__RECORD_HEADER];
    bytes->size = 0;
    bytes->failed = false;
    append(bytes, header, sizeof header);
    put_number(bytes, head->point, 8);
    append(bytes, head->key, SMS__KEY_BYTES);
    sms__record_put_u32(bytes, head->failed);
    sms__record_put_string(bytes, head->models);
}

/* NANs get one bit pattern, whatever operation made them. */
static double canonical(double value) { return value != value ? (double)NAN : value; }

static void put_values(struct sms__bytes *bytes, const struct sms_results *results, enum sms_subject subject,
                       size_t policy, size_t replication)
{
    size_t metrics;
    sms_metrics(subject, &metrics);
    for (size_t i = 0; i < sms_results_subjects(results, subject); i++)
        for (size_t m = 0; m < metrics; m++)
            sms__record_put_double(bytes, canonical(sms_results_value(results, policy, replication, subject, i, m)));
}

static void put_subject(struct sms__bytes *bytes, const struct sms_results *results, enum sms_subject subject)
{
    size_t count = sms_results_subjects(results, subject);
    sms__record_put_u32(bytes, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        sms__record_put_string(bytes, sms_results_subject(results, subject, i));
    for (size_t p = 0; p < sms_results_policies(results); p++)
        for (size_t r = 0; r < sms_results_replications(results); r++)
            put_values(bytes, results, subject, p, r);
}

/* The question, and for each policy the mean that answers it. */
static void put_answer(struct sms__bytes *bytes, const struct sms_results *results)
{
    struct sms_question asked;
    size_t metrics;
    bool known = sms_results_question(results, &asked);
    sms__record_put_string(bytes, known ? sms__subject_word(asked.subject) : "");
    sms__record_put_string(bytes, known ? sms_results_subject(results, asked.subject, asked.idx) : "");
    sms__record_put_string(bytes, known ? sms_metrics(asked.subject, &metrics)[asked.metric].name : "");
    sms__record_put_u32(bytes, known && asked.better > 0);
    for (size_t p = 0; p < sms_results_policies(results); p++)
        sms__record_put_double(
            bytes, known ? canonical(sms_results_estimate(results, p, asked.subject, asked.idx, asked.metric).mean)
                         : (double)NAN);
}

void sms__record_results(struct sms__bytes *bytes, const struct sms_results *results, unsigned keep)
{
    sms__record_put_u32(bytes, (uint32_t)sms_results_policies(results));
    sms__record_put_u32(bytes, (uint32_t)sms_results_replications(results));
    for (size_t p = 0; p < sms_results_policies(results); p++)
        sms__record_put_string(bytes, sms_results_policy(results, p));
    put_answer(bytes, results);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        if (keep & 1u << s)
            put_subject(bytes, results, (enum sms_subject)s);
}

/* If the solver gives up, there is no bound. It would give up again, so this is recorded as a result. */
static int put_bound(struct sms__bytes *bytes, const struct sms_results *results, enum sms_bounded metric,
                     struct sms_errors *errors)
{
    struct sms_bound bound;
    int code = sms_results_bound(results, metric, &bound, errors);
    if (code == SMS_ENOMEM)
        return code;
    if (code)
        bound = (struct sms_bound){.reason = "the solver found none"};
    sms__record_put_double(bytes, bound.reason ? (double)NAN : bound.steady_per_s);
    sms__record_put_double(bytes, bound.reason ? (double)NAN : bound.run_per_s);
    sms__record_put_string(bytes, bound.parts ? bound.part[0].name : "");
    sms__record_put_double(bytes, bound.parts ? bound.part[0].share : (double)NAN);
    sms__record_put_string(bytes, bound.reason ? bound.reason : "");
    return SMS_OK;
}

int sms__record_bounds(struct sms__bytes *bytes, const struct sms_results *results, struct sms_errors *errors)
{
    int code = SMS_OK;
    for (int m = 0; m < SMS_BOUNDED && code == SMS_OK; m++)
        code = put_bound(bytes, results, (enum sms_bounded)m, errors);
    return code;
}

static void checksum(const unsigned char *record, size_t size, unsigned char sum[8])
{
    unsigned char hash[SMS__KEY_BYTES];
    SHA2_CTX sha;
    SHA256Init(&sha);
    SHA256Update(&sha, record + SMS__RECORD_HEADER, size - SMS__RECORD_HEADER);
    SHA256Final(hash, &sha);
    memcpy(sum, hash, 8);
}

void sms__record_end(struct sms__bytes *bytes)
{
    if (bytes->failed)
        return;
    memcpy(bytes->data, magic, sizeof magic);
    store_le(bytes->data + 4, bytes->size - SMS__RECORD_HEADER, 4);
    checksum(bytes->data, bytes->size, bytes->data + 8);
}

size_t sms__record_length(const unsigned char *record, size_t size, uint64_t *hashed)
{
    unsigned char sum[8];
    if (size < SMS__RECORD_HEADER || memcmp(record, magic, sizeof magic) != 0)
        return 0;
    size_t length = SMS__RECORD_HEADER + (size_t)load_le(record + 4, 4);
    if (length > size)
        return 0;
    checksum(record, length, sum);
    if (hashed)
        *hashed = length;
    return memcmp(sum, record + 8, sizeof sum) ? 0 : length;
}

static const unsigned char *next_bytes(struct sms__bytes *bytes, size_t size)
{
    static const unsigned char nothing[SMS__KEY_BYTES];
    if (bytes->failed || bytes->capacity - bytes->size < size) {
        bytes->failed = true;
        return nothing;
    }
    bytes->size += size;
    return bytes->data + bytes->size - size;
}

uint32_t sms__record_get_u32(struct sms__bytes *bytes) { return (uint32_t)load_le(next_bytes(bytes, 4), 4); }

double sms__record_get_double(struct sms__bytes *bytes)
{
    double value;
    uint64_t raw = load_le(next_bytes(bytes, 8), 8);
    memcpy(&value, &raw, sizeof value);
    return value;
}

const char *sms__record_get_string(struct sms__bytes *bytes)
{
    uint32_t length = sms__record_get_u32(bytes);
    if (length == 0 || bytes->failed || length > bytes->capacity - bytes->size ||
        bytes->data[bytes->size + length - 1] != '\0') {
        bytes->failed = true;
        return "";
    }
    return (const char *)next_bytes(bytes, length);
}

void sms__record_get_question(struct sms__bytes *bytes, struct sms__record_question *question)
{
    question->subject = sms__record_get_string(bytes);
    question->name = sms__record_get_string(bytes);
    question->metric = sms__record_get_string(bytes);
    question->better = sms__record_get_u32(bytes) ? 1 : -1;
}

void sms__record_get_bound(struct sms__bytes *bytes, struct sms__record_bound *bound)
{
    bound->steady_per_s = sms__record_get_double(bytes);
    bound->run_per_s = sms__record_get_double(bytes);
    bound->binds = sms__record_get_string(bytes);
    bound->share = sms__record_get_double(bytes);
    bound->reason = sms__record_get_string(bytes);
}

void sms__record_head(struct sms__bytes *bytes, struct sms__point_head *head)
{
    bytes->size = SMS__RECORD_HEADER;
    head->point = load_le(next_bytes(bytes, 8), 8);
    memcpy(head->key, next_bytes(bytes, SMS__KEY_BYTES), SMS__KEY_BYTES);
    head->failed = sms__record_get_u32(bytes) != 0;
    head->models = sms__record_get_string(bytes);
}
