/* Writes a device file from what profiles tell of their GPU: device attributes of Nsight Compute, the table of GPUs of
 * Nsight Systems, device properties of PyTorch's profiler. The nearest device file gives the rest, marked as assumed.
 */
#include "../derive.h"
#include "../gzip.h"
#include "../import.h"
#include "../report_tables.h"
#include "../text.h"

#include "../../base/read.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { GPUS_MAX = 64, HEAD_BYTES = 8 * 1024 * 1024 /* of a trace, which begins with the properties */ };

enum fact {
    MAJOR,
    MINOR,
    CLOCK,
    SM_COUNT,
    MEMORY,
    BANDWIDTH,
    MEMORY_CLOCK,
    BUS,
    WARP,
    THREADS,
    WARPS,
    BLOCKS,
    REGISTERS,
    SHARED,
    THREADS_PER_BLOCK,
    REGISTERS_PER_THREAD,
    RESERVED,
    SHARED_PER_BLOCK,
    SCHEDULERS,
    FACTS
};

/* What each profiler calls a property. ncu's clocks are in kHz and its bus is in bits, all else in bytes, Hz and
 * counts. */
static const struct {
    const char *ncu, *nsys, *kineto;
    double ncu_unit;
} names[FACTS] = {
    [MAJOR] = {"device__attribute_compute_capability_major", "computeMajor", "computeMajor", 1},
    [MINOR] = {"device__attribute_compute_capability_minor", "computeMinor", "computeMinor", 1},
    [CLOCK] = {"device__attribute_clock_rate", "clockRate", NULL, 1e3},
    [SM_COUNT] = {"device__attribute_multiprocessor_count", "smCount", "numSms", 1},
    [MEMORY] = {"device__attribute_total_memory", "totalMemory", "totalGlobalMem", 1},
    [BANDWIDTH] = {NULL, "memoryBandwidth", NULL, 1},
    [MEMORY_CLOCK] = {"device__attribute_memory_clock_rate", NULL, NULL, 1e3},
    [BUS] = {"device__attribute_global_memory_bus_width", NULL, NULL, 1},
    [WARP] = {"device__attribute_warp_size", "threadsPerWarp", "warpSize", 1},
    [THREADS] = {"device__attribute_max_threads_per_multiprocessor", NULL, "maxThreadsPerMultiprocessor", 1},
    [WARPS] = {"device__attribute_max_warps_per_multiprocessor", "maxWarpsPerSm", NULL, 1},
    [BLOCKS] = {"device__attribute_max_blocks_per_multiprocessor", "maxBlocksPerSm", NULL, 1},
    [REGISTERS] = {"device__attribute_max_registers_per_multiprocessor", "maxRegistersPerSm", "regsPerMultiprocessor",
                   1},
    [SHARED] = {"device__attribute_max_shared_memory_per_multiprocessor", "maxShmemPerSm", "sharedMemPerMultiprocessor",
                1},
    [THREADS_PER_BLOCK] = {"device__attribute_max_threads_per_block", "maxThreadsPerBlock", "maxThreadsPerBlock", 1},
    [REGISTERS_PER_THREAD] = {"device__attribute_max_registers_per_thread", NULL, NULL, 1},
    [RESERVED] = {"device__attribute_reserved_shared_memory_per_block", NULL, NULL, 1},
    [SHARED_PER_BLOCK] = {"device__attribute_max_shared_memory_per_block_optin", "maxShmemPerBlockOptin",
                          "sharedMemPerBlockOptin", 1},
    [SCHEDULERS] = {"device__attribute_num_schedulers_per_multiprocessor", NULL, NULL, 1},
};

struct gpu {
    const char *name; /* of printable characters */
    double value[FACTS];
    const char *from[FACTS]; /* the property that gave the value; NULL: unknown */
};

struct work {
    struct sms__arena *arena;
    const struct sms__import_options *options;
    struct sms_errors *errors;
    FILE *to;
    const char *path; /* of the profile that is read */
    struct gpu gpu[GPUS_MAX];
    size_t gpus;
    struct sms__report report;
    struct sms__gzip trace;
    json_t *properties;
    struct sms_file *base_file;
};

