/* Files, samples of errors, and running a scenario from a text. */
#include "validate.h"

#include <csv.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("validate: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(4);
}

void *grow(void *memory, size_t bytes)
{
    void *grown = realloc(memory, bytes);
    if (!grown)
        die("out of memory");
    return grown;
}

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file)
        die("cannot open %s", path);
    return file;
}

FILE *open_data(const struct site *site, const char *name) { return open_in(site->data, name, "r"); }

FILE *open_out(const struct site *site, const char *name) { return open_in(site->out, name, "w"); }

static void take_field(void *text, size_t length, void *user)
{
    struct table *table = user;
    if (table->columns && table->field >= table->columns)
        die("a row has more than %zu fields", table->columns);
    size_t at = table->rows * table->columns + table->field;
    if (at == table->room) {
        table->room = table->room ? 2 * table->room : 64;
        table->cell = grow(table->cell, table->room * sizeof *table->cell);
    }
    table->cell[at] = grow(NULL, length + 1);
    memcpy(table->cell[at], text, length);
    table->cell[at][length] = '\0';
    table->field++;
}

static void take_row(int end, void *user)
{
    struct table *table = user;
    (void)end;
    if (!table->columns)
        table->columns = table->field;
    if (table->field != table->columns)
        die("row %zu has %zu fields instead of %zu", table->rows + 1, table->field, table->columns);
    table->rows++;
    table->field = 0;
}

struct table table_read(const struct site *site, const char *name)
{
    struct table table = {0};
    struct csv_parser parser;
    char bytes[4096];
    FILE *file = open_data(site, name);
    csv_init(&parser, 0);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        if (csv_parse(&parser, bytes, n, take_field, take_row, &table) != n)
            die("%s: %s", name, csv_strerror(csv_error(&parser)));
    csv_fini(&parser, take_field, take_row, &table);
    csv_free(&parser);
    fclose(file);
    return table;
}

const char *table_text(const struct table *table, size_t row, const char *column)
{
    for (size_t c = 0; c < table->columns; c++)
        if (!strcmp(table->cell[c], column))
            return table->cell[row * table->columns + c];
    die("no column %s", column);
}

double table_number(const struct table *table, size_t row, const char *column)
{
    return atof(table_text(table, row, column));
}

void table_release(struct table *table)
{
    for (size_t i = 0; i < table->rows * table->columns; i++)
        free(table->cell[i]);
    free(table->cell);
}

void sample_add(struct sample *sample, double value)
{
    if (sample->n == sample->room) {
        sample->room = sample->room ? 2 * sample->room : 64;
        sample->value = grow(sample->value, sample->room * sizeof *sample->value);
    }
    sample->value[sample->n++] = value;
}

double sample_median(struct sample *sample)
{
    gsl_sort(sample->value, 1, sample->n);
    return gsl_stats_median_from_sorted_data(sample->value, 1, sample->n);
}

double sample_max(const struct sample *sample) { return gsl_stats_max(sample->value, 1, sample->n); }

void sample_release(struct sample *sample) { free(sample->value); }

double off_percent(double ours, double measured) { return 100 * fabs(ours / measured - 1); }

void report(struct site *site, const struct outcome *outcome, struct sample *sample)
{
    if (!sample->n)
        die("%s: nothing measured", outcome->what);
    double median = sample_median(sample), max = sample_max(sample);
    fprintf(site->summary, "| %s | %s | %zu | %s | %.1f %% | %.1f %% | %s |\n", outcome->what, outcome->whose,
            sample->n, outcome->error, median, max, outcome->verdict);
    printf("%-50s median %6.2f %%, at most %6.2f %%; maximum %6.2f %%, at most %6.2f %%\n", outcome->what, median,
           outcome->median_bound, max, outcome->max_bound);
    if (median <= outcome->median_bound && max <= outcome->max_bound)
        return;
    fprintf(stderr, "validate: %s: the error is beyond its bound\n", outcome->what);
    site->broken++;
}

struct sms_run_options quick(void)
{
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    return options;
}

struct ran run_text(const char *text, size_t idx, const struct sms_run_options *options)
{
    char path[] = "/tmp/smsched-validate-XXXXXX";
    const struct sms_load_options from = {.models = SOURCE_DIR "/models"};
    struct sms_run_options defaults = quick();
    struct sms_errors errors = {0};
    struct ran ran = {0};
    int fd = mkstemp(path);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!to || fputs(text, to) < 0 || fclose(to))
        die("cannot write %s", path);
    int code = sms_file_load(path, &from, &ran.file, &errors);
    unlink(path);
    if (!code)
        code = sms_run(sms_file_scenario(ran.file, idx), options ? options : &defaults, &ran.results, &errors);
    if (code) {
        sms_errors_print(&errors, stderr);
        die("this does not run:\n%s", text);
    }
    return ran;
}

void ran_release(struct ran *ran)
{
    sms_results_free(ran->results);
    sms_file_free(ran->file);
}

static size_t subject_of(const struct ran *ran, enum sms_subject subject, const char *name)
{
    for (size_t i = 0; i < sms_results_subjects(ran->results, subject); i++)
        if (!strcmp(sms_results_subject(ran->results, subject, i), name))
            return i;
    die("no result for %s", name);
}

double metric_of(const struct ran *ran, size_t policy, enum sms_subject subject, const char *name, const char *metric)
{
    size_t count, idx = subject_of(ran, subject, name);
    const struct sms_metric *metrics = sms_metrics(subject, &count);
    for (size_t m = 0; m < count; m++)
        if (!strcmp(metrics[m].name, metric))
            return sms_results_value(ran->results, policy, 0, subject, idx, m);
    die("no metric %s", metric);
}
