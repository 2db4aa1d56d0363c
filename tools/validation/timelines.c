/* Experiment 2: when the second of two kernels on two streams of a V100 starts. */
#include "validate.h"

#include "../../sim/base/buffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 64 };

#define WHOSE "aoli-al/HFuse (nvprof, V100)"

struct kernel {
    char name[96];
    double blocks, threads, registers, shared;
};

/* Repeats of one pair of kernels; times in us. */
struct pair {
    struct kernel first, second;
    size_t n;
    double lasts, starts, least, most; /* sums; least and most start in percent of the first's time */
};

struct set {
    size_t n;
    struct pair pair[PAIRS];
};

/* 10000x1x1 is 10000. */
static double volume(const char *text)
{
    char *end;
    double product = strtod(text, &end);
    while (*end == 'x')
        product *= strtod(end + 1, &end);
    return product;
}

static struct kernel kernel_of(const struct table *table, size_t row)
{
    struct kernel kernel = {.blocks = volume(table_text(table, row, "grid")),
                            .threads = volume(table_text(table, row, "block")),
                            .registers = table_number(table, row, "regs_per_thread")};
    kernel.shared = table_number(table, row, "static_smem") + table_number(table, row, "dyn_smem");
    snprintf(kernel.name, sizeof kernel.name, "%s", table_text(table, row, "kernel"));
    return kernel;
}

static bool same_kernel(const struct kernel *a, const struct kernel *b)
{
    return !strcmp(a->name, b->name) && fabs(a->blocks - b->blocks) < 0.5 && fabs(a->threads - b->threads) < 0.5 &&
           fabs(a->registers - b->registers) < 0.5;
}

static struct pair *pair_of(struct set *set, const struct kernel *first, const struct kernel *second)
{
    for (size_t i = 0; i < set->n; i++)
        if (same_kernel(&set->pair[i].first, first) && same_kernel(&set->pair[i].second, second))
            return &set->pair[i];
    if (set->n == PAIRS)
        die("more than %d pairs of kernels", PAIRS);
    set->pair[set->n] = (struct pair){.first = *first, .second = *second, .least = 1e18};
    return &set->pair[set->n++];
}

static void add_repeat(struct set *set, const struct table *table, size_t row)
{
    double start = table_number(table, row, "start_ns"), lasts = table_number(table, row, "dur_ns");
    double next = table_number(table, row + 1, "start_ns");
    struct kernel first = kernel_of(table, row), second = kernel_of(table, row + 1);
    if (next >= start + lasts)
        return; /* one after the other */
    struct pair *pair = pair_of(set, &first, &second);
    double percent = 100 * (next - start) / lasts;
    pair->n++;
    pair->lasts += lasts / 1e3;
    pair->starts += (next - start) / 1e3;
    pair->least = percent < pair->least ? percent : pair->least;
    pair->most = percent > pair->most ? percent : pair->most;
}

static void write_kernel(FILE *to, const char *workload, const struct kernel *kernel, double block_time_us)
{
    fprintf(to, "workload: %s\nkernels: [{name: k, blocks: %.0f, threads: %.0f, registers: %.0f, ", workload,
            kernel->blocks, kernel->threads, kernel->registers);
    fprintf(to, "shared_memory: %.0f B, block_time: %.4f us}]\n---\n", kernel->shared, block_time_us);
}

struct seen {
    double first_end_us, second_start_us;
};

static void watch(void *user, const char *policy, const struct sms_stay *stay)
{
    struct seen *seen = user;
    double start = (double)stay->start_ps / 1e6, end = (double)stay->end_ps / 1e6;
    (void)policy;
    if (!strcmp(stay->vm, "second"))
        seen->second_start_us = fmin(seen->second_start_us, start);
    else
        seen->first_end_us = fmax(seen->first_end_us, end);
}

static struct seen simulate(const struct pair *pair, const char *policy, const char *queue, double block_time_us)
{
    struct sms__buffer text = {0};
    FILE *to = sms__buffer_open(&text);
    if (!to)
        die("out of memory");
    write_kernel(to, "first", &pair->first, block_time_us);
    write_kernel(to, "second", &pair->second, 10);
    fprintf(to,
            "scenario: s\ndevices: [{model: v100}]\npolicies: [%s]\nqueue: %s\nvms:\n"
            "  - {name: first, workload: first}\n  - {name: second, workload: second, start: 1 us}\n",
            policy, queue);
    if (!sms__buffer_close(&text, to))
        die("out of memory");
    struct seen seen = {.second_start_us = 1e18};
    struct sms_run_options options = quick();
    options.on_stay = watch;
    options.user = &seen;
    struct ran ran = run_text(text.bytes, 0, &options);
    ran_release(&ran);
    free(text.bytes);
    return seen;
}

