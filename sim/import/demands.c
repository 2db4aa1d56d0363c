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

enum { KNOWN_MAX = 4096, NAMED_MAX = 6 };

/* How well a known kernel fits a launch, from the worst. */
enum fit { UNKNOWN, BY_OPERATION, BY_NAME, BASE_NEAR, NAME_NEAR, BASE_EXACT, NAME_EXACT, FITS };

struct known {
    const char *name, *base; /* normal(); without namespaces and template, in lower case */
    const char *from;        /* for the user */
    const char *operation;   /* of the library's; NULL: unknown */
    bool tensor;             /* it uses the tensor units */
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

/* What a kernel computes, by the words of its name; the first that is found counts. Words that any kernel may have,
 * such as "kernel", "compute", "copy" and "block", say nothing. */
static const struct {
    const char *word, *operation;
} operations[] = {{"attention", "attention"},
                  {"fmha", "attention"},
                  {"flash_fwd", "attention"},
                  {"flash_bwd", "attention"},
                  {"softmax", "softmax"},
                  {"layernorm", "normalization"},
                  {"layer_norm", "normalization"},
                  {"batchnorm", "normalization"},
                  {"batch_norm", "normalization"},
                  {"rmsnorm", "normalization"},
                  {"bn_fw", "normalization"},
                  {"bn_bw", "normalization"},
                  {"pooling", "pooling"},
                  {"pool2d", "pooling"},
                  {"max_pool", "pooling"},
                  {"avg_pool", "pooling"},
                  {"fprop", "convolution"},
                  {"dgrad", "convolution"},
                  {"wgrad", "convolution"},
                  {"winograd", "convolution"},
                  {"convolution", "convolution"},
                  {"convolve", "convolution"},
                  {"conv1d", "convolution"},
                  {"conv2d", "convolution"},
                  {"conv3d", "convolution"},
                  {"splitkreduce", "reduction"},
                  {"gemv", "gemv"},
                  {"gemm", "gemm"},
                  {"matmul", "gemm"},
                  {"matrixmul", "gemm"},
                  {"reduce", "reduction"},
                  {"reduction", "reduction"},
                  {"elementwise", "elementwise"},
                  {"vectoradd", "elementwise"},
                  {"axpy", "elementwise"},
                  {"transpose", "transposition"},
                  {"sort", "sort"},
                  {"histogram", "histogram"},
                  {"fft", "fft"},
                  {"spmv", "spmv"},
                  {"stencil", "stencil"}};

static const char *operation_of(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strstr(name, operations[i].word))
            return operations[i].operation;
    return NULL;
}

/* Whether a kernel of this name in lower case computes with tensor units, which kernels of the same operation may do
 * without: then nothing of their demands carries over. */
