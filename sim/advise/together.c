/* How much kernels slow each other under MPS. A coarse kernel has a mean demand and a mean room, and does not tell long
 * grids from short ones: in the one dispatch queue of MPS a short grid waits for a long one. So those of each way run
 * side by side on a device of its own, block by block, and each program alone on another. By so much as they take
 * longer coarse kernels then slow each other. */
#include "../base/hash.h"
#include "advise.h"

#include <math.h>
#include <string.h>

enum { MIXES = 3, BLOCKS_MOST = 2000000 };
/* A short run has this part of the time at least, so that kernels which others slow end a few times. */
static const double PART_LEAST = 0.3;

struct together {
    const struct sms__programs *programs;
    struct sms__ways *ways;
    const struct sms__advise_settings *settings;
    const struct sms_results *results;
    size_t lone; /* kernels of programs that run alone */
};

static size_t kernels_of(const struct sms__program *program)
{
    const struct sms__workload *workload;
    size_t count = 0, first;
    for (size_t i = 0; (workload = sms__workload_of(program->tenant, i, &first)); i++)
        count += workload->kernels;
    return count;
}

/* Coarse kernels have no blocks, and a program that only waits for its host has none. */
static bool lacks_blocks(const struct sms__program *program)
{
    const struct sms__workload *workload;
    bool coarse = !(program->launches > 0);
    size_t first;
    for (size_t i = 0; (workload = sms__workload_of(program->tenant, i, &first)); i++)
        for (size_t k = 0; k < workload->kernels; k++)
            coarse |= workload->kernel[k].whole;
    return coarse;
}

static size_t count_paired(const struct sms__ways *ways)
{
    size_t count = 0;
    for (size_t i = 0; i < ways->count; i++)
        count += ways->way[i].paired;
    return count;
}

/* Long enough for each kernel to run a few times, unless that takes too many blocks. */
static double duration_of(const struct together *together)
{
    const struct sms__programs *programs = together->programs;
    double longest_ps = 1, blocks_per_ps = 0;
    for (size_t p = 0; p < programs->count; p++) {
        longest_ps = fmax(longest_ps, programs->program[p].mix_ps);
        blocks_per_ps += programs->program[p].mix_blocks / fmax(programs->program[p].mix_ps, 1);
    }
    const size_t paired = count_paired(together->ways);
    const double part = paired && together->settings->part > 0 ? fmax(together->settings->part, PART_LEAST) : 1;
    return part * fmin(MIXES * longest_ps, BLOCKS_MOST / fmax(blocks_per_ps * (double)(1 + paired), 1e-12));
}

/* The programs that run side by side, in any order. */
static uint64_t hash_mix(const struct sms__programs *programs, const struct sms__way *way)
{
    uint64_t sum = 0;
    for (size_t p = 0; p < programs->count; p++) {
        const char *name = programs->program[p].name;
        if (way->copies[p])
            sum += sms__hash(sms__hash_text(way->above == p + 1, name, strlen(name)), way->copies[p]);
    }
    return sum;
}

/* Where it begins in a job is drawn by its name. That is of what runs there, and not of its place in the list, so that
 * neither the order of programs nor other ways change the draw. */
static void write_process(const struct sms__program *program, bool above, uint64_t mix, uint64_t copy, size_t device,
                          FILE *to)
{
    const uint64_t name = sms__hash_text(mix, program->name, strlen(program->name));
    fprintf(to, "  - {name: p%llx-%llu, repeat: forever, device: %zu, priority: %d, ", (unsigned long long)name,
            (unsigned long long)copy, device, above);
    sms__write_work(program, to);
    fputs("}\n", to);
}

static void write_scenario(const struct together *together, FILE *to)
{
    const struct sms__programs *programs = together->programs;
    size_t lone = 0, device = 0;
    for (size_t p = 0; p < programs->count; p++)
        device += !programs->program[p].lone;
    fprintf(to, "scenario: together\ndevices: [{model: '%s', count: %zu}]\n", together->settings->device,
            device + count_paired(together->ways));
    fprintf(to, "policies: [{mode: mps}]\nrun: {duration: %.9g us, seed: %llu}\n", duration_of(together) / 1e6,
            (unsigned long long)together->settings->seed);
    fputs("processes:\n", to);
    for (size_t p = 0; p < programs->count; p++)
        if (!programs->program[p].lone)
            write_process(&programs->program[p], false, 0, 0, lone++, to);
    for (size_t i = 0; i < together->ways->count; i++) {
        const struct sms__way *way = &together->ways->way[i];
        const uint64_t mix = hash_mix(programs, way);
        for (size_t p = 0; p < programs->count && way->paired; p++)
            for (uint64_t copy = 0; copy < way->copies[p]; copy++)
                write_process(&programs->program[p], way->above == p + 1, mix, copy, device, to);
        device += way->paired;
    }
}

