/* Writes and reads the content of a point's record: a sequence of texts, each with its NUL, and of numbers, each a
 * little-endian double. The reader notices when something is missing, and never reads beyond the end. */
#define _DEFAULT_SOURCE /* htole64 */
#include "store.h"

#include "../report/output.h"
#include "../results/gain_alone.h"
#include "../results/verdict.h"
#include "../base/buffer.h"

#include <endian.h>
#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { WARNINGS_BYTES = 1000 };

static void put_text(struct sms__buffer *content, const char *text)
{
    sms__buffer_add(content, text, strlen(text) + 1);
}

/* NANs get one bit pattern, whatever operation made them. */
static void put_number(struct sms__buffer *content, double value)
{
    uint64_t bits;
    char bytes[sizeof bits];
    if (isnan(value))
        value = (double)NAN;
    memcpy(&bits, &value, sizeof bits);
    bits = htole64(bits);
    memcpy(bytes, &bits, sizeof bits);
    sms__buffer_add(content, bytes, sizeof bytes);
}

void sms__record_failure(struct sms__buffer *content, const char *message) { put_text(content, message); }

/* Joins the warnings into one text. */
static void put_warnings(struct sms__buffer *content, const struct sms_errors *warnings)
{
    char text[WARNINGS_BYTES] = "";
    for (size_t i = 0; i < warnings->count && i < SMS_ERRORS_MAX; i++)
        sms__append(text, sizeof text, "%s%s", i ? "; " : "", warnings->item[i].message);
    put_text(content, text);
}

/* Which policies are not told apart from the best. One replication tells none apart. Returns false when out of memory.
 */
static bool find_group(const struct sms_results *results, const struct sms_question *asked, bool *in_group)
{
    struct sms__best best;
    const bool found = sms__results_best(results, asked, 0, &best, in_group, NULL);
    for (size_t p = 0; found && p < sms_results_policies(results) && best.verdict == SMS__BEST_ONCE; p++)
        in_group[p] = !isnan(sms_results_value(results, p, 0, asked->subject, asked->idx, asked->metric));
    return found;
}

/* Adds the mean of each limit's metric, negated if less of it is better, half of its interval, and whether it is met.
 * Then the remark on these. */
static void put_limits(struct sms__buffer *content, const struct sms_results *results, size_t policy)
{
    const struct sms__until *until = &sms_results_scenario(results)->until;
    for (size_t i = 0; i < until->limits; i++) {
        const struct sms__result of = sms__limit_asks(results, &until->limit[i]);
        const struct sms_estimate estimate = sms_results_estimate(results, policy, of.subject, of.idx, of.metric);
        put_number(content, estimate.mean * until->limit[i].side);
        put_number(content, estimate.ci95);
        put_number(content, sms__tell_limit(results, policy, &until->limit[i]));
    }
    struct sms_errors remarks = {0};
    sms__limit_remark(results, policy, &remarks);
    put_warnings(content, &remarks);
}

/* For a race (race.c): whether the answer can be judged, and without a doubt; then its values, of which more is better.
 */
static void put_values_of(struct sms__buffer *content, const struct sms_results *results, size_t policy,
                          const struct sms_question *asked)
{
    const bool certain = sms_results_exact(results) || sms__results_repeat(results, policy);
    put_number(content, certain ? 2 : sms__allows_verdict(results, asked));
    for (size_t r = 0; r < sms_results_replications(results); r++)
        put_number(content,
                   asked->better * sms_results_value(results, policy, r, asked->subject, asked->idx, asked->metric));
    put_text(content, ""); /* no remark */
}

/* Adds the question, and for each policy the mean that answers it and whether it is not told apart from the best. Then
 * what is left of its gain of STP, whether it meets the limits, half of its interval, how near it is to them,
 * and a remark. */
