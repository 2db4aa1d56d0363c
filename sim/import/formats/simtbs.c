/* Imports a configuration of simtbs (oslab-ewha): its device, kernels and overheads as an ordinary scenario. A line
 * '*NAME' begins a section, and '#' in the first column a comment. Lines hold numbers. */
#include "../import.h"
#include "../intern.h"

#include "../../base/read.h"
#include "../text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SM_MOST = 12, MEM_MOST = 2, BLOCKS_MOST = 4096, WARP = 32 };
enum { TYPE, START, BLOCKS, BLOCK_TIME, DEMANDS }; /* columns of a kernel; demands on the SM are first */
enum { SMS, HARD, COMPUTE, CAPACITIES };           /* columns of *sm: how many resources are hard, and compute */
#define NUMBER_MOST 4294967295.0

struct row {
    double value[DEMANDS + SM_MOST + MEM_MOST];
    size_t count;
};

struct table {
    struct row *row;
    size_t rows;
};

enum section { GENERAL, WORKLOAD, SM, MEM, OVERHEAD_SM, OVERHEAD_MEM, KERNEL, SECTIONS };
static const char *const names[] = {"general", "workload", "sm", "mem", "overhead_sm", "overhead_mem", "kernel"};

struct conf {
    struct sms__arena *arena;
    struct sms_errors *errors;
    const char *path, *text, *line; /* `line`: where the line begins that is being read */
    unsigned number;                /* of that line, from 1 */
    struct table table[SECTIONS];   /* of *general, *sm and *mem the last row counts, as in simtbs */
};

#define COMPLAIN(conf, at, ...)                                                                                        \
    sms__error((conf)->errors, SMS_EINPUT,                                                                             \
               (struct sms__mark){(conf)->path, (conf)->text, (conf)->number, sms__text_column((conf)->line, at)},     \
               __VA_ARGS__)

static const struct row *last_row(const struct conf *conf, enum section section)
{
    static const struct row none;
    const struct table *table = &conf->table[section];
    return table->rows ? &table->row[table->rows - 1] : &none;
}

static size_t sm_resources(const struct conf *conf)
{
    return last_row(conf, SM)->count ? last_row(conf, SM)->count - CAPACITIES : 0;
}

static double least_of(enum section section, size_t column)
{
    return section == MEM || (section == SM && column != COMPUTE) ||
           (section == KERNEL && column >= START && column <= BLOCK_TIME);
}

/* Reads a line of numbers, or complains of it. */
static bool read_row(struct conf *conf, enum section section, struct row *row)
{
    const char *at = conf->line + strspn(conf->line, " \t\r");
    bool whole = section != OVERHEAD_SM && section != OVERHEAD_MEM;
    *row = (struct row){0};
    for (char *rest; *at && *at != '\n'; at = rest + strspn(rest, " \t\r"), row->count++) {
        size_t length = strcspn(at, " \t\r\n");
        double value = strspn(at, "0123456789.eE+-") >= length ? strtod(at, &rest) : NAN;
        double least = least_of(section, row->count);
        if (!(value >= least && value <= NUMBER_MOST) || rest != at + length || (whole && value != floor(value))) {
            COMPLAIN(conf, at, "'%.*s' is no %snumber from %.0f to %.0f", (int)(length < 40 ? length : 40), at,
                     whole ? "whole " : "", least, NUMBER_MOST);
            return false;
        }
        if (row->count < sizeof row->value / sizeof *row->value)
            row->value[row->count] = value;
    }
    return true;
}

static void add_row(struct conf *conf, enum section section)
{
    size_t n_sm = sm_resources(conf), n_mem = last_row(conf, MEM)->count;
    const size_t least[] = {1, 0, CAPACITIES + 1, 1, 1 + n_sm, 1 + n_mem, DEMANDS + n_sm + n_mem};
    size_t most = section == SM ? CAPACITIES + SM_MOST : section == MEM ? MEM_MOST : least[section];
    struct row row;
    if (section >= OVERHEAD_SM && !(n_sm && n_mem))
        COMPLAIN(conf, conf->line, "*sm and *mem must come first");
    else if (!read_row(conf, section, &row))
        return;
    else if (row.count < least[section] || row.count > most)
        COMPLAIN(conf, conf->line, "expected %zu to %zu numbers; found %zu", least[section], most, row.count);
    else if (section == SM && fmax(row.value[HARD], row.value[COMPUTE]) > (double)(row.count - CAPACITIES))
        COMPLAIN(conf, conf->line, "there are only %zu resources", row.count - CAPACITIES);
    else
        *SMS__APPEND(conf->arena, conf->table[section].row, conf->table[section].rows) = row;
}

