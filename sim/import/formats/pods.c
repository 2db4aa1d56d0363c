/* Imports lists of jobs or pods, one a row, as a scenario: CSV with or without a header, or JSON, plain or compressed.
 * The caller says which column is what, in which unit. */
#define _GNU_SOURCE /* for dates */
#include "../import.h"

#include "../../model/cluster/cluster.h"
#include "../../model/limits.h"
#include "../pods_list.h"
#include "../rows.h"
#include "../text.h"

#include <smsched/place.h>

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NS_PER_S ((int64_t)1000000000)

enum { PODS_MAX = 1000000, CELL_BYTES = 256, REPLICAS_MAX = 100000, NAME_LETTERS = 80, HOURS_MOST = 5000 };

enum key { NAME, ARRIVAL, START, END, DURATION, GPUS, TOTAL_GPUS, CPU, TOTAL_CPU, MEMORY, GPU_MEMORY, REPLICAS, KEYS };
enum kind { TEXT, TIME, COUNT, BYTES };

static const struct {
    const char *name;
    enum kind kind;
} keys[KEYS] = {[NAME] = {"name", TEXT},
                [ARRIVAL] = {"arrival", TIME},
                [START] = {"start", TIME},
                [END] = {"end", TIME},
                [DURATION] = {"duration", TIME},
                [GPUS] = {"gpus", COUNT},
                [TOTAL_GPUS] = {"total_gpus", COUNT},
                [CPU] = {"cpu", COUNT},
                [TOTAL_CPU] = {"total_cpu", COUNT},
                [MEMORY] = {"memory", BYTES},
                [GPU_MEMORY] = {"gpu_memory", BYTES},
                [REPLICAS] = {"replicas", COUNT}};

/* The first unit of a kind is the default. A date is YYYY-MM-DD HH:MM:SS. */
static const struct unit {
    const char *name;
    enum kind kind;
    double factor; /* to seconds, GPUs or CPUs, bytes; 0: a date */
} units[] = {{"s", TIME, 1},       {"ns", TIME, 1e-9},      {"us", TIME, 1e-6},      {"ms", TIME, 1e-3},
             {"min", TIME, 60},    {"h", TIME, 3600},       {"d", TIME, 86400},      {"date", TIME, 0},
             {"1", COUNT, 1},      {"%", COUNT, 0.01},      {"milli", COUNT, 0.001}, {"B", BYTES, 1},
             {"KiB", BYTES, 1024}, {"MiB", BYTES, 1 << 20}, {"GiB", BYTES, 1 << 30}, {"KB", BYTES, 1e3},
             {"MB", BYTES, 1e6},   {"GB", BYTES, 1e9}};
enum { UNITS = sizeof units / sizeof *units };

/* From the documentation of each trace: msr-fiddle/philly-traces (cluster_job_log), S-Lab-System-Group/HeliosData
 * (cluster_log.csv), alibaba/clusterdata (2020: pai_task_table.csv, which has no header; 2025:
 * disaggregated_DLRM_trace.csv), Azure/AzurePublicDataset (LLM inference, 2023 and 2024). */
static const struct {
    const char *name, *mapping;
} presets[] = {
    {"philly", "name=jobid,arrival=submitted_time:date,start=attempts.0.start_time:date,end=attempts.-1.end_time:date,"
               "total_gpus=attempts.-1.detail.gpus.#,replicas=attempts.-1.detail.#"},
    {"helios", "name=job_id,arrival=submit_time:date,duration=duration:s,total_gpus=gpu_num,total_cpu=cpu_num,"
               "replicas=node_num"},
    {"pai2020", "name=1+2,replicas=3,arrival=5:s,start=5:s,end=6:s,cpu=7:%,memory=8:GiB,gpus=9:%"},
    {"alibaba2025", "name=instance_sn,arrival=creation_time:s,end=deletion_time:s,cpu=cpu_request,gpus=gpu_request,"
                    "memory=memory_request:GiB"},
    {"azure", "arrival=TIMESTAMP:date"}};
enum { PRESETS = sizeof presets / sizeof *presets };

/* Where a key is: up to two columns, whose texts are joined. */
struct source {
    const char *column[2]; /* NULL: not given */
    size_t at[2];          /* their positions in a CSV file */
    const struct unit *unit;
};

