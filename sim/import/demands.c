/* Joins the kernels of a trace with measured ones, by name and geometry, or with the nearest of the library. */
#include "demands.h"

#include "derive.h"
#include "intern.h"
#include "text.h"
#include "trace_read.h"

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <string.h>

enum { KNOWN_MAX = 4096, NAMED_MAX = 6, WORD_LEAST = 4 };

/* How well a known kernel fits a launch, from the worst. */
enum fit { UNKNOWN, BY_WORDS, BASE_NEAR, NAME_NEAR, BASE_EXACT, NAME_EXACT, FITS };

struct known {
    const char *name, *base; /* normal(); without namespaces and template, in lower case */
    const char *from;        /* for the user */
    uint64_t grid[3], block[3];
    double threads; /* of the grid */
    struct sms__profile_metric *metric;
    size_t metrics;
};

struct match {
    const struct known *known;
    enum fit fit;
};

struct joining {
    struct sms__arena *arena;
    struct sms__profile *profile;
    const struct sms_load_options *load;
    struct sms_errors *errors;
    struct known *known;
    size_t count;
    bool library;
    struct sms__string_pool found; /* matches by kernel and geometry */
    double seconds[FITS];
    size_t kernels[FITS];
    size_t named;
    const char *names;
};

static const char *skip(const char *text, const char *part)
{
    size_t length = strlen(part);
    return strncmp(text, part, length) ? text : text + length;
}

/* After a cast such as "(int)" of a template's argument, which some versions of the tools write. */
static const char *skip_cast(const char *text)
{
    size_t length = strcspn(text, ")");
    bool cast = *text == '(' && text[length] && (isdigit((unsigned char)text[length + 1]) || text[length + 1] == '-');
    return cast ? text + length + 1 : text;
}

/* A kernel's name without spaces, return type, unnamed namespaces, casts and arguments. */
static char *normal(struct sms__arena *arena, const char *symbol)
{
    char *name = sms__copy(arena, symbol, strlen(symbol)), *to = name;
    int depth = 0;
    for (const char *c = skip(symbol, "void "); *c;) {
        const char *next = skip(skip(skip_cast(c), "(anonymous namespace)::"), "<unnamed>::");
        if (next != c) {
            c = next;
            continue;
        }
        if (*c == '(' && depth == 0 && to > name)
            break;
        depth += (*c == '<') - (*c == '>');
        if (!isspace((unsigned char)*c))
            *to++ = *c;
        c++;
    }
    *to = '\0';
    return name;
}

