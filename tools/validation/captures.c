/* Captures of tools/capture: each pair's slowdown predicted and measured, and where blocks went. */
#include "captures.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 4, POLICIES = 4, NAIVE = 2 };

/* The first is reported; the last two are not simulated. */
static const char *const models[MODELS] = {"proportional", "maxmin", "none", "time sharing"};
static const char *const policies[POLICIES] = {"breadth_first", "most_room", "depth_first", "leftover"};

struct errors_of {
    struct sample sample[MODELS];
};

/* How much later the second launch of a pair began, the median of the repetitions. */
static double skew_of(const struct capture *capture, const struct capture_launch *first)
{
    struct sample sample = {0};
    for (size_t i = 0; i + 1 < capture->n; i++) {
        const struct capture_launch *a = &capture->launch[i], *b = a + 1;
        if (a->kind == PAIR && a->slot == 0 && b->slot == 1 && capture_same_block(a, first) &&
            capture_same_block(b, first + 1) && a->blocks == first->blocks && b->blocks == first[1].blocks)
            sample_add(&sample, (double)b->begin_ns - (double)a->begin_ns);
    }
    double skew = sample_median(&sample);
    sample_release(&sample);
    return skew;
}

/* A pair's slowdowns by a contention model: simulated together over simulated alone. */
static void predict(const struct capture *capture, const struct capture_launch *pair, const char *contention,
                    double slowdown[2])
{
    const struct capture_launch *both[2] = {pair, pair + 1};
    struct capture_simulated together = {{0}, NULL}, alone = {{0}, NULL};
    capture_simulate(capture, both, 2, skew_of(capture, pair), "most_room", contention, &together);
    for (size_t i = 0; i < 2; i++) {
        capture_simulate(capture, &both[i], 1, 0, "most_room", contention, &alone);
        slowdown[i] = together.lasts_ns[i] / alone.lasts_ns[0];
    }
}

/* As if each had the GPU for half of the time while both are there. */
static void share_time(const double alone_ns[2], double slowdown[2])
{
    double shorter = fmin(alone_ns[0], alone_ns[1]);
    for (size_t i = 0; i < 2; i++)
        slowdown[i] = 1 + shorter / alone_ns[i];
}

static void compare_pair(const struct capture *capture, const struct capture_launch *pair, FILE *to, FILE *points,
                         struct errors_of *errors)
{
    double measured[2], alone[2], ours[MODELS][2];
    for (size_t i = 0; i < 2; i++) {
        alone[i] = capture_lasts_ns(capture, ALONE, &pair[i], NULL);
        if (!(alone[i] > 0))
            die("%s: a pair has %s at %d %%, which was not run alone", capture->folder,
                capture_kernel_names[pair[i].kernel], (int)pair[i].intensity_percent);
        measured[i] = capture_lasts_ns(capture, PAIR, &pair[i], &pair[1 - i]) / alone[i];
    }
    for (int m = 0; m <= NAIVE; m++)
        predict(capture, pair, models[m], ours[m]);
    share_time(alone, ours[MODELS - 1]);
    fprintf(to, "| %s, %s | %d %% | %.3f / %.3f", capture_kernel_names[pair[0].kernel],
            capture_kernel_names[pair[1].kernel], (int)pair[0].intensity_percent, measured[0], measured[1]);
    for (int m = 0; m < MODELS; m++)
        fprintf(to, " | %.3f / %.3f", ours[m][0], ours[m][1]);
    fprintf(to, " |\n");
    for (size_t i = 0; i < 2; i++) {
        fprintf(points, "%g %g %g\n", measured[i], ours[0][i], ours[1][i]);
        for (int m = 0; m < MODELS; m++)
            sample_add(&errors->sample[m], off_percent(ours[m][i], measured[i]));
    }
}

/* Whether an earlier pair has the same two shapes. */
static bool is_repeated(const struct capture *capture, const struct capture_launch *pair)
{
    for (const struct capture_launch *p = capture->launch; p < pair; p++)
        if (p->kind == PAIR && p->slot == 0 && capture_same_block(p, pair) && capture_same_block(p + 1, pair + 1) &&
            p->blocks == pair->blocks && p[1].blocks == pair[1].blocks)
            return true;
    return false;
}