struct list {
    struct sms__arena *arena;
    struct sms_errors *errors;
    const char *path;
    struct source source[KEYS];
    bool numbered;          /* columns are numbers, and there is no header */
    struct sms__rows *rows; /* of a CSV file; or */
    const json_t *entry;    /* of a JSON file, and its number, from 1: */
    size_t number;
    struct sms__pod_list out;
    size_t left_out;
};

static void complain(struct list *list, enum key key, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void complain(struct list *list, enum key key, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (list->rows)
        sms__error(list->errors, SMS_EINPUT, sms__rows_field_mark(list->rows, list->source[key].at[0]), "%s", text);
    else
        sms__fail(list->errors, SMS_EINPUT, list->path, "entry %zu: %s", list->number, text);
}

/* Before its first value the sum is NAN. */
static void add(double *sum, double value) { *sum = isnan(*sum) ? value : *sum + value; }

/* Follows a path such as attempts.-1.detail.gpus.#: a key, the number of an item (negative: from the end), or # for how
 * many items there are. A key of a list is looked up in each item, and numbers add up. Returns a text that is there, or
 * NULL with what adds up in `sum`. */
static const char *follow(const json_t *at, const char *path, double *sum)
{
    char word[CELL_BYTES];
    size_t length = strcspn(path, "."), i;
    const char *rest = path + length + (path[length] == '.'), *found = NULL;
    const json_t *item;
    char *end;
    if (*path == '\0') {
        if (json_is_number(at))
            add(sum, json_number_value(at));
        return json_string_value(at);
    }
    snprintf(word, sizeof word, "%.*s", (int)length, path);
    long index = strtol(word, &end, 10);
    if (json_is_object(at))
        return follow(json_object_get(at, word), rest, sum);
    if (!json_is_array(at))
        return NULL;
    if (!strcmp(word, "#"))
        add(sum, (double)json_array_size(at));
    else if (*end == '\0')
        return follow(json_array_get(at, (size_t)(index < 0 ? index + (long)json_array_size(at) : index)), rest, sum);
    else
        json_array_foreach(at, i, item) found = follow(item, path, sum);
    return found;
}

/* The text of one column, or "". */
static const char *read_column(struct list *list, const struct source *source, size_t i, char out[CELL_BYTES])
{
    double sum = NAN;
    if (!source->column[i])
        return "";
    if (list->rows)
        return sms__rows_field(list->rows, source->at[i]);
    const char *text = follow(list->entry, source->column[i], &sum);
    /* Microseconds since 1970 have 16 digits, nanoseconds more; those of sums beyond the 15th are rounding errors. */
    const int digits = 15 + (fabs(sum) >= 1e9) + (fabs(sum) >= 1e16);
    snprintf(out, CELL_BYTES, "%.*g", digits, sum); /* without a sum: an empty cell */
    return text ? text : out;
}

static const char *cell(struct list *list, enum key key, char out[CELL_BYTES])
{
    static const char *const none[] = {"nan", "none", "null", "na", "n/a", "~", NULL};
    const char *text = read_column(list, &list->source[key], 0, out);
    for (const char *const *word = none; *word; word++)
        if (!strcasecmp(text, *word))
            return "";
    return text;
}

static bool is_given(struct list *list, enum key key)
{
    char out[CELL_BYTES];
    return *cell(list, key, out) != '\0';
}

/* Nanoseconds of the digits after a point, of which nine count. `end` is after the last. */
static int64_t read_fraction(const char *text, const char **end)
{
    int64_t ns = 0, unit = NS_PER_S / 10;
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++, unit /= 10)
            ns += (*text - '0') * unit;
    *end = text;
    return ns;
}

/* "2017-10-07 01:12:09", with a T, a fraction and any time zone, which is ignored. */
static bool read_date(const char *text, int64_t *ns)
{
    struct tm time = {0};
    const char *end = strptime(text, "%Y-%m-%d", &time);
    end = end && (*end == ' ' || *end == 'T') ? strptime(end + 1, "%H:%M:%S", &time) : NULL;
    if (!end || time.tm_year < 70 || time.tm_year > 200)
        return false;
    *ns = (int64_t)timegm(&time) * NS_PER_S;
    *ns += read_fraction(end, &end);
    return *end == '\0' || strchr(" Z+-", *end);
}