static const char *base_of(struct sms__arena *arena, const char *name)
{
    char *base = sms__copy(arena, name, strcspn(name, "<"));
    for (char *c = base; *c; c++)
        if (c[0] == ':' && c[1] == ':')
            base = c + 2;
    for (char *c = base; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return base;
}

static double threads_of(const uint64_t grid[3], const uint64_t block[3])
{
    double threads = 1;
    for (int i = 0; i < 3; i++)
        threads *= fmax((double)grid[i], 1) * fmax((double)block[i], 1);
    return threads;
}

static struct known *add_known(struct joining *joining, const char *symbol)
{
    if (joining->count == KNOWN_MAX)
        return NULL;
    struct known *known = SMS__APPEND(joining->arena, joining->known, joining->count);
    known->name = normal(joining->arena, symbol);
    known->base = base_of(joining->arena, known->name);
    known->from = sms__derive_text(joining->arena, known->name, 60);
    return known;
}

static int read_counters(struct joining *joining, const char *path)
{
    struct sms__profile counters = {.tool = "ncu", .most = joining->profile->most};
    size_t i = 0;
    while (strcmp(sms__importers[i]->name, "ncu") != 0)
        i++;
    int code = sms__importers[i]->read(joining->arena, &path, 1, &counters, joining->errors);
    for (size_t l = 0; code == SMS_OK && l < counters.launches; l++) {
        const struct sms__profile_launch *launch = &counters.launch[l];
        struct known *known = launch->kernel && launch->metrics ? add_known(joining, launch->kernel) : NULL;
        if (!known)
            continue;
        memcpy(known->grid, launch->grid, sizeof known->grid);
        memcpy(known->block, launch->block, sizeof known->block);
        known->threads = threads_of(launch->grid, launch->block);
        known->metric = launch->metric;
        known->metrics = launch->metrics;
    }
    return code;
}

/* The usage of a kernel of the library, as metrics of Nsight Compute. */
static void add_usage(struct joining *joining, const struct sms__device *device, const struct sms__workload *workload,
                      const struct sms__kernel *kernel)
{
    static const char *const metric_of[][2] = {{"fp32", "sm__inst_executed_pipe_fma"},
                                               {"fp64", "sm__inst_executed_pipe_fp64"},
                                               {"int", "sm__inst_executed_pipe_alu"},
                                               {"sfu", "sm__inst_executed_pipe_xu"},
                                               {"issue", "sm__inst_issued"},
                                               {"tensor", "sm__inst_executed_pipe_tensor"},
                                               {"l1", "l1tex__throughput"},
                                               {"l2", "lts__throughput"},
                                               {"dram", "dram__throughput"},
                                               {"shared", "l1tex__data_pipe_lsu_wavefronts_mem_shared"}};
    struct sms__class use;
    if (kernel->whole || kernel->demands == 0 || !sms__derive_class(joining->arena, device, kernel, &use))
        return;
    struct known *known = add_known(joining, kernel->name);
    if (!known)
        return;
    known->from = sms__print(joining->arena, "%.60s of %.60s", known->from, workload->name);
    known->threads = (double)kernel->blocks * (double)kernel->threads;
    known->metric = SMS__NEW(joining->arena, struct sms__profile_metric, sizeof metric_of / sizeof *metric_of);
    for (size_t m = 0; m < sizeof metric_of / sizeof *metric_of; m++)
        for (size_t r = 0; r < device->resources; r++)
            if (!strcmp(device->resource[r].name, metric_of[m][0]) && use.use[r] > 0)
                known->metric[known->metrics++] = (struct sms__profile_metric){
                    .name = sms__print(joining->arena, "%s.avg.pct_of_peak_sustained_elapsed", metric_of[m][1]),
                    .unit = "%",
                    .mean = 100 * fmin(use.use[r], 1)};
}

/* Adds the measured kernels of a file of the library; one that does not load has none. */
static void read_workloads(struct joining *joining, const char *path)
{
    struct sms_errors ignored = {0};
    struct sms_file *file = NULL, *device_file = NULL;
    const struct sms__device *device = NULL;
    int code = sms_file_load(path, joining->load, &file, &ignored);
    for (size_t w = 0; code == SMS_OK && w < file->workloads; w++) {
        const struct sms__workload *workload = file->workload[w];
        if (workload->fitted || !*workload->device ||
            (!device && sms__derive_device(workload->device, joining->load, &device_file, &device, &ignored)))
            continue;
        for (size_t k = 0; k < workload->kernels && !strcmp(device->name, workload->device); k++)
            add_usage(joining, device, workload, &workload->kernel[k]);
    }
    sms_file_free(device_file);
    sms_file_free(file);
}

static void read_library(struct joining *joining)
{
    char installed[SMS__MODELS_BYTES];
    const char *folder[2];
    sms__model_folders(joining->load, installed, folder);
    for (size_t f = 0; f < 2; f++) {
        glob_t files = {0};
        int code =
            folder[f] ? glob(sms__print(joining->arena, "%s/workloads/*/*.yaml", folder[f]), 0, NULL, &files) : 0;
        for (size_t i = 0; code == 0 && i < files.gl_pathc; i++)
            read_workloads(joining, files.gl_pathv[i]);
        globfree(&files);
        if (code == GLOB_NOSPACE)
            sms__arena_give_up(joining->arena);
    }
}

static bool says_something(const char *word)
{
    static const char *const none[] = {"kernel", "device", "cuda", "float", "half", "double"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (!strcmp(none[i], word))
            return false;
    return strlen(word) >= WORD_LEAST;
}

/* The letters of words of `known` that are in `base`. */
static size_t shared_letters(const char *known, const char *base)
{
    size_t sum = 0;
    while (*known) {
        size_t length = 0;
        char word[64];
        while (isalpha((unsigned char)known[length]) && length < sizeof word - 1)
            length++;
        memcpy(word, known, length);
        word[length] = '\0';
        if (says_something(word) && strstr(base, word))
            sum += length;
        known += length ? length : 1;
    }
    return sum;
}

static enum fit fit_of(const struct known *known, const char *name, const char *base,
                       const struct sms__profile_launch *launch)
{
    bool same_name = !strcmp(known->name, name);
    if (!same_name && strcmp(known->base, base) != 0)
        return UNKNOWN;
    bool exact = threads_of(known->grid, known->block) == threads_of(launch->grid, launch->block) &&
                 threads_of(known->block, known->block) == threads_of(launch->block, launch->block);
    return exact ? same_name ? NAME_EXACT : BASE_EXACT : same_name ? NAME_NEAR : BASE_NEAR;
}

static struct match find_match(const struct joining *joining, const struct sms__profile_launch *launch)
{
    const char *name = normal(joining->arena, launch->kernel), *base = base_of(joining->arena, name), *words = base;
    if (!strncmp(base, "kernel", 6)) /* "cutlass::Kernel<..._s1688gemm_64x64_...>" */
        words = name;
    double threads = threads_of(launch->grid, launch->block), least = INFINITY;
    size_t most = 0;
    struct match best = {NULL, UNKNOWN};
    for (size_t k = 0; k < joining->count; k++) {
        const struct known *known = &joining->known[k];
        size_t letters = joining->library && !sms__trace_is_collective(name) ? shared_letters(known->base, words) : 0;
        enum fit fit = !joining->library ? fit_of(known, name, base, launch) : letters ? BY_WORDS : UNKNOWN;
        double far = fabs(log(known->threads / threads));
        if (fit == UNKNOWN || fit < best.fit ||
            (fit == best.fit && (letters < most || (letters == most && far >= least))))
            continue;
        best = (struct match){known, fit};
        most = letters;
        least = far;
    }
    return best;
}

/* Names a kernel that takes the metrics of another one. */
static void name_match(struct joining *joining, const struct match *match, const struct sms__profile_launch *launch)
{
    if (match->fit == UNKNOWN || match->fit >= BASE_EXACT || joining->named++ >= NAMED_MAX)
        return;
    const char *name =
        sms__derive_text(joining->arena, base_of(joining->arena, normal(joining->arena, launch->kernel)), 60);
    joining->names = sms__print(joining->arena, "%s%s%s of %.0f threads from %s of %.0f", joining->names,
                                *joining->names ? "; " : "", name, threads_of(launch->grid, launch->block),
                                match->known->from, match->known->threads);
}

static void join_launch(struct joining *joining, struct sms__profile_launch *launch)
{
    char key[160];
    int length = snprintf(key, sizeof key, "%p %.0f %.0f", (const void *)launch->kernel,
                          threads_of(launch->grid, launch->block), threads_of(launch->block, launch->block));
    struct sms__pooled_string *entry = sms__intern(&joining->found, key, (size_t)length);
    struct match *match = entry->data;
    if (!match) {
        entry->data = match = SMS__NEW(joining->arena, struct match, 1);
        *match = find_match(joining, launch);
        name_match(joining, match, launch);
        joining->kernels[match->fit]++;
    }
    joining->seconds[match->fit] += launch->duration_s;
    if (match->known) {
        launch->metric = match->known->metric;
        launch->metrics = match->known->metrics;
    }
}

/* "3 kernels (40.0 % of kernel time) by ..." */
static const char *share(const struct joining *joining, enum fit from, enum fit to, double all, const char *how)
{
    double seconds = 0;
    size_t kernels = 0;
    for (enum fit fit = from; fit <= to; fit++) {
        seconds += joining->seconds[fit];
        kernels += joining->kernels[fit];
    }
    return sms__print(joining->arena, "%zu kernels (%.1f %% of kernel time) %s", kernels, 100 * seconds / all, how);
}

static void add_facts(const struct joining *joining, const char *with)
{
    struct sms__profile *profile = joining->profile;
    const char **fact = SMS__NEW(joining->arena, const char *, profile->facts + 2);
    double all = 0;
    memcpy(fact, profile->fact, profile->facts * sizeof *fact);
    for (int f = 0; f < FITS; f++)
        all += joining->seconds[f];
    const char *near = joining->library
                           ? share(joining, BY_WORDS, BY_WORDS, all, "from the nearest name")
                           : share(joining, BASE_NEAR, NAME_NEAR, all, "from the nearest geometry of the name"),
               *exact = joining->library ? "" : share(joining, BASE_EXACT, NAME_EXACT, all, "by name and geometry, ");
    fact[profile->facts++] =
        sms__print(joining->arena, "demands from %s: %s%s, %s", sms__derive_text(joining->arena, with, 80), exact, near,
                   share(joining, UNKNOWN, UNKNOWN, all, "unknown"));
    if (joining->named)
        fact[profile->facts++] = sms__print(joining->arena, "taken from others: %s%s", joining->names,
                                            joining->named > NAMED_MAX ? "; and more" : "");
    profile->fact = fact;
    profile->demands = true;
}

int sms__demands_join(struct sms__arena *arena, struct sms__profile *profile, const char *with,
                      const struct sms_load_options *load, struct sms_errors *errors)
{
    struct joining joining = {.arena = arena,
                              .profile = profile,
                              .load = load,
                              .errors = errors,
                              .library = !strcmp(with, "library"),
                              .found = {.arena = arena},
                              .names = ""};
    int code = SMS_OK;
    if (joining.library)
        read_library(&joining);
    else
        code = read_counters(&joining, with);
    for (size_t l = 0; code == SMS_OK && l < profile->launches; l++)
        join_launch(&joining, &profile->launch[l]);
    if (code == SMS_OK)
        add_facts(&joining, with);
    return code;
}