/* ---- what came of it ---- */

static double value(const struct together *together, size_t kernel, const char *metric)
{
    return sms_results_value(together->results, 0, 0, SMS_KERNEL, kernel, (size_t)sms_metric_index(SMS_KERNEL, metric));
}

static void keep_lone(struct sms__arena *arena, struct together *together)
{
    for (size_t p = 0; p < together->programs->count; p++) {
        struct sms__program *program = &together->programs->program[p];
        const size_t kernels = kernels_of(program);
        struct sms__lone *lone = SMS__NEW(arena, struct sms__lone, kernels);
        if (program->lone)
            continue;
        for (size_t k = 0; k < kernels; k++, together->lone++) {
            lone[k].ns = value(together, together->lone, "latency_mean_ns");
            lone[k].per_s = value(together, together->lone, "kernels_per_s");
        }
        program->lone = lone;
    }
}

/* Adds by which times the kernels of program p took longer in the process of the way that has them from `first` on than
 * alone. Kernels count as often as they were launched alone. NAN: none of them ended in the time. */
static void add_slowdown(const struct together *together, struct sms__way *way, size_t p, size_t first)
{
    const struct sms__program *program = &together->programs->program[p];
    double alone_ns = 0, beside_ns = 0;
    for (size_t k = 0; k < kernels_of(program); k++) {
        const double one = program->lone[k].ns, two = value(together, first + k, "latency_mean_ns");
        const double times = isnan(one) || isnan(two) ? 0 : program->lone[k].per_s;
        alone_ns += times > 0 ? times * one : 0;
        beside_ns += times > 0 ? times * two : 0;
    }
    way->slow[p] += (alone_ns > 0 ? fmax(beside_ns / alone_ns, 1) : NAN) / (double)way->copies[p];
}

static void find_slowdowns(struct sms__arena *arena, const struct together *together)
{
    const struct sms__programs *programs = together->programs;
    size_t kernel = together->lone;
    for (size_t i = 0; i < together->ways->count; i++) {
        struct sms__way *way = &together->ways->way[i];
        const bool paired = way->paired;
        way->slow = SMS__NEW(arena, double, programs->count);
        for (size_t p = 0; p < programs->count && paired; p++) {
            for (uint64_t copy = 0; copy < way->copies[p]; copy++, kernel += kernels_of(&programs->program[p]))
                add_slowdown(together, way, p, kernel);
            way->paired &= !isnan(way->slow[p]);
        }
    }
}

static int run(const struct together *together, const struct sms__buffer *workloads, struct sms_file **file,
               struct sms_results **results, struct sms_errors *errors)
{
    struct sms__buffer text = {0};
    FILE *to = sms__made_begin(&text, workloads);
    if (to)
        write_scenario(together, to);
    return sms__made_run("together", &text, to, together->settings, file, results, errors);
}

/* Takes out ways of which it is not known what it means that one program goes first. */
static void drop_untold(struct sms__ways *ways)
{
    size_t kept = 0;
    for (size_t i = 0; i < ways->count; i++)
        if (!ways->way[i].above || ways->way[i].paired)
            ways->way[kept++] = ways->way[i];
    ways->drops_priorities = kept < ways->count;
    ways->count = kept;
}

int sms__measure_together(struct sms__arena *arena, const struct sms__programs *programs, struct sms__ways *ways,
                          const struct sms__buffer *text, const struct sms__advise_settings *settings,
                          struct sms_errors *errors)
{
    struct together together = {.programs = programs, .ways = ways, .settings = settings};
    struct sms_file *file = NULL;
    struct sms_results *results = NULL;
    bool lacks = false;
    for (size_t p = 0; p < programs->count; p++)
        lacks |= lacks_blocks(&programs->program[p]);
    for (size_t i = 0; i < ways->count && lacks; i++)
        ways->way[i].paired = false;
    int code = SMS_OK;
    if (!lacks && (count_paired(ways) || (settings->packed && !programs->program[0].lone)))
        code = run(&together, text, &file, &results, errors);
    together.results = results;
    if (code == SMS_OK && results) {
        keep_lone(arena, &together);
        find_slowdowns(arena, &together);
    }
    drop_untold(ways);
    sms_results_free(results);
    sms_file_free(file);
    return code;
}