/* Whole numbers of a unit, and nanoseconds of seconds, are exact; other fractions are rounded. */
static bool read_time(const char *text, const struct unit *unit, int64_t *ns)
{
    char *digits_end, *stop;
    if (unit->factor == 0)
        return read_date(text, ns);
    errno = 0;
    const long long whole = strtoll(text, &digits_end, 10);
    const char *end = digits_end;
    const int64_t fraction = end > text ? read_fraction(end, &end) : 0;
    const double value = strtod(text, &stop);
    if (stop == text || *stop || errno || !(fabs(value) * unit->factor < 4.5e9)) /* so that differences fit, too */
        return false;
    const bool exact = *end == '\0' && (end == digits_end || (unit->factor == 1 && !signbit(value)));
    *ns = exact ? whole * llround(unit->factor * 1e9) + fraction : llround(value * unit->factor * 1e9);
    return true;
}

/* 0 for an empty cell. */
static int64_t take_time(struct list *list, enum key key)
{
    char out[CELL_BYTES];
    const char *text = cell(list, key, out);
    const struct unit *unit = list->source[key].unit;
    int64_t ns = 0;
    if (*text && !read_time(text, unit, &ns))
        complain(list, key, "%s is '%.60s', which is not a time%s%s", keys[key].name, text, unit->factor ? " in " : "",
                 unit->factor ? unit->name : " as YYYY-MM-DD HH:MM:SS");
    return ns;
}

static double take_number(struct list *list, enum key key, double most)
{
    char out[CELL_BYTES], *end;
    const char *text = cell(list, key, out);
    if (!*text)
        return 0;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        complain(list, key, "%s is '%.60s', which is not a number", keys[key].name, text);
    else if (value < 0 || value * list->source[key].unit->factor > most)
        complain(list, key, "%s is %.60s; it must be from 0 to %.15g", keys[key].name, text,
                 most / list->source[key].unit->factor);
    else
        return value * list->source[key].unit->factor;
    return 0;
}

/* A name of YAML, which begins with a letter and ends with no digit where replicas get numbers. NULL: there is none, or
 * one that is too long. */
static const char *take_name(struct list *list, bool numbered)
{
    char out[CELL_BYTES], more[CELL_BYTES];
    const char *text = cell(list, NAME, out);
    const char *second = read_column(list, &list->source[NAME], 1, more);
    if (!*text || strlen(text) + strlen(second) > NAME_LETTERS)
        return NULL;
    char *name = (char *)sms__print(list->arena, "%s%s%s%s%s", isalpha((unsigned char)*text) ? "" : "job-", text,
                                    *second ? "-" : "", second, numbered ? "-" : "");
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-')
            *c = '_';
    return name;
}

/* The part of a replica. GPUs of all together are rounded up to whole ones, so that replicas are alike. */
static double share(double each, double total, uint64_t replicas)
{
    double part = total / (double)replicas;
    return each + (part > 1 ? ceil(part) : part);
}

static void take_row(void *user)
{
    struct list *list = user;
    if (list->source[START].column[0] && !is_given(list, START)) {
        list->left_out++;
        return;
    }
    list->out.pod = sms__grow(list->arena, list->out.pod, list->out.pods, sizeof *list->out.pod);
    struct sms__listed_pod *pod = &list->out.pod[list->out.pods];
    const double replicas = take_number(list, REPLICAS, REPLICAS_MAX);
    if (replicas != floor(replicas))
        complain(list, REPLICAS, "replicas is %.15g; it must be a whole number", replicas);
    *pod = (struct sms__listed_pod){.replicas = replicas >= 1 ? (uint64_t)replicas : 1};
    pod->name = take_name(list, pod->replicas > 1);
    pod->arrival_ns = take_time(list, ARRIVAL);
    pod->duration_ns = take_time(list, DURATION);
    bool ends = is_given(list, END), lasts = is_given(list, DURATION);
    if (ends && !lasts) {
        pod->duration_ns = take_time(list, END) - (is_given(list, START) ? take_time(list, START) : pod->arrival_ns);
        if (pod->duration_ns < 0)
            complain(list, END, "the pod ends before it begins");
    } else if (lasts && pod->duration_ns < 0)
        complain(list, DURATION, "duration is below 0");
    if ((ends || lasts) && pod->duration_ns == 0)
        pod->duration_ns = NS_PER_S / 2; /* it came and went within a second */
    pod->gpus = share(take_number(list, GPUS, SMS_NODE_GPUS_MAX),
                      take_number(list, TOTAL_GPUS, (double)SMS_NODE_GPUS_MAX * (double)pod->replicas), pod->replicas);
    pod->cpus = take_number(list, CPU, SMS__CPUS_MAX) +
                take_number(list, TOTAL_CPU, (double)SMS__CPUS_MAX) / (double)pod->replicas;
    pod->memory = take_number(list, MEMORY, (double)SMS__HOST_BYTES_MAX);
    pod->gpu_memory = take_number(list, GPU_MEMORY, (double)SMS__GPU_BYTES_MAX);
    list->out.pods++;
}