static bool says_tensor(const char *name)
{
    static const char *const words[] = {"tensorop", "mma",    "s1688", "s16816", "s884",
                                        "h1688",    "h16816", "h884",  "i8816",  "i16832"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
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
    known->operation = operation_of(known->base);
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
        const struct sms__profile_shape *shape = launch->shape;
        struct known *known = shape->kernel && launch->metrics ? add_known(joining, shape->kernel) : NULL;
        if (!known)
            continue;
        memcpy(known->grid, shape->grid, sizeof known->grid);
        memcpy(known->block, shape->block, sizeof known->block);
        known->threads = threads_of(shape->grid, shape->block);
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
    for (size_t r = 0; r < device->resources; r++)
        known->tensor |= !strcmp(device->resource[r].name, "tensor") && use.use[r] > 0;
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

/* Whether any program may have a kernel of this name. */
static bool is_common(const char *base)
{
    return !strncmp(base, "kernel", 6) || !strcmp(base, "copy") || !strcmp(base, "compute") || !strcmp(base, "block");
}

/* A launch and what its name says. */
struct wanted {
    const char *name, *base, *operation;
    bool tensor;
    const struct sms__profile_shape *shape;
};

static struct wanted wanted_of(const struct joining *joining, const struct sms__profile_shape *shape)
{
    struct wanted wanted = {.name = normal(joining->arena, shape->kernel), .shape = shape};
    wanted.base = base_of(joining->arena, wanted.name);
    char *all = sms__copy(joining->arena, wanted.name, strlen(wanted.name));
    for (char *c = all; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    wanted.tensor = says_tensor(all);
    wanted.operation = operation_of(wanted.base);
    if (is_common(wanted.base)) /* "cutlass::Kernel<..._s1688gemm_64x64_...>" */
        wanted.operation = operation_of(all);
    if (sms__trace_is_collective(wanted.name))
        wanted.operation = NULL;
    return wanted;
}

static enum fit fit_of_library(const struct known *known, const struct wanted *wanted)
{
    if (!known->operation && !strcmp(known->base, wanted->base) && !is_common(known->base))
        return BY_NAME;
    bool same = known->operation && wanted->operation && !strcmp(known->operation, wanted->operation);
    return same && known->tensor == wanted->tensor ? BY_OPERATION : UNKNOWN;
}

static enum fit fit_of(const struct known *known, const struct wanted *wanted)
{
    const struct sms__profile_shape *shape = wanted->shape;
    bool same_name = !strcmp(known->name, wanted->name);
    if (!same_name && strcmp(known->base, wanted->base) != 0)
        return UNKNOWN;
    bool exact = threads_of(known->grid, known->block) == threads_of(shape->grid, shape->block) &&
                 threads_of(known->block, known->block) == threads_of(shape->block, shape->block);
    return exact ? same_name ? NAME_EXACT : BASE_EXACT : same_name ? NAME_NEAR : BASE_NEAR;
}

/* The best fit, and among equals the nearest number of threads. */
static struct match find_match(const struct joining *joining, const struct sms__profile_shape *shape)
{
    const struct wanted wanted = wanted_of(joining, shape);
    double threads = threads_of(shape->grid, shape->block), least = INFINITY;
    struct match best = {NULL, UNKNOWN};
    for (size_t k = 0; k < joining->count; k++) {
        const struct known *known = &joining->known[k];
        enum fit fit = joining->library ? fit_of_library(known, &wanted) : fit_of(known, &wanted);
        double far = fabs(log(known->threads / threads));
        if (fit == UNKNOWN || fit < best.fit || (fit == best.fit && far >= least))
            continue;
        best = (struct match){known, fit};
        least = far;
    }
    return best;
}

/* Names a kernel that takes the metrics of another one. */
static void name_match(struct joining *joining, const struct match *match, const struct sms__profile_shape *shape)
{
    if (match->fit == UNKNOWN || match->fit >= BASE_EXACT || match->fit == BY_NAME || joining->named++ >= NAMED_MAX)
        return;
    const char *name =
        sms__derive_text(joining->arena, base_of(joining->arena, normal(joining->arena, shape->kernel)), 60);
    joining->names =
        sms__print(joining->arena, "%s%s%s of %.0f threads from %s of %.0f%s%s%s", joining->names,
                   *joining->names ? "; " : "", name, threads_of(shape->grid, shape->block), match->known->from,
                   match->known->threads, match->fit == BY_OPERATION ? " (" : "",
                   match->fit == BY_OPERATION ? match->known->operation : "", match->fit == BY_OPERATION ? ")" : "");
}

static void join_launch(struct joining *joining, struct sms__profile_launch *launch)
{
    const struct sms__profile_shape *shape = launch->shape;
    const struct {
        const char *kernel;
        double threads, of_block;
    } key = {shape->kernel, threads_of(shape->grid, shape->block), threads_of(shape->block, shape->block)};
    struct sms__pooled_string *entry = sms__intern(&joining->found, (const char *)&key, sizeof key);
    struct match *match = entry->data;
    if (!match) {
        entry->data = match = SMS__NEW(joining->arena, struct match, 1);
        *match = find_match(joining, shape);
        name_match(joining, match, shape);
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
                           ? share(joining, BY_OPERATION, BY_OPERATION, all, "by operation")
                           : share(joining, BASE_NEAR, NAME_NEAR, all, "from the nearest geometry of the name"),
               *exact = joining->library ? share(joining, BY_NAME, BY_NAME, all, "by name, ")
                                         : share(joining, BASE_EXACT, NAME_EXACT, all, "by name and geometry, ");
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