static int put_answer(struct sms__buffer *content, const struct sms_results *results, bool with_values)
{
    struct sms_question asked;
    size_t metrics;
    const size_t policies = sms_results_policies(results);
    const bool known = sms_results_question(results, &asked);
    const struct sms__until *until = &sms_results_scenario(results)->until;
    bool *in_group = calloc(policies + 1, sizeof *in_group);
    const bool found = in_group && (!known || find_group(results, &asked, in_group));
    put_text(content, known ? sms__subject_word(asked.subject) : "");
    put_text(content, known ? sms_results_subject(results, asked.subject, asked.idx) : "");
    put_text(content, known ? sms_metrics(asked.subject, &metrics)[asked.metric].name : "");
    put_number(content, known ? asked.better : 0);
    for (size_t p = 0; p < policies && found; p++) {
        put_number(content,
                   known ? sms_results_estimate(results, p, asked.subject, asked.idx, asked.metric).mean : (double)NAN);
        put_number(content, in_group[p]);
        put_number(content, sms__gain_left(results, p, 0).mean);
        put_number(content, until->limits ? sms__told_of_limits(results, p) : SMS__NOT_TOLD);
        put_number(content,
                   known ? sms_results_estimate(results, p, asked.subject, asked.idx, asked.metric).ci95 : (double)NAN);
        if (with_values)
            put_values_of(content, results, p, &asked);
        else
            put_limits(content, results, p);
    }
    free(in_group);
    return found ? SMS_OK : SMS_ENOMEM;
}

/* Adds the tenants to whom policies make a difference with the GPU to themselves, and what each policy gains them over
 * the first. */
static void put_gains_alone(struct sms__buffer *content, const struct sms_results *results)
{
    const size_t vms = sms_results_subjects(results, SMS_VM);
    size_t told = 0;
    for (size_t v = 0; v < vms; v++)
        told += sms__tells_gain_alone(results, v);
    put_number(content, (double)told);
    for (size_t v = 0; v < vms && told; v++) {
        if (!sms__tells_gain_alone(results, v))
            continue;
        put_text(content, sms_results_subject(results, SMS_VM, v));
        for (size_t p = 0; p < sms_results_policies(results); p++)
            put_number(content, sms__gain_alone(results, p, 0, v).mean);
    }
}

static void put_values(struct sms__buffer *content, const struct sms_results *results, enum sms_subject subject,
                       size_t policy, size_t replication)
{
    size_t metrics;
    sms_metrics(subject, &metrics);
    for (size_t i = 0; i < sms_results_subjects(results, subject); i++)
        for (size_t m = 0; m < metrics; m++)
            put_number(content, sms_results_value(results, policy, replication, subject, i, m));
}

static void put_subject(struct sms__buffer *content, const struct sms_results *results, enum sms_subject subject)
{
    size_t count = sms_results_subjects(results, subject);
    put_number(content, (double)count);
    for (size_t i = 0; i < count; i++)
        put_text(content, sms_results_subject(results, subject, i));
    for (size_t p = 0; p < sms_results_policies(results); p++)
        for (size_t r = 0; r < sms_results_replications(results); r++)
            put_values(content, results, subject, p, r);
}

/* If the solver gives up, there is no bound. It would give up again, so this is recorded as a result. */
static int put_bound(struct sms__buffer *content, const struct sms_results *results, enum sms_bounded metric,
                     struct sms_errors *errors)
{
    struct sms_bound bound;
    int code = sms_results_bound(results, metric, &bound, errors);
    if (code == SMS_ENOMEM)
        return code;
    if (code)
        bound = (struct sms_bound){.reason = "the solver found none"};
    put_number(content, bound.reason ? (double)NAN : bound.steady_per_s);
    put_number(content, bound.reason ? (double)NAN : bound.run_per_s);
    put_text(content, bound.parts ? bound.part[0].name : "");
    put_number(content, bound.parts ? bound.part[0].share : (double)NAN);
    put_text(content, bound.reason ? bound.reason : "");
    return SMS_OK;
}

