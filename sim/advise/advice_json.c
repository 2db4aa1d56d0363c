/* Advice as JSON, for schedulers and scripts. */
#include "advise.h"

#include "../report/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *estimate(struct sms_estimate e)
{
    return json_pack("{so so}", "mean", sms__json_number(e.mean), "ci95", sms__json_number(e.ci95));
}

/* Jobs within the target, of all copies of a program, which are a class of its name. */
static struct sms_estimate in_time(const struct sms__outlook *outlook, const char *program)
{
    return sms_results_estimate(outlook->results, 0, SMS_CLASS, sms__find_subject(outlook->results, SMS_CLASS, program),
                                (size_t)sms_metric_index(SMS_CLASS, "jobs_in_time_per_s"));
}

static json_t *share_of(const struct sms__advice *advice, const struct sms__outlook *outlook, size_t p)
{
    const struct sms__tenancy *share = &outlook->share[p];
    const struct sms__program *program = &advice->programs->program[p];
    json_t *object = json_object();
    json_object_set_new(object, "program", sms__json_text(program->name));
    json_object_set_new(object, "copies", json_integer((json_int_t)outlook->way->copies[p]));
    if (outlook->why)
        return object;
    json_object_set_new(object, "slowdown_ratio", estimate(share->slowdown));
    json_object_set_new(object, "worst_slowdown_ratio", sms__json_number(outlook->worst_slowdown[p]));
    json_object_set_new(object, "jobs_per_s", estimate(share->per_s));
    json_object_set_new(object, "job_latency_p50_ns", estimate(share->p50_ns));
    json_object_set_new(object, "job_latency_p99_ns", estimate(share->p99_ns));
    if (share->maximum_of)
        json_object_set_new(object, "p99_maximum_of", json_integer((json_int_t)share->maximum_of));
    if (program->target.metric) {
        json_object_set_new(object, "aimed_latency_ns", estimate(share->target_ns));
        json_object_set_new(object, "jobs_in_time_per_s", estimate(in_time(outlook, program->name)));
        json_object_set_new(object, "deadline_miss_ratio", sms__json_number(share->missed));
    }
    json_object_set_new(object, "memory_bytes", sms__json_number(share->memory));
    return object;
}

json_t *sms__outlook_json(const struct sms__advice *advice, size_t i)
{
    const struct sms__outlook *outlook = &advice->outlook[i];
    json_t *object = json_object(), *shares = json_array();
    json_object_set_new(object, "rank", json_integer((json_int_t)i + 1));
    json_object_set_new(object, "way", sms__json_text(outlook->way->label));
    json_object_set_new(object, "name", sms__json_text(outlook->way->name));
    json_object_set_new(object, "shares", json_boolean(!outlook->way->alone));
    json_object_set_new(object, "works", json_boolean(!outlook->why));
    if (outlook->why)
        json_object_set_new(object, "why", sms__json_text(outlook->why));
    else {
        json_object_set_new(object, "meets_targets", json_boolean(outlook->meets));
        json_object_set_new(object, "work_ratio", estimate(outlook->gain));
        json_object_set_new(object, "worst_work_ratio", sms__json_number(outlook->worst_gain));
        json_object_set_new(object, "binds", sms__json_text(outlook->binds));
    }
    for (size_t p = 0; p < advice->programs->count; p++)
        json_array_append_new(shares, share_of(advice, outlook, p));
    json_object_set_new(object, "programs", shares);
    return object;
}

static json_t *program_of(const struct sms__program *program)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", sms__json_text(program->name));
    json_object_set_new(object, "file", sms__json_path(program->path));
    json_object_set_new(object, "unknown_contention_ratio", sms__json_number(program->unknown));
    json_object_set_new(object, "host_ratio", sms__json_number(program->host_ps / fmax(program->job_ps, 1)));
    if (program->target.metric) {
        json_object_set_new(object, "target", sms__json_text(program->target.metric));
        json_object_set_new(object, "target_ns", sms__json_number(program->target.ns));
    }
    return object;
}

json_t *sms__lines_json(struct sms__buffer *text, FILE *to)
{
    json_t *lines = json_array();
    const bool whole = to && sms__buffer_close(text, to);
    for (char *line = text->bytes, *end; whole && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        json_array_append_new(lines, sms__json_text(line + strspn(line, " ")));
    }
    free(text->bytes);
    return lines;
}

/* What people read above the table, a line each: first the answer, the title of a page, then that it is a range. */
static json_t *lines_of(const struct sms__advice *advice, struct sms__trust *trust)
{
    struct sms__buffer text = {0};
    FILE *to = sms__buffer_open(&text);
    if (to)
        sms__advice_print_head(advice, trust, to);
    json_t *lines = sms__lines_json(&text, to);
    if (advice->ranged && json_array_insert(lines, 2, json_array_get(lines, 0)) == 0)
        json_array_remove(lines, 0);
    return lines;
}

json_t *sms__advice_json(const struct sms__advice *advice, struct sms__trust *trust)
{
    const struct sms__outlook *best = sms__advice_best(advice, 0);
    json_t *object = json_object(), *programs = json_array(), *ways = json_array();
    struct sms__trust_line line;
    const bool shares = sms__advice_shares(advice);
    const struct sms__outlook *answer = shares ? best : sms__advice_alone(advice);
    json_object_set_new(object, "device", sms__json_text(advice->device->name));
    json_object_set_new(object, "lines", lines_of(advice, trust));
    json_object_set_new(object, "share", json_boolean(shares));
    json_object_set_new(object, "answer", sms__json_text(answer->way->name));
    json_object_set_new(object, "meets_targets", json_boolean(answer->meets));
    if (best && trust && !sms__trust_line(trust, best->file->scenario[0], sms__advice_metric(advice), 0, &line)) {
        json_object_set_new(object, "measured", sms__json_text(line.text));
        json_object_set_new(object, "within_ratio", sms__json_number(line.within));
        if (isnan(line.within) && !sms__trust_nearest(trust, best->file->scenario[0], &line))
            json_object_set_new(object, "nearest", sms__json_text(line.text));
    }
    json_object_set_new(object, "draws", json_integer((json_int_t)advice->draws));
    json_object_set_new(object, "held", json_integer((json_int_t)advice->held));
    if (advice->decides)
        json_object_set_new(object, "decides", sms__json_text(advice->decides));
    for (size_t p = 0; p < advice->programs->count; p++)
        json_array_append_new(programs, program_of(&advice->programs->program[p]));
    for (size_t i = 0; i < advice->count; i++)
        json_array_append_new(ways, sms__outlook_json(advice, i));
    json_object_set_new(object, "programs", programs);
    json_object_set_new(object, "ways", ways);
    json_object_set_new(object, "layouts_left_out", json_integer((json_int_t)advice->left_out));
    return object;
}