static int finish(struct list *list)
{
    if (list->errors->count)
        return SMS_EINPUT;
    return list->out.pods ? SMS_OK : sms__fail(list->errors, SMS_EINPUT, list->path, "has no pods");
}

static const char *field_name(const void *user, size_t i) { return sms__rows_field(user, i); }

static void complain_no_column(struct list *list, struct sms__mark mark, const char *name, const char *near)
{
    sms__error(list->errors, SMS_EINPUT, mark, "there is no column '%.60s'%s", name, sms__did_you_mean(near).text);
}

static void find_column(struct list *list, struct source *source, size_t c)
{
    const char *name = source->column[c];
    if (!name)
        return;
    const size_t fields = list->rows->fields;
    source->at[c] = list->numbered ? strtoul(name, NULL, 10) - 1 : sms__find_name(name, fields, field_name, list->rows);
    if (source->at[c] < fields)
        return;
    const struct sms__mark mark = sms__rows_field_mark(list->rows, 0);
    if (list->numbered)
        sms__error(list->errors, SMS_EINPUT, mark, "there is no column %.20s: this row has %zu", name, fields);
    else
        complain_no_column(list, mark, name, sms__nearest(name, fields, field_name, list->rows));
}

/* An entry may lack a key, but a key that all of them lack is spelt wrong. */
static void find_key(struct list *list, const json_t *all, const char *column)
{
    char word[CELL_BYTES];
    const json_t *entry;
    json_t *first = json_array_get(all, 0);
    size_t i;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(column, "."), column);
    json_array_foreach(all, i, entry) if (json_object_get(entry, word)) return;
    const char **name = SMS__NEW(list->arena, const char *, json_object_size(first) + 1);
    i = 0;
    for (void *at = json_object_iter(first); at; at = json_object_iter_next(first, at))
        name[i++] = json_object_iter_key(at);
    complain_no_column(list, (struct sms__mark){.file = list->path}, word, sms__nearest(word, i, sms__text_at, name));
}

static int read_entries(void *user)
{
    struct list *list = user;
    const json_t *all = list->entry;
    for (int k = 0; k < KEYS && json_array_size(all); k++)
        for (size_t c = 0; c < 2 && list->source[k].column[c]; c++)
            find_key(list, all, list->source[k].column[c]);
    if (list->errors->count)
        return SMS_EINPUT;
    for (size_t i = 0; i < json_array_size(all); i++) {
        list->entry = json_array_get(all, i);
        list->number = i + 1;
        if (json_is_object(list->entry))
            take_row(list);
        else
            complain(list, NAME, "is not an object");
    }
    return finish(list);
}

static int read_json(struct list *list, const char *text)
{
    json_error_t error;
    json_t *all = json_loads(text, 0, &error);
    if (!all) {
        struct sms__mark mark = {list->path, text, (unsigned)error.line, (unsigned)error.column};
        sms__error(list->errors, SMS_EINPUT, mark, "this is not JSON: %s", error.text);
        return SMS_EINPUT;
    }
    list->entry = all;
    int code = json_is_array(all)
                   ? sms__guard(list->arena, read_entries, list)
                   : sms__fail(list->errors, SMS_EINPUT, list->path, "is JSON, but not a list of objects");
    json_decref(all);
    return code;
}