/* The GPU of this name, which is added if it is new; NULL if there are too many. */
static struct gpu *gpu_named(struct work *work, const char *name)
{
    for (size_t i = 0; i < work->gpus; i++)
        if (!strcmp(work->gpu[i].name, name))
            return &work->gpu[i];
    if (work->gpus == GPUS_MAX)
        return NULL;
    struct gpu *gpu = &work->gpu[work->gpus++];
    gpu->name = name;
    return gpu;
}

/* Keeps the first value of a fact; 0 of a count is unknown. */
static void learn(struct gpu *gpu, enum fact fact, double value, const char *from)
{
    bool may_be_zero = fact == MINOR || fact == RESERVED;
    if (gpu && from && !gpu->from[fact] && isfinite(value) && (value > 0 || (may_be_zero && value == 0))) {
        gpu->value[fact] = value;
        gpu->from[fact] = from;
    }
}

static int read_ncu(struct work *work)
{
    struct sms__profile profile = {.tool = "ncu", .most = work->options->most};
    int code = sms__importer_called("ncu")->read(work->arena, &work->path, 1, &profile, work->errors);
    if (code)
        return code;
    struct gpu *gpu = gpu_named(work, profile.gpu ? sms__derive_text(work->arena, profile.gpu, 80) : "");
    for (size_t m = 0; profile.launches && m < profile.launch->metrics; m++)
        for (int f = 0; f < FACTS; f++)
            if (names[f].ncu && !strcmp(profile.launch->metric[m].name, names[f].ncu))
                learn(gpu, (enum fact)f, profile.launch->metric[m].mean * names[f].ncu_unit, names[f].ncu);
    return SMS_OK;
}

static void read_report_gpus(void *user)
{
    struct work *work = user;
    struct sms__report_gpus gpus = {.count = 0};
    sms__report_gpus_read(&work->report, &gpus);
    for (size_t g = 0; g < gpus.count; g++)
        for (int f = 0; f < FACTS; f++)
            if (names[f].nsys)
                learn(gpu_named(work, gpus.gpu[g].name), (enum fact)f,
                      (double)sms__report_gpu_number(&gpus.gpu[g], names[f].nsys), names[f].nsys);
}

static int read_nsys(struct work *work)
{
    work->report = (struct sms__report){
        .arena = work->arena, .errors = work->errors, .path = work->path, .most = work->options->most, .schema = ""};
    return sms__report_read(&work->report, read_report_gpus, work);
}

static int read_properties(void *user)
{
    struct work *work = user;
    char *text = SMS__NEW(work->arena, char, HEAD_BYTES + 1);
    size_t length;
    int code = sms__gzip_read(&work->trace, text, HEAD_BYTES, &length, work->errors);
    if (code != SMS_OK)
        return code;
    text[length] = '\0';
    const char *key = strstr(text, "\"deviceProperties\""), *from = key ? strchr(key, '[') : NULL;
    work->properties = from ? json_loads(from, JSON_DISABLE_EOF_CHECK, NULL) : NULL; /* the trace begins with them */
    for (size_t i = 0; i < json_array_size(work->properties); i++) {
        const json_t *each = json_array_get(work->properties, i);
        const char *name = json_string_value(json_object_get(each, "name"));
        for (int f = 0; f < FACTS && name; f++)
            if (names[f].kineto)
                learn(gpu_named(work, sms__derive_text(work->arena, name, 80)), (enum fact)f,
                      json_number_value(json_object_get(each, names[f].kineto)), names[f].kineto);
    }
    return SMS_OK;
}

static int read_kineto(struct work *work)
{
    int code = sms__gzip_open(&work->trace, work->path, work->options->most, work->errors);
    if (code == SMS_OK)
        code = sms__guard(work->arena, read_properties, work);
    json_decref(work->properties);
    work->properties = NULL;
    sms__gzip_close(&work->trace);
    return code;
}

/* Tells the kinds of profiles apart by their first bytes. */
static int read_profile(struct work *work)
{
    char head[16] = "";
    size_t length;
    int code = sms__gzip_open(&work->trace, work->path, work->options->most, work->errors);
    if (code == SMS_OK)
        code = sms__gzip_read(&work->trace, head, sizeof head - 1, &length, work->errors);
    sms__gzip_close(&work->trace);
    if (code)
        return code;
    if (head[strspn(head, " \t\r\n")] == '{')
        return read_kineto(work);
    return memcmp(head, "SQLite format 3", 15) ? read_ncu(work) : read_nsys(work);
}