/* Waves of the first kernel alone: its time at 1 us a block. */
static double waves_of(const struct pair *pair) { return round(simulate(pair, "leftover", "fifo", 1).first_end_us); }

/* What a kernel is called in the table; those of two names at once are HFuse's fusions of two kernels. */
static void short_name(const struct kernel *kernel, char out[32])
{
    static const char *const known[][2] = {{"upsample_bilinear2d_out_frame", "upsample"},
                                           {"batch_norm_collect_statistics_kernel", "batch_norm"},
                                           {"kernelHistogram1D", "histogram"},
                                           {"im2col_kernel", "im2col"},
                                           {"MaxPoolForward", "max_pool"},
                                           {"kernelHistogram1D_upsample_bilinear2d_out_frame_0", "fused_0"},
                                           {"kernelHistogram1D_upsample_bilinear2d_out_frame_11", "fused_11"},
                                           {"kernelHistogram1D_upsample_bilinear2d_out_frame_100", "fused_100"}};
    snprintf(out, 32, "%.31s", kernel->name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(kernel->name, known[i][0]))
            snprintf(out, 32, "%s", known[i][1]);
}

static void compare(const struct pair *pair, FILE *to, FILE *points, struct sample sample[3], struct sample *waves_off)
{
    double n = (double)pair->n, lasts = pair->lasts / n, starts = pair->starts / n, waves = waves_of(pair);
    double wave = lasts / waves, ours = simulate(pair, "leftover", "fifo", wave).second_start_us;
    double in_turn = simulate(pair, "round_robin", "interleave", wave).second_start_us;
    char first[32], second[32];
    short_name(&pair->first, first);
    short_name(&pair->second, second);
    sample_add(&sample[0], off_percent(ours, starts));
    sample_add(&sample[1], off_percent(lasts, starts));
    sample_add(&sample[2], off_percent(in_turn, starts));
    sample_add(waves_off, 100 * fabs(ours - starts) / wave);
    fprintf(to, "| %s %.0f x %.0f | %s | %zu | %.1f | %.1f | %.1f | %.1f | %.2f |\n", first, pair->first.blocks,
            pair->first.threads, second, pair->n, lasts, starts, ours, wave, (lasts - starts) / wave);
    fprintf(points, "\"%s %.0f, %s\" %g %g %g %g\n", first, pair->first.blocks, second, 100 * starts / lasts,
            pair->least, pair->most, 100 * ours / lasts);
}

/* Known from the README alone, where it is rounded to 0.1 ms: no file has its timeline. */
static const struct pair ethash = {.first = {"ethash", 8192, 128, 137, 0},
                                   .second = {"blake2b", 8192, 128, 64, 0},
                                   .n = 1,
                                   .lasts = 37300,
                                   .starts = 36600,
                                   .least = 98.12,
                                   .most = 98.12};

void timelines(struct site *site)
{
    struct table table = table_read(site, "corun/v100_two_streams_hfuse.csv");
    struct set set = {0};
    struct sample sample[3] = {{0}}, waves_off = {0};
    FILE *to = open_out(site, "timelines.md"), *points = open_out(site, "timelines.dat");
    fprintf(to, "| first kernel, blocks x threads | second | repeats | first lasts, us | second starts: measured, us | "
                "simulated, us | a wave, us | measured overlap, waves |\n|---|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t row = 1; row + 1 < table.rows; row++)
        add_repeat(&set, &table, row);
    for (size_t i = 0; i < set.n; i++)
        compare(&set.pair[i], to, points, sample, &waves_off);
    compare(&ethash, to, points, sample, &waves_off);
    fprintf(to, "\n| model | median error | maximum |\n|---|--:|--:|\n");
    static const char *const titles[3] = {"leftover (queue: fifo)", "one after the other",
                                          "blocks in turn (queue: interleave)"};
    for (int m = 0; m < 3; m++)
        fprintf(to, "| %s | %.2f %% | %.2f %% |\n", titles[m], sample_median(&sample[m]), sample_max(&sample[m]));
    fprintf(to, "| leftover, error in waves of the first kernel | %.2f waves | %.2f waves |\n",
            sample_median(&waves_off) / 100, sample_max(&waves_off) / 100);
    fclose(to);
    fclose(points);
    report(site,
           &(struct outcome){"Leftover, two streams", WHOSE, "start of the second kernel",
                             "right to about two waves; as near as one after the other", 0.8, 6},
           &sample[0]);
    for (int m = 0; m < 3; m++)
        sample_release(&sample[m]);
    sample_release(&waves_off);
    table_release(&table);
}