static int read_list(struct sms__rows *rows, void *user)
{
    struct list *list = user;
    const char first = rows->text[strspn(rows->text, " \t\r\n")];
    if (first == '[' || first == '{')
        return read_json(list, rows->text);
    list->rows = rows;
    const size_t fields = sms__rows_next_row(rows, list->errors) ? rows->fields : 0;
    for (int k = 0; k < KEYS; k++)
        for (size_t c = 0; c < 2 && fields; c++)
            find_column(list, &list->source[k], c);
    if (list->errors->count)
        return SMS_EINPUT;
    if (list->numbered)
        sms__rows_rewind(rows); /* there is no header */
    int code = sms__rows_each(rows, list->errors, list->numbered ? 0 : fields, PODS_MAX, "rows", take_row, list);
    return code ? code : finish(list);
}

static const struct unit *find_unit(enum kind kind, const char *name)
{
    for (size_t u = 0; u < UNITS; u++)
        if (units[u].kind == kind && (!name || !strcmp(units[u].name, name)))
            return &units[u];
    return NULL;
}

static void complain_unit(struct list *list, const char *unit, size_t key)
{
    const char *names = "";
    for (size_t u = 0; u < UNITS; u++)
        if (units[u].kind == keys[key].kind)
            names = sms__print(list->arena, "%s%s%s", names, *names ? ", " : "", units[u].name);
    sms__fail(list->errors, SMS_EINPUT, NULL,
              *names ? "--columns: unknown unit '%.20s' of %s; use one of %s"
                     : "--columns: unknown unit '%.20s' of %s, which has no units%s",
              unit, keys[key].name, names);
}

static bool is_number(const char *column) { return column[strspn(column, "0123456789")] == '\0'; }

static void complain_name(struct list *list, const char *what, const char *text, size_t count,
                          const char *(*name)(const void *user, size_t i), const void *user)
{
    const char *near = sms__nearest(text, count, name, user), *known = "; known: ";
    for (size_t i = 0; i < count; i++)
        known = sms__print(list->arena, "%s%s%s", known, i ? ", " : "", name(user, i));
    sms__fail(list->errors, SMS_EINPUT, NULL, "--columns: unknown %s '%.40s'%s", what, text,
              near ? sms__did_you_mean(near).text : known);
}

/* Reads KEY=COLUMN[+COLUMN][:UNIT]. */
static void take_mapping(struct list *list, char *text)
{
    char *column = strchr(text, '='), *unit = column ? strrchr(column, ':') : NULL;
    if (column)
        *column++ = '\0';
    if (unit)
        *unit++ = '\0';
    const size_t key = sms__find_name(text, KEYS, SMS__NAMES(keys, name));
    if (key == KEYS && column)
        complain_name(list, "key", text, KEYS, SMS__NAMES(keys, name));
    else if (key == KEYS)
        complain_name(list, "trace", text, PRESETS, SMS__NAMES(presets, name));
    else if (!column || !*column)
        sms__fail(list->errors, SMS_EINPUT, NULL, "--columns: '%.40s' has no column: KEY=COLUMN[:UNIT]", text);
    if (key == KEYS || !column || !*column)
        return;
    struct source *source = &list->source[key];
    if (source->column[0])
        sms__fail(list->errors, SMS_EINPUT, NULL, "--columns: '%s' is given twice, as '%.40s' and as '%.40s'",
                  keys[key].name, source->column[0], column);
    char *second = key == NAME ? strchr(column, '+') : NULL;
    if (second)
        *second++ = '\0';
    source->column[0] = column;
    source->column[1] = second;
    source->unit = find_unit(keys[key].kind, unit);
    if (unit && !source->unit)
        complain_unit(list, unit, key);
    list->numbered |= is_number(column);
}