/* "rtx-4090" of "NVIDIA GeForce RTX 4090". */
static const char *device_name(struct work *work, const struct gpu *gpu, size_t idx)
{
    static const char *const brands[] = {"NVIDIA ", "Tesla ", "GeForce ", "Quadro ", "AMD ", "Instinct "};
    const char *from = gpu->name;
    if (work->options->name && idx == 0)
        return work->options->name;
    for (size_t b = 0; b < sizeof brands / sizeof *brands; b++)
        from += strncmp(from, brands[b], strlen(brands[b])) ? 0 : strlen(brands[b]);
    char *name = sms__copy(work->arena, from, strlen(from));
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
    return *name ? name : "gpu";
}

/* Writes a line of a fact, or of what the base has in its place. */
static void put(struct work *work, const struct gpu *gpu, enum fact fact, const char *key, const char *unit,
                double base, const char *base_name)
{
    bool known = gpu->from[fact] != NULL;
    fprintf(work->to, "%s: %.0f%s # %s%s\n", key, known ? gpu->value[fact] : base, unit, known ? "" : "assumed: as of ",
            known ? gpu->from[fact] : base_name);
}

static void write_sm(struct work *work, struct gpu *gpu, const struct sms__device *base)
{
    const struct sms__sm *sm = &base->sm;
    double warp = gpu->from[WARP] ? gpu->value[WARP] : (double)sm->warp;
    learn(gpu, THREADS, gpu->value[WARPS] * warp, gpu->from[WARPS]);
    learn(gpu, WARPS, gpu->value[THREADS] / warp, gpu->from[THREADS]);
    const struct {
        enum fact fact;
        const char *key, *unit;
        uint64_t base;
    } lines[] = {{WARP, "warp", "", sm->warp},
                 {THREADS, "threads", "", sm->threads},
                 {WARPS, "warps", "", sm->warps},
                 {BLOCKS, "blocks", "", sm->blocks},
                 {REGISTERS, "registers", "", sm->registers},
                 {SHARED, "shared_memory", " B", sm->shared_memory},
                 {THREADS_PER_BLOCK, "threads_per_block", "", sm->threads_per_block},
                 {REGISTERS_PER_THREAD, "registers_per_thread", "", sm->registers_per_thread},
                 {RESERVED, "shared_memory_reserved", " B", sm->shared_memory_reserved},
                 {SHARED_PER_BLOCK, "shared_memory_per_block", " B", sm->shared_memory_per_block}};
    fputs("sm:\n", work->to);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        fputs("  ", work->to);
        put(work, gpu, lines[i].fact, lines[i].key, lines[i].unit, (double)lines[i].base, base->name);
    }
    fprintf(work->to,
            "  register_unit: %llu # assumed: as of %s\n  register_partitions: %llu # assumed: as of %s\n"
            "  shared_memory_unit: %llu B # assumed: as of %s\n",
            (unsigned long long)sm->register_unit, base->name, (unsigned long long)sm->register_partitions, base->name,
            (unsigned long long)sm->shared_memory_unit, base->name);
}

/* Writes resources of the base. Bandwidth within the GPU grows with its clock, that of scope device with its SMs too.
 */
static void write_resources(struct work *work, const struct gpu *gpu, const struct sms__device *base)
{
    double clock = (gpu->from[CLOCK] ? gpu->value[CLOCK] : base->clock_hz) / base->clock_hz;
    double sms = gpu->from[SM_COUNT] ? gpu->value[SM_COUNT] / (double)base->sms : 1;
    fputs("resources:\n", work->to);
    for (size_t r = 0; r < base->resources; r++) {
        const struct sms__resource *resource = &base->resource[r];
        bool shared = resource->scope == SMS_SCOPE_DEVICE, dram = !strcmp(resource->name, "dram");
        bool known = (dram && gpu->from[BANDWIDTH]) || (gpu->from[SCHEDULERS] && !strcmp(resource->name, "issue"));
        fprintf(work->to, "  %s: {class: %s%s", resource->name, resource->cls == SMS_COMPUTE ? "compute" : "memory",
                shared ? ", scope: device" : "");
        if (resource->lanes > 0)
            fprintf(work->to, ", lanes: %g", known ? gpu->value[SCHEDULERS] : resource->lanes);
        if (resource->bandwidth > 0)
            fprintf(work->to, ", bandwidth: %.4g GB/s",
                    (known  ? gpu->value[BANDWIDTH]
                     : dram ? resource->bandwidth
                            : resource->bandwidth * clock * (shared ? sms : 1)) /
                        1e9);
        if (known)
            fprintf(work->to, "} # %s\n", dram ? gpu->from[BANDWIDTH] : gpu->from[SCHEDULERS]);
        else
            fprintf(work->to, "} # assumed: as of %s%s\n", base->name,
                    resource->bandwidth > 0 && !dram ? ", at this clock" : "");
    }
}

