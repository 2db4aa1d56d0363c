/* Imports a configuration of simtbs (oslab-ewha): writes a device, workloads and a scenario. */
#include "../intern.h"
#include "../simtbs.h"

#include "../../base/read.h"
#include "../text.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 4096, WARP = 32 };

/* Prints the shortest text that reads back as the same float. */
static void print_float(float value, FILE *to)
{
    char text[32];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    fputs(text, to);
}

/* The most blocks that an SM can hold, given the smallest request of each scheduling resource. */
static uint64_t blocks_of_sm(const struct sms__conf *conf)
{
    uint64_t most = conf->kernels ? BLOCKS_MAX : 1;
    for (size_t i = 0; i < conf->n_sched; i++) {
        uint64_t least = UINT64_MAX;
        for (size_t k = 0; k < conf->kernels; k++)
            least = conf->kernel[k].shape.sm[i] < least ? conf->kernel[k].shape.sm[i] : least;
        if (conf->sm_max[i] / least < most)
            most = conf->sm_max[i] / least;
    }
    return most ? most : 1;
}

static void write_device(const struct sms__conf *conf, FILE *to)
{
    uint64_t blocks = blocks_of_sm(conf);
    fprintf(to, "device: gpu\nclock: 1 GHz\nsms: %llu\n", (unsigned long long)conf->sms);
    fprintf(to, "sm: {blocks: %llu, warps: %llu, threads: %llu} # as many blocks as the hard resources allow\n",
            (unsigned long long)blocks, (unsigned long long)blocks, (unsigned long long)blocks * WARP);
    fputs("resources:\n", to);
    for (size_t i = 0; i < conf->n_sm; i++)
        fprintf(to, "  sm%zu: {class: %s, capacity: %llu%s}\n", i, i < conf->n_compute ? "compute" : "memory",
                (unsigned long long)conf->sm_max[i], i < conf->n_sched ? ", hard: true" : "");
    for (size_t i = 0; i < conf->n_mem; i++)
        fprintf(to, "  mem%zu: {class: memory, scope: device, capacity: %llu}\n", i,
                (unsigned long long)conf->mem_max[i]);
    fputs("---\n", to);
}

static void write_demands(const char *name, const uint64_t *demand, size_t count, const char **between, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        if (demand[i] == 0)
            continue;
        fprintf(to, "%s%s%zu: %llu", *between, name, i, (unsigned long long)demand[i]);
        *between = ", ";
    }
}

static void write_workload(const struct sms__conf *conf, const struct sms__conf_kernel *kernel, FILE *to)
{
    const char *between = "";
    fprintf(to, "workload: k%zu\nkernels: [{name: k, blocks: %llu, threads: %d, block_time: %llu us, demand: {",
            kernel->row, (unsigned long long)kernel->shape.blocks, WARP, (unsigned long long)kernel->shape.work);
    write_demands("sm", kernel->shape.sm, conf->n_sm, &between, to);
    write_demands("mem", kernel->shape.mem, conf->n_mem, &between, to);
    fputs("}}]\n---\n", to);
}

static void write_curves(const char *name, const struct sms__conf_table *table, size_t columns, FILE *to)
{
    for (size_t i = 0; i < columns && table->rows; i++) {
        fprintf(to, "    %s%zu: [", name, i);
        for (size_t row = 0; row < table->rows; row++) {
            fputs(row ? ", [" : "[", to);
            print_float(table->row[row].value[0], to);
            fputs(", ", to);
            print_float(table->row[row].value[1 + i], to);
            fputs("]", to);
        }
        fputs("]\n", to);
    }
}

static void write_vms(const struct sms__conf *conf, FILE *to)
{
    fputs(conf->kernels ? "vms:\n" : "vms: []\n", to);
    for (size_t k = 0; k < conf->kernels; k++) {
        const struct sms__conf_kernel *kernel = &conf->kernel[k];
        fprintf(to, "  - {name: k%zu, workload: k%zu, type: %llu, start: %llu us}\n", kernel->row, kernel->workload,
                (unsigned long long)kernel->type, (unsigned long long)kernel->start);
    }
    if (conf->max)
        fprintf(to, "run: {duration: %llu us}\n", (unsigned long long)conf->max);
}

static void write_scenario(const struct sms__conf *conf, const char *name, bool sane, FILE *to)
{
    fprintf(to, "scenario: %s\n%sdevices: [{model: gpu}]\n", name, sane ? "" : "compat: simtbs\n");
    fputs("contention:\n  model: curve\n  curves:\n", to);
    write_curves("sm", &conf->overhead_sm, conf->n_sm, to);
    write_curves("mem", &conf->overhead_mem, conf->n_mem, to);
    fputs("queue: fifo\npolicies: [rr, rrf, bfa, dfa, smk, fua]\n", to);
    write_vms(conf, to);
}

static int by_start(const void *left, const void *right)
{
    const struct sms__conf_kernel *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Rows of one shape use the workload of the first of them. */
static void share_workloads(struct sms__arena *arena, struct sms__conf *conf)
{
    struct sms__string_pool shapes = {.arena = arena};
    for (size_t k = 0; k < conf->kernels; k++) {
        const struct sms__conf_kernel *kernel = &conf->kernel[k];
        struct sms__pooled_string *shape = sms__intern(&shapes, (const char *)&kernel->shape, sizeof kernel->shape);
        shape->value = shape->value && shape->value < kernel->row ? shape->value : kernel->row;
    }
    for (size_t k = 0; k < conf->kernels; k++)
        conf->kernel[k].workload =
            sms__intern(&shapes, (const char *)&conf->kernel[k].shape, sizeof conf->kernel[k].shape)->value;
}

/* Sorts kernels by start and drops those that would start after the end of the run. */
static void make_sane(struct sms__conf *conf)
{
    if (conf->kernels)
        qsort(conf->kernel, conf->kernels, sizeof *conf->kernel, by_start);
    while (conf->max && conf->kernels && conf->kernel[conf->kernels - 1].start >= conf->max)
        conf->kernels--;
}

static int import(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct sms__conf conf = {0};
    const char *text, *path = paths[0], *name = sms__import_name(arena, path);
    (void)n_paths; /* one, as its importer says */
    int code = sms__file_text(arena, path, &text, errors);
    if (code)
        return code;
    sms__conf_read(arena, path, text, options, &conf, errors);
    if (errors->count)
        return SMS_EINPUT;
    size_t rows = conf.kernels;
    if (options->sane)
        make_sane(&conf);
    if (options->sane && conf.kernels == 0)
        return sms__fail(errors, SMS_EINPUT, path, "no kernel starts before the end of the run");
    share_workloads(arena, &conf);
    fprintf(to, "# A configuration of simtbs, imported by 'smsched import simtbs'. A tick is 1 us.\n");
    if (conf.kernels < rows)
        fprintf(to, "# Left out: %zu kernels that start after the end of the run.\n", rows - conf.kernels);
    write_device(&conf, to);
    for (size_t k = 0; k < conf.kernels; k++)
        if (conf.kernel[k].workload == conf.kernel[k].row)
            write_workload(&conf, &conf.kernel[k], to);
    write_scenario(&conf, name, options->sane, to);
    return SMS_OK;
}

const struct sms__importer sms__import_simtbs = {.name = "simtbs",
                                                 .help = "a configuration of simtbs (oslab-ewha)",
                                                 .files = "one file",
                                                 .n_files = 1,
                                                 .import = import};