static enum section find_section(struct conf *conf)
{
    size_t length = strcspn(conf->line + 1, " \t\r\n");
    for (int s = 0; s < SECTIONS; s++)
        if (strlen(names[s]) == length && !strncmp(conf->line + 1, names[s], length))
            return (enum section)s;
    COMPLAIN(conf, conf->line, "no section of simtbs has this name");
    return WORKLOAD;
}

static void read_lines(struct conf *conf)
{
    enum section section = WORKLOAD; /* which is for simtbs's generator of workloads, and not read */
    for (const char *next = conf->text; *next && conf->errors->count <= SMS_ERRORS_MAX; conf->number++) {
        conf->line = next;
        next += strcspn(next, "\n");
        next += *next == '\n';
        if (*conf->line == '*')
            section = find_section(conf);
        else if (*conf->line != '#' && !strchr("\n", conf->line[strspn(conf->line, " \t\r")]) && section != WORKLOAD)
            add_row(conf, section);
    }
}

/* Leaves out kernels that start after the end of the run. */
static void drop_late(struct conf *conf)
{
    struct table *kernels = &conf->table[KERNEL];
    double end = last_row(conf, GENERAL)->value[0];
    size_t kept = 0;
    for (size_t k = 0; k < kernels->rows; k++)
        if (end == 0 || kernels->row[k].value[START] < end)
            kernels->row[kept++] = kernels->row[k];
    kernels->rows = kept;
    if (kept == 0)
        sms__fail(conf->errors, SMS_EINPUT, conf->path, "no kernel starts before the end of the run");
}

/* The most blocks that an SM holds by its hard resources, because simtbs knows no other limit. */
static double most_blocks(const struct conf *conf)
{
    const struct row *sm = last_row(conf, SM);
    double most = BLOCKS_MOST;
    for (size_t i = 0; (double)i < sm->value[HARD]; i++) {
        double least = BLOCKS_MOST;
        for (size_t k = 0; k < conf->table[KERNEL].rows; k++)
            least = fmin(least, conf->table[KERNEL].row[k].value[DEMANDS + i]);
        most = least > 0 ? fmin(most, floor(sm->value[CAPACITIES + i] / least)) : most;
    }
    return fmax(most, 1);
}

static void write_device(const struct conf *conf, FILE *to)
{
    const double *sm = last_row(conf, SM)->value, blocks = most_blocks(conf);
    fprintf(to, "device: gpu\nclock: 1 GHz\nsms: %.0f\n", sm[SMS]);
    fprintf(to, "sm: {blocks: %.0f, warps: %.0f, threads: %.0f} # as many blocks as the hard resources allow\n", blocks,
            blocks, blocks * WARP);
    fputs("resources:\n", to);
    for (size_t i = 0; i < sm_resources(conf); i++)
        fprintf(to, "  sm%zu: {class: %s, capacity: %.0f%s}\n", i, (double)i < sm[COMPUTE] ? "compute" : "memory",
                sm[CAPACITIES + i], (double)i < sm[HARD] ? ", hard: true" : "");
    for (size_t i = 0; i < last_row(conf, MEM)->count; i++)
        fprintf(to, "  mem%zu: {class: memory, scope: device, capacity: %.0f}\n", i, last_row(conf, MEM)->value[i]);
    fputs("---\n", to);
}