static int write_gpu(struct work *work, size_t idx)
{
    struct gpu *gpu = &work->gpu[idx];
    const struct sms__device *base = NULL;
    const char *capability = sms__print(work->arena, "%.0f.%.0f", gpu->value[MAJOR], gpu->value[MINOR]);
    const char *near = sms__derive_nearest_device(work->arena, capability, gpu->value[SM_COUNT], work->options->load);
    if (!gpu->from[MAJOR] || !gpu->from[SM_COUNT] || !near)
        return sms__fail(work->errors, SMS_EINPUT, work->path,
                         "tells neither compute capability nor number of SMs of '%s'; of ncu it takes --page raw with "
                         "device attributes (--set full)",
                         *gpu->name ? gpu->name : "its GPU");
    int code = sms__derive_device(near, work->options->load, &work->base_file, &base, work->errors);
    if (code)
        return code;
    bool exact = !strcmp(base->capability, capability);
    learn(gpu, BANDWIDTH, 2 * gpu->value[MEMORY_CLOCK] * gpu->value[BUS] / 8,
          gpu->from[BUS] ? sms__print(work->arena, "twice %s by %s", names[MEMORY_CLOCK].ncu, names[BUS].ncu) : NULL);
    fprintf(work->to, "%sdevice: %s\ntitle: \"%s\"\nsource: \"read from profiles; the rest is of %s%s%s\"\n",
            idx ? "---\n" : "", device_name(work, gpu, idx), gpu->name, base->name,
            exact ? "" : ", which has compute capability ", exact ? "" : base->capability);
    fprintf(work->to, "compute_capability: %s # %s\n", capability, gpu->from[MAJOR]);
    put(work, gpu, CLOCK, "clock", " Hz", base->clock_hz, base->name);
    put(work, gpu, SM_COUNT, "sms", "", 0, base->name);
    put(work, gpu, MEMORY, "memory", " B", (double)base->memory, base->name);
    if (base->link_bandwidth > 0)
        fprintf(work->to, "link: {bandwidth: %.4g GB/s} # assumed: as of %s\n", base->link_bandwidth / 1e9, base->name);
    if (base->busy_w > 0 && exact && gpu->value[SM_COUNT] == (double)base->sms)
        fprintf(work->to, "power: {idle: %g W, busy: %g W} # assumed: as of %s\n", base->idle_w, base->busy_w,
                base->name);
    write_sm(work, gpu, base);
    write_resources(work, gpu, base);
    sms_file_free(work->base_file);
    work->base_file = NULL;
    return SMS_OK;
}

static int write_gpus(void *user)
{
    struct work *work = user;
    int code = SMS_OK;
    for (size_t i = 0; code == SMS_OK && i < work->gpus; i++)
        code = write_gpu(work, i);
    return code;
}

static int import(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct work *work = SMS__NEW(arena, struct work, 1);
    *work = (struct work){.arena = arena, .options = options, .errors = errors, .to = to};
    int code = SMS_OK;
    for (size_t i = 0; code == SMS_OK && i < n_paths; i++) {
        work->path = paths[i];
        code = read_profile(work);
    }
    if (code == SMS_OK && work->gpus == 0)
        code = sms__fail(errors, SMS_EINPUT, paths[0], "describes no GPU");
    if (code == SMS_OK)
        code = sms__guard(arena, write_gpus, work);
    sms_file_free(work->base_file);
    return code;
}

const struct sms__importer sms__importer_device = {
    .name = "device",
    .help = "a device file, from the GPU that profiles of ncu, nsys or PyTorch describe",
    .files = "the profiles",
    .import = import};