static void compare_pairs(struct site *site, const struct capture *capture, FILE *to, FILE *points)
{
    struct errors_of errors = {{{0}}};
    fprintf(to, "\n| pair | intensity | slowdown measured | `proportional` | `maxmin` | `none` | time sharing |\n"
                "|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i + 1 < capture->n; i++)
        if (capture->launch[i].kind == PAIR && capture->launch[i].slot == 0 && capture->launch[i + 1].slot == 1 &&
            !is_repeated(capture, &capture->launch[i]))
            compare_pair(capture, &capture->launch[i], to, points, &errors);
    fprintf(points, "\n\n");
    if (!errors.sample[0].n)
        die("%s: no pairs", capture->folder);
    fprintf(to, "\n| model | values | median error | maximum |\n|---|--:|--:|--:|\n");
    for (int m = 0; m < MODELS; m++)
        fprintf(to, "| %s | %zu | %.1f %% | %.1f %% |\n", models[m], errors.sample[m].n,
                sample_median(&errors.sample[m]), sample_max(&errors.sample[m]));
    report(site,
           &(struct outcome){"Pairs of microbenchmarks, `proportional`", capture->device, "slowdown of a launch",
                             "see the section", INFINITY, INFINITY},
           &errors.sample[0]);
    for (int m = 0; m < MODELS; m++)
        sample_release(&errors.sample[m]);
}

/* Numbers SMs by their first appearance: what is left is the order, whatever the hardware calls them. */
static void renumber(long *sm, size_t blocks, size_t sms)
{
    long *name = grow(NULL, sms * sizeof *name), next = 0;
    for (size_t i = 0; i < sms; i++)
        name[i] = -1;
    for (size_t i = 0; i < blocks; i++) {
        if (sm[i] < 0)
            continue;
        if (name[sm[i]] < 0)
            name[sm[i]] = next++;
        sm[i] = name[sm[i]];
    }
    free(name);
}

struct placed {
    size_t launches, blocks, same, same_order;
};

static size_t equal(const long *a, const long *b, size_t n)
{
    size_t same = 0;
    for (size_t i = 0; i < n; i++)
        same += a[i] == b[i];
    return same;
}

static void compare_launch(const struct capture *capture, const struct capture_launch *launch, const char *policy,
                           struct placed *placed)
{
    long *ours = grow(NULL, launch->blocks * sizeof *ours), *theirs = grow(NULL, launch->blocks * sizeof *theirs);
    for (size_t i = 0; i < launch->blocks; i++) {
        ours[i] = -1;
        theirs[i] = (long)launch->block[i].sm;
    }
    struct capture_simulated simulated = {{0}, ours};
    capture_simulate(capture, &launch, 1, 0, policy, "none", &simulated);
    placed->launches++;
    placed->blocks += launch->blocks;
    placed->same += equal(ours, theirs, launch->blocks);
    renumber(ours, launch->blocks, capture->sms);
    renumber(theirs, launch->blocks, capture->sms);
    placed->same_order += equal(ours, theirs, launch->blocks);
    free(ours);
    free(theirs);
}

/* Launches alone that the GPU holds at once: what comes later goes where a block happens to end. */
static void compare_placement(const struct capture *capture, FILE *to)
{
    fprintf(to, "\n| policy | launches | blocks | on the very SM | on that SM, but for the names of SMs |\n"
                "|---|--:|--:|--:|--:|\n");
    for (int p = 0; p < POLICIES; p++) {
        struct placed placed = {0};
        for (size_t i = 0; i < capture->n; i++) {
            const struct capture_launch *launch = &capture->launch[i];
            if (launch->kind == ALONE && launch->blocks <= launch->resident * capture->sms)
                compare_launch(capture, launch, policies[p], &placed);
        }
        double n = (double)placed.blocks / 100;
        fprintf(to, "| %s | %zu | %zu | %.1f %% | %.1f %% |\n", policies[p], placed.launches, placed.blocks,
                n > 0 ? (double)placed.same / n : 0, n > 0 ? (double)placed.same_order / n : 0);
    }
}

/* The launch alone is checked too: it is made of single blocks. */
static void compare_alone(const struct capture *capture, FILE *to)
{
    struct sample sample = {0};
    for (size_t i = 0; i < capture->n; i++) {
        const struct capture_launch *launch = &capture->launch[i];
        if (launch->kind != ALONE || launch->repetition)
            continue;
        struct capture_simulated simulated = {{0}, NULL};
        capture_simulate(capture, &launch, 1, 0, "most_room", models[0], &simulated);
        sample_add(&sample, off_percent(simulated.lasts_ns[0], capture_lasts_ns(capture, ALONE, launch, NULL)));
    }
    if (!sample.n)
        die("%s: no launches alone", capture->folder);
    double median = sample_median(&sample);
    fprintf(to, "\nLaunches alone, predicted from one block: %zu, median error %.1f %%, maximum %.1f %%.\n", sample.n,
            median, sample_max(&sample));
    sample_release(&sample);
}

static void compare_capture(struct site *site, const char *folder, bool synthetic, FILE *to, FILE *points)
{
    struct sms__arena arena = {0};
    struct sms_errors errors = {0};
    struct capture capture;
    if (capture_read(&arena, folder, &capture, &errors)) {
        sms_errors_print(&errors, stderr);
        exit(3);
    }
    if (!synthetic && strcmp(capture.origin, "measured"))
        die("%s: its origin is '%s'; only what was measured belongs here", folder, capture.origin);
    fprintf(to, "**%s**, %s, captured %s (%s, driver %s, %llu SMs).\n", capture.device,
            !strcmp(capture.sharing, "mps") ? "two processes under MPS" : "two streams", capture.date, capture.origin,
            capture.driver ? capture.driver : "unknown", (unsigned long long)capture.sms);
    compare_alone(&capture, to);
    compare_pairs(site, &capture, to, points);
    compare_placement(&capture, to);
    fprintf(to, "\n");
    sms__arena_release(&arena);
}

static void find(const char *folder, glob_t *found)
{
    static const char *const below[] = {"", "/*", "/*/*", "/*/*/*"};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        char pattern[4096];
        snprintf(pattern, sizeof pattern, "%s%s/launches.csv", folder, below[i]);
        int code = glob(pattern, i ? GLOB_APPEND : 0, NULL, found);
        if (code && code != GLOB_NOMATCH)
            die("cannot look into %s", folder);
    }
}

void captures(struct site *site, const char *folder, bool synthetic)
{
    glob_t found = {0};
    FILE *to = open_out(site, "captures.md"), *points = NULL;
    find(folder, &found);
    if (!found.gl_pathc)
        fprintf(to, "**There are no captures yet**: nothing of this section has been compared with a GPU.\n");
    else
        points = open_out(site, "captures.dat");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        *strrchr(found.gl_pathv[i], '/') = '\0';
        compare_capture(site, found.gl_pathv[i], synthetic, to, points);
    }
    if (points) {
        fprintf(to, "![Slowdown of pairs, predicted and measured](figures/validation-captures.svg)\n");
        fclose(points);
    }
    fclose(to);
    globfree(&found);
}