static void write_workload(const struct conf *conf, const struct row *kernel, FILE *to)
{
    const char *between = "";
    fprintf(to, "workload: k%zu\nkernels: [{name: k, blocks: %.0f, threads: %d, block_time: %.0f us, demand: {",
            kernel->count, kernel->value[BLOCKS], WARP, kernel->value[BLOCK_TIME]);
    for (size_t i = 0, n_sm = sm_resources(conf); i < n_sm + last_row(conf, MEM)->count; i++) {
        double demand = kernel->value[DEMANDS + i];
        if (demand > 0)
            fprintf(to, "%s%s%zu: %.0f", between, i < n_sm ? "sm" : "mem", i < n_sm ? i : i - n_sm, demand);
        between = demand > 0 ? ", " : between;
    }
    fputs("}}]\n---\n", to);
}

static void write_curves(const struct conf *conf, enum section section, const char *name, size_t columns, FILE *to)
{
    const struct table *table = &conf->table[section];
    for (size_t i = 0; i < columns && table->rows; i++) {
        fprintf(to, "    %s%zu: [", name, i);
        for (size_t row = 0; row < table->rows; row++)
            fprintf(to, "%s[%.9g, %.9g]", row ? ", " : "", table->row[row].value[0], table->row[row].value[1 + i]);
        fputs("]\n", to);
    }
}

/* Kernels of one shape share the workload of the first of them, whose number, from 1, `count` then is. */
static void share_workloads(struct conf *conf)
{
    struct sms__string_pool shapes = {.arena = conf->arena};
    for (size_t k = 0; k < conf->table[KERNEL].rows; k++) {
        struct row *kernel = &conf->table[KERNEL].row[k];
        const double *shape = kernel->value + BLOCKS;
        struct sms__pooled_string *first =
            sms__intern(&shapes, (const char *)shape, sizeof kernel->value - BLOCKS * sizeof *shape);
        first->value = first->value ? first->value : k + 1;
        kernel->count = first->value;
    }
}

static void write_scenario(const struct conf *conf, const char *name, FILE *to)
{
    fprintf(to, "scenario: %s\ndevices: [{model: gpu}]\ncontention:\n  model: curve\n  curves:\n", name);
    write_curves(conf, OVERHEAD_SM, "sm", sm_resources(conf), to);
    write_curves(conf, OVERHEAD_MEM, "mem", last_row(conf, MEM)->count, to);
    fputs("queue: fifo\npolicies: [round_robin, round_robin_full, breadth_first, depth_first, " /* rr rrf bfa dfa */
          "{utilization_aware: {limit: 150 %}}, {fine_grained: {limit: 150 %}}]\nvms:\n",       /* smk fua */
          to);
    for (size_t k = 0; k < conf->table[KERNEL].rows; k++)
        fprintf(to, "  - {name: k%zu, workload: k%zu, start: %.0f us}\n", k + 1, conf->table[KERNEL].row[k].count,
                conf->table[KERNEL].row[k].value[START]);
    if (last_row(conf, GENERAL)->value[0] > 0)
        fprintf(to, "run: {duration: %.0f us}\n", last_row(conf, GENERAL)->value[0]);
}

static int import(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct conf conf = {.arena = arena, .errors = errors, .path = paths[0], .number = 1};
    (void)n_paths, (void)options; /* one path, as its importer says */
    int code = sms__file_text(arena, paths[0], &conf.text, errors);
    if (code)
        return code;
    read_lines(&conf);
    if (!errors->count)
        drop_late(&conf);
    if (errors->count)
        return SMS_EINPUT;
    share_workloads(&conf);
    fprintf(to, "# A configuration of simtbs, imported by 'smsched import simtbs'. A tick is 1 us.\n");
    write_device(&conf, to);
    for (size_t k = 0; k < conf.table[KERNEL].rows; k++)
        if (conf.table[KERNEL].row[k].count == k + 1)
            write_workload(&conf, &conf.table[KERNEL].row[k], to);
    write_scenario(&conf, sms__import_name(arena, paths[0]), to);
    return SMS_OK;
}

const struct sms__importer sms__importer_simtbs = {.name = "simtbs",
                                                   .help = "a configuration of simtbs (oslab-ewha)",
                                                   .files = "one file",
                                                   .n_files = 1,
                                                   .import = import};