int sms__record_results(struct sms__buffer *content, const struct sms_results *results, unsigned keep,
                        struct sms_errors *errors)
{
    int code = SMS_OK;
    put_warnings(content, sms_results_warnings(results));
    put_number(content, (double)sms_results_policies(results));
    put_number(content, (double)sms_results_replications(results));
    put_number(content, keep & SMS__KEEP_VALUES
                            ? 1 + (double)sms_results_replications(results)
                            : SMS__LIMIT_NUMBERS * (double)sms_results_scenario(results)->until.limits);
    for (size_t p = 0; p < sms_results_policies(results); p++)
        put_text(content, sms_results_policy(results, p));
    code = put_answer(content, results, keep & SMS__KEEP_VALUES);
    put_gains_alone(content, results);
    for (int s = 0; s < SMS_SUBJECTS; s++)
        if (keep & 1u << s)
            put_subject(content, results, (enum sms_subject)s);
    for (int m = 0; keep & SMS__KEEP_BOUND && m < SMS_BOUNDED && code == SMS_OK; m++)
        code = put_bound(content, results, (enum sms_bounded)m, errors);
    return code;
}

bool sms__record_pack(struct sms__point_record *record, const struct sms__buffer *content, struct sms__buffer *packed)
{
    uLongf size = compressBound(content->length);
    packed->length = 0;
    if (content->length > SMS__CONTENT_BYTES || !sms__buffer_room(packed, size) ||
        compress2((Bytef *)packed->bytes, &size, (const Bytef *)content->bytes, content->length, Z_BEST_SPEED) != Z_OK)
        return false;
    record->content = packed->bytes;
    record->size = packed->length = size;
    packed->bytes[size] = '\0';
    record->whole = content->length;
    return true;
}

bool sms__record_unpack(struct sms__point_record *record, struct sms__buffer *content)
{
    uLongf size = record->whole;
    content->length = 0;
    if (size > SMS__CONTENT_BYTES || !sms__buffer_room(content, size) ||
        uncompress((Bytef *)content->bytes, &size, (const Bytef *)record->content, record->size) != Z_OK ||
        size != record->whole)
        return false;
    record->content = content->bytes;
    record->size = content->length = size;
    content->bytes[size] = '\0';
    return true;
}

void sms__record_sum(const struct sms__point_record *record, unsigned char sum[8])
{
    unsigned char hash[SMS__KEY_BYTES];
    const uint64_t numbers[3] = {htole64(record->point), htole64(record->name), htole64(record->whole)};
    const unsigned char failed = record->failed;
    SHA2_CTX sha;
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)numbers, sizeof numbers);
    SHA256Update(&sha, &failed, sizeof failed);
    SHA256Update(&sha, record->key, sizeof record->key);
    SHA256Update(&sha, (const uint8_t *)record->models, strlen(record->models) + 1);
    SHA256Update(&sha, (const uint8_t *)record->content, record->size);
    SHA256Final(hash, &sha);
    memcpy(sum, hash, 8);
}

static const char *take(struct sms__content *content, size_t size)
{
    const char *taken = content->rest;
    if (content->failed || content->size < size) {
        content->failed = true;
        return NULL;
    }
    content->rest += size;
    content->size -= size;
    return taken;
}

double sms__content_number(struct sms__content *content)
{
    uint64_t bits;
    double value;
    const char *bytes = take(content, sizeof bits);
    if (!bytes)
        return 0;
    memcpy(&bits, bytes, sizeof bits);
    bits = le64toh(bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t sms__content_count(struct sms__content *content)
{
    double count = sms__content_number(content);
    if (count >= 0 && count <= (double)content->size && count <= UINT32_MAX)
        return (uint32_t)count;
    content->failed = true;
    return 0;
}

enum sms__told sms__content_told(struct sms__content *content)
{
    const double told = sms__content_number(content);
    if (told >= SMS__MISSED && told <= SMS__MET)
        return (enum sms__told)told;
    content->failed = true;
    return SMS__NOT_TOLD;
}

const char *sms__content_text(struct sms__content *content)
{
    const char *text = content->failed ? NULL : memchr(content->rest, '\0', content->size);
    text = take(content, text ? (size_t)(text - content->rest) + 1 : SIZE_MAX);
    return text ? text : "";
}