static int read_mapping(struct list *list, const char *given)
{
    const char *text = given;
    for (size_t i = 0; i < PRESETS; i++)
        text = strcmp(presets[i].name, given) ? text : presets[i].mapping;
    char *copy = (char *)sms__copy(list->arena, text, strlen(text)), *rest;
    for (char *item = strtok_r(copy, ",", &rest); item; item = strtok_r(NULL, ",", &rest))
        take_mapping(list, item);
    for (int k = 0; k < KEYS && list->numbered; k++)
        for (size_t c = 0; c < 2 && list->source[k].column[c]; c++)
            if (!is_number(list->source[k].column[c]) || strtoul(list->source[k].column[c], NULL, 10) == 0)
                sms__fail(list->errors, SMS_EINPUT, NULL,
                          "--columns: '%.40s' is not the number of a column, as others are", list->source[k].column[c]);
    return list->errors->count ? SMS_EINPUT : SMS_OK;
}

static bool any(const struct list *list, enum key key, enum key other)
{
    return list->source[key].column[0] || list->source[other].column[0];
}

/* A scenario of a cluster has pods that arrive within so long, and last so long. */
static int check_span(const struct list *list)
{
    const int64_t most = (int64_t)HOURS_MOST * 3600 * NS_PER_S;
    for (size_t i = 0; i < list->out.pods; i++) {
        const struct sms__listed_pod *pod = &list->out.pod[i];
        bool late = pod->arrival_ns > list->out.first_ns && pod->arrival_ns - list->out.first_ns > most;
        if (late || pod->duration_ns > most)
            return sms__fail(list->errors, SMS_EINPUT, list->path, "'%.60s' %s %d h%s: cut the file, or mend that row",
                             pod->name ? pod->name : sms__print(list->arena, "pod%zu", i + 1),
                             late ? "arrives later than" : "lasts longer than", HOURS_MOST,
                             late ? " after the first" : "");
    }
    return SMS_OK;
}

static int import(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct list list = {.arena = arena, .errors = errors, .path = paths[0]};
    int64_t first_ns = INT64_MAX;
    (void)n_paths; /* one, as its importer says */
    int code = read_mapping(&list, options->columns);
    if (!list.source[ARRIVAL].column[0])
        list.source[ARRIVAL] = list.source[START];
    list.out.arena = arena;
    list.out.gpus = any(&list, GPUS, TOTAL_GPUS);
    list.out.cpus = any(&list, CPU, TOTAL_CPU);
    list.out.memory = any(&list, MEMORY, MEMORY);
    list.out.gpu_memory = any(&list, GPU_MEMORY, GPU_MEMORY);
    list.out.replicas = any(&list, REPLICAS, REPLICAS);
    if (code == SMS_OK && !options->times && !list.out.gpus && !list.out.cpus && !list.out.memory)
        code = sms__fail(errors, SMS_EINPUT, NULL,
                         "--columns maps none of gpus, cpu and memory, which pods ask for; --times takes times alone");
    code = code ? code : sms__rows_read(arena, paths[0], options->most, read_list, &list, errors);
    if (code)
        return code;
    const struct unit *arrival = list.source[ARRIVAL].unit;
    for (size_t i = 0; i < list.out.pods; i++) /* without a date, a pod was there before */
        if (list.out.pod[i].arrival_ns < first_ns && (list.out.pod[i].arrival_ns || !arrival || arrival->factor > 0))
            first_ns = list.out.pod[i].arrival_ns;
    list.out.first_ns = first_ns == INT64_MAX ? 0 : first_ns;
    if (options->times && list.out.pods > SMS__TIMES_MAX)
        return sms__fail(errors, SMS_EINPUT, paths[0], "%zu requests; a tenant takes %d: cut the file", list.out.pods,
                         SMS__TIMES_MAX);
    code = options->times ? SMS_OK : check_span(&list);
    if (code)
        return code;
    const char *name = options->name ? options->name : sms__import_name(arena, paths[0]), *wrong = NULL;
    if (options->times)
        sms__write_pod_times(&list.out, options->notes, to);
    else
        wrong = sms__write_pod_scenario(&list.out, name, options->notes, to);
    if (wrong)
        return sms__fail(errors, SMS_EINPUT, paths[0], "%s", wrong);
    if (list.left_out && options->notes)
        fprintf(options->notes, "left out: %zu that never started\n", list.left_out);
    return SMS_OK;
}

const struct sms__importer sms__importer_pods = {
    .name = "pods",
    .help = "jobs or pods, one per row: CSV or JSON, also compressed by gzip; --columns names the columns",
    .files = "one file",
    .n_files = 1,
    .import = import};
