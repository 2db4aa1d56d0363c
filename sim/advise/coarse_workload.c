/* Makes the kernels of a program coarse, so that seconds of sharing are simulated in less than that. Each is run by
 * itself, block by block, on devices alike: on all SMs, on the caps that ways of two programs have, because waves make
 * steps that no law meets, and on an eighth. That gives its time by SMs (model/time_by_share.c); the mean over that
 * time of what its blocks demand and of the room they take is what it takes of the device beside others. */
#include "kernel_text.h"

#include "../model/job.h"
#include "../model/policy/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWN_LAUNCHES = 4,
    DRAWN_BLOCKS = 20000, /* of a launch: chance hardly moves one of more */
    TOGETHER = 60,        /* kernels in a run: an engine shares what it works out for at most 64 shapes */
    JOB_LAUNCHES = 20000, /* of a job: beyond, one stands for several of its kernel */
    MIX_LAUNCHES = 40     /* block by block, beside others */
};

/* The shares of the SMs on which each kernel runs, per cent. */
static const double MEASURED[SMS__LONE_SHARES] = {100, 70, 50, 30, 12.5};

/* ---- kernels alone ---- */

/* Kernels of a workload that run alone one after another, on each share. */
struct chunk {
    size_t kernel[TOGETHER], kernels;
    bool drawn; /* block times vary: mean over several launches */
    struct sms_file *file;
    struct sms_results *results;
};

/* The runs of a workload. */
struct sms__kernel_runs {
    const struct sms__workload *workload;
    struct chunk *chunk; /* [chunks] */
    size_t chunks;
    struct place {
        size_t chunk, index;
    } * place;                       /* [kernels of the workload] */
    struct sms__lone_kernel *kernel; /* [kernels] */
};

struct measuring {
    const struct sms__program *program;
    const struct sms__workload *workload;
    const char *device;
    const struct chunk *chunk;
};

/* The workload with the chunk's kernels alone. Without steps it launches each once. */
static const struct sms__node *node_of(struct sms__arena *arena, const struct measuring *measuring)
{
    struct sms__node *node =
        sms__node_pick(arena, measuring->workload->node, (const char *[]){"steps", "static", "exclusive", NULL}, false);
    for (size_t i = 0; i + 1 < node->items; i += 2) {
        if (strcmp(node->item[i]->text, "kernels") != 0)
            continue;
        struct sms__node *all = node->item[i + 1], *list = sms__node_copy(arena, all, 0);
        list->items = measuring->chunk->kernels;
        for (size_t k = 0; k < list->items; k++)
            list->item[k] = all->item[measuring->chunk->kernel[k]];
        node->item[i + 1] = list;
    }
    return node;
}

static const struct sms__node *make_scenario(struct sms__reader *reader, void *user)
{
    const struct measuring *measuring = user;
    struct sms__doc doc = {0};
    const char *text = sms__print(reader->arena,
                                  "scenario: kernels\ndevices: [{model: '%s', count: %d}]\npolicies: [{mode: mps}]\n"
                                  "processes:\n",
                                  measuring->device, SMS__LONE_SHARES);
    for (int s = 0; s < SMS__LONE_SHARES; s++)
        text = sms__print(reader->arena,
                          "%s  - {name: p%d, workload: '%s', repeat: %d, device: %d, active_threads: %.3g %%}\n", text,
                          s, measuring->workload->name, measuring->chunk->drawn ? DRAWN_LAUNCHES : 1, s, MEASURED[s]);
    if (sms__doc_load_text(reader->arena, measuring->program->path, text, strlen(text), &doc, reader->errors))
        return NULL;
    sms__file_define(reader->user, SMS__DOCUMENT_WORKLOAD, node_of(reader->arena, measuring));
    return doc.root[0];
}

static bool is_large(const struct sms__kernel *kernel) { return kernel->blocks > DRAWN_BLOCKS; }

/* Kernels of many blocks have chunks of their own, because one launch of them tells as much. */
static void add_chunks(struct sms__arena *arena, struct sms__kernel_runs *runs, bool large)
{
    struct chunk *chunk = NULL;
    for (size_t k = 0; k < runs->workload->kernels; k++) {
        const struct sms__kernel *kernel = &runs->workload->kernel[k];
        if (is_large(kernel) != large)
            continue;
        if (!chunk || chunk->kernels == TOGETHER) {
            chunk = SMS__APPEND(arena, runs->chunk, runs->chunks);
            *chunk = (struct chunk){.kernels = 0};
        }
        runs->place[k] = (struct place){runs->chunks - 1, chunk->kernels};
        chunk->kernel[chunk->kernels++] = k;
        chunk->drawn |= sms__is_drawn(kernel) && !large;
    }
}

static int run_chunk(const struct sms__program *program, const struct sms__workload *workload, struct chunk *chunk,
                     const struct sms__advise_settings *settings, struct sms_errors *errors)
{
    struct sms_run_options run = sms__advise_run_options(settings);
    struct measuring measuring = {program, workload, settings->device, chunk};
    const struct sms__variation variation = {program->file, settings->load, make_scenario, NULL, &measuring};
    run.jobs = 1; /* it has one run, or the few of what is drawn */
    int code = sms__file_vary(&variation, &chunk->file, errors);
    if (code)
        return code;
    code = sms_run(sms_file_scenario(chunk->file, 0), &run, &chunk->results, errors);
    if (code == SMS_EINPUT) { /* of a line of the scenario that is made, which nobody wrote */
        errors->count = 0;
        sms__fail(errors, code, program->path,
                  "each kernel is run alone, also on an eighth of the SMs, and '%.60s' has one that then takes longer "
                  "than the clock's 213 days",
                  workload->name);
    }
    return code;
}

static const struct sms_results *results_of(const struct sms__kernel_runs *runs, size_t k)
{
    return runs->chunk[runs->place[k].chunk].results;
}

/* Of kernel k on a share of the SMs. */
static double metric_of(const struct sms__kernel_runs *runs, size_t share, size_t k, const char *name)
{
    const size_t kernel = share * runs->chunk[runs->place[k].chunk].kernels + runs->place[k].index;
    return sms_results_value(results_of(runs, k), 0, 0, SMS_KERNEL, kernel, (size_t)sms_metric_index(SMS_KERNEL, name));
}

/* The jitter that a uniform spread would need for these quantiles: they are 0.45 of its width apart. */
static double jitter_of(const struct sms__kernel_runs *runs, size_t k)
{
    const double p50 = metric_of(runs, 0, k, "latency_p50_ns"), p95 = metric_of(runs, 0, k, "latency_p95_ns");
    return p50 > 0 ? (p95 - p50) / (0.45 * sqrt(12) * p50) : 0;
}

/* The part of each kernel's launches in a job that cost nothing, because they follow others in a CUDA graph. */
static double *free_launches(struct sms__arena *arena, const struct sms__workload *workload)
{
    double *all = SMS__NEW(arena, double, workload->kernels), *free = SMS__NEW(arena, double, workload->kernels);
    for (size_t i = 0; i < workload->steps; i++) {
        const struct sms__step *step = &workload->step[i];
        if (step->kind != SMS__LAUNCH)
            continue;
        all[step->kernel] += (double)step->times;
        free[step->kernel] += step->in_graph ? (double)step->times - !step->continues_graph : 0;
    }
    for (size_t k = 0; k < workload->kernels; k++)
        free[k] = all[k] > 0 ? free[k] / all[k] : 0;
    return free;
}

static struct sms__lone_kernel describe(const struct sms__kernel_runs *runs, size_t k, double free_part)
{
    const struct sms_scenario *scenario = sms_results_scenario(results_of(runs, k));
    struct sms__lone_kernel kernel = {.given = &runs->workload->kernel[k],
                                      .fit = &scenario->vm[0].fit[0][runs->place[k].index],
                                      .device = scenario->device[0],
                                      .jitter = jitter_of(runs, k),
                                      .launches = 1};
    const double free_ns = (double)kernel.fit->launch_ps / 1e3 * free_part;
    for (size_t s = 0; s < SMS__LONE_SHARES; s++) {
        const struct sms__mode *mode = sms__mode_of_device(&scenario->policy[0].mode, s);
        kernel.ns[s] = metric_of(runs, s, k, "latency_mean_ns") - free_ns;
        kernel.share[s] = (double)sms__mode_sms(mode, kernel.device, &scenario->vm[s]) / (double)kernel.device->sms;
    }
    return kernel;
}

/* The kernels of the program's i-th workload, which run unless they have done so before. */
static int run_kernels(struct sms__arena *arena, struct sms__program *program, size_t i,
                       const struct sms__workload *workload, const struct sms__advise_settings *settings,
                       struct sms_errors *errors)
{
    int code = SMS_OK;
    if (i < program->workloads)
        return SMS_OK;
    struct sms__kernel_runs *runs = SMS__APPEND(arena, program->runs, program->workloads);
    *runs = (struct sms__kernel_runs){.workload = workload, .place = SMS__NEW(arena, struct place, workload->kernels)};
    add_chunks(arena, runs, false);
    add_chunks(arena, runs, true);
    if (!runs->chunks) /* it computes on the host alone, and yet has a device */
        *SMS__APPEND(arena, runs->chunk, runs->chunks) = (struct chunk){.kernels = 0};
    for (size_t c = 0; c < runs->chunks && code == SMS_OK; c++)
        code = run_chunk(program, workload, &runs->chunk[c], settings, errors);
    runs->kernel = SMS__NEW(arena, struct sms__lone_kernel, workload->kernels);
    const double *free_part = free_launches(arena, workload);
    for (size_t k = 0; k < workload->kernels && code == SMS_OK; k++)
        runs->kernel[k] = describe(runs, k, free_part[k]);
    return code;
}

void sms__free_kernel_runs(struct sms__program *program)
{
    for (size_t i = 0; i < program->workloads; i++)
        for (size_t c = 0; c < program->runs[i].chunks; c++) {
            sms_results_free(program->runs[i].chunk[c].results);
            sms_file_free(program->runs[i].chunk[c].file);
        }
    program->runs = NULL;
    program->workloads = 0;
}

static const struct sms__device *device_of(const struct sms__kernel_runs *runs)
{
    return sms_results_scenario(runs->chunk[0].results)->device[0];
}

/* ---- text ---- */

static void write_scalar(FILE *to, struct sms__arena *arena, const char *key, const char *text)
{
    const struct sms__node node = {.kind = SMS__SCALAR, .text = text};
    if (text && *text)
        fprintf(to, "%s: %s\n", key, sms__node_flow(arena, &node));
}

/* ---- launches ---- */

static double launches_of(const struct sms__workload *workload)
{
    double launches = 0;
    for (size_t i = 0; i < workload->steps; i++)
        launches += workload->step[i].kind == SMS__LAUNCH ? (double)workload->step[i].times : 0;
    return launches;
}

/* For how many launches one stands, so that a job has not too many. */
static double fold_of(const struct sms__program *program, const struct sms__workload *workload)
{
    return fmax(fmax(launches_of(workload) / JOB_LAUNCHES, program->least_fold), 1);
}

/* The launches of a step that are simulated; those of a kernel by its time are. */
static uint64_t folded(const struct sms__workload *workload, const struct sms__step *step, double fold)
{
    const double times = nearbyint((double)step->times / fold);
    return workload->kernel[step->kernel].whole ? step->times : (uint64_t)fmax(times, 1);
}

/* A kernel that takes as long in a job as all of its launches. */
static struct sms__lone_kernel fold_kernel(struct sms__lone_kernel kernel, const struct sms__workload *workload,
                                           size_t k, double fold)
{
    double all = 0, left = 0;
    for (size_t i = 0; i < workload->steps; i++)
        if (workload->step[i].kind == SMS__LAUNCH && workload->step[i].kernel == k) {
            all += (double)workload->step[i].times;
            left += (double)folded(workload, &workload->step[i], fold);
        }
    kernel.launches = left > 0 ? all / left : 1;
    kernel.jitter /= sqrt(kernel.launches);
    for (size_t s = 0; s < SMS__LONE_SHARES; s++)
        kernel.ns[s] *= kernel.launches;
    return kernel;
}

/* ---- what the program takes alone ---- */

struct sums {
    double fold, unknown_ps, kernel_ps;
    double block_launches, left; /* of kernels by blocks; of these simulated */
};

/* The mean time of a launch alone. That of a coarse kernel is given, where a few launches have it only by chance. */
static double launch_ps(const struct sms__lone_kernel *kernel)
{
    return kernel->given->whole ? kernel->fit->work_ps * kernel->fit->alone + (double)kernel->fit->launch_ps
                                : kernel->ns[0] * 1e3;
}

static void add_step(struct sms__program *program, const struct sms__kernel_runs *runs, size_t s, struct sums *sums)
{
    const struct sms__workload *workload = runs->workload;
    const struct sms__step *step = &workload->step[s];
    const struct sms__device *device = device_of(runs);
    double ps = 0;
    if (step->kind != SMS__LAUNCH) {
        ps = sms__measure_step(workload, s, NULL, device);
    } else {
        const struct sms__lone_kernel *kernel = &runs->kernel[step->kernel];
        ps = launch_ps(kernel) * (double)step->times;
        const double left = (double)folded(workload, step, sums->fold);
        program->launches += left;
        sums->block_launches += kernel->given->whole ? 0 : (double)step->times;
        sums->left += kernel->given->whole ? 0 : left;
        for (size_t r = 0; r < device->resources; r++)
            program->use_ps[r] += ps * sms__lone_demand(kernel, r);
        sums->kernel_ps += ps;
        sums->unknown_ps += workload->kernel[step->kernel].demands == 0 ? ps : 0;
    }
    const double host_ps = step->kind == SMS__LAUNCH ? step->amount * (double)step->times - ps : step->amount;
    program->host_ps += step->kind == SMS__HOST || step->is_async ? fmax(host_ps, 0) : 0;
    program->job_ps += step->is_async ? fmax(ps, step->amount * (double)step->times) : ps;
}

static void sum_steps(struct sms__program *program, const struct sms__kernel_runs *runs)
{
    struct sums sums = {.fold = fold_of(program, runs->workload)};
    for (size_t i = 0; i < runs->workload->steps; i++)
        add_step(program, runs, i, &sums);
    program->fold = fmax(fmax(program->fold, 1), sums.block_launches / fmax(sums.left, 1));
    if (sums.kernel_ps > 0)
        program->unknown = fmax(program->unknown, sums.unknown_ps / sums.kernel_ps);
}

/* ---- the document ---- */

static void write_steps(struct sms__arena *arena, const struct sms__workload *workload, double fold, FILE *to)
{
    const struct sms__node *steps = sms__node_get(workload->node, "steps");
    fputs(steps ? "steps:\n" : "", to);
    for (size_t i = 0, s = 0; steps && i < steps->items; i++) {
        const struct sms__step *step = &workload->step[s];
        const struct sms__node *node = steps->item[i];
        const uint64_t times = step->kind == SMS__LAUNCH ? folded(workload, step, fold) : step->times;
        for (s++; s < workload->steps && workload->step[s].node == node;)
            s++; /* launches with `sync` are steps of their own, which stay */
        if (times == step->times) {
            fprintf(to, "  - %s\n", sms__node_flow(arena, node));
            continue;
        }
        node = sms__node_pick(arena, node, (const char *[]){"times", "async", NULL}, false);
        const char *text = sms__node_flow(arena, node); /* "{launch: k}" */
        fprintf(to, "  - %.*s, times: %llu", (int)strlen(text) - 1, text, (unsigned long long)times);
        if (step->is_async)
            fprintf(to, ", async: %.0f ps", step->amount * (double)step->times / (double)times);
        fputs("}\n", to);
    }
}

/* The kernels as they are, and a few launches of each, as often as a job has them. */
static void write_blocks(struct sms__arena *arena, struct sms__program *program, const char *name,
                         const struct sms__kernel_runs *runs, FILE *to)
{
    const struct sms__workload *workload = runs->workload;
    const struct sms__node *node =
        sms__node_pick(arena, workload->node,
                       (const char *[]){"workload", "steps", "static", "exclusive", "corun_class", NULL}, false);
    const double all = launches_of(workload);
    double *times = SMS__NEW(arena, double, workload->kernels);
    const char *text = sms__node_flow(arena, node); /* "{kernels: ...}" */
    fprintf(to, "{workload: '%s', %.*s, steps: [", name, (int)strlen(text) - 2, text + 1);
    for (size_t i = 0; i < workload->steps; i++)
        times[workload->step[i].kernel] += workload->step[i].kind == SMS__LAUNCH ? (double)workload->step[i].times : 0;
    for (size_t k = 0, said = 0; k < workload->kernels; k++) {
        const struct sms__node kernel = {.kind = SMS__SCALAR, .text = workload->kernel[k].name};
        const double launches = ceil(times[k] / fmax(all, 1) * MIX_LAUNCHES);
        if (launches > 0)
            fprintf(to, "%s{launch: %s, times: %.0f}", said++ ? ", " : "", sms__node_flow(arena, &kernel), launches);
        program->mix_ps += launches * metric_of(runs, 0, k, "latency_mean_ns") * 1e3;
        program->mix_blocks += launches * (double)workload->kernel[k].blocks;
    }
    fputs("]}\n---\n", to);
}

static void write_head(struct sms__arena *arena, const struct sms__program *program, const char *name,
                       const struct sms__kernel_runs *runs, FILE *to)
{
    const struct sms__workload *workload = runs->workload;
    const struct sms__device *device = device_of(runs);
    write_scalar(to, arena, "workload", name);
    write_scalar(to, arena, "title", workload->title);
    write_scalar(to, arena, "source", workload->source);
    write_scalar(to, arena, "device", device->name);
    if (*workload->device && strcmp(workload->device, device->name) != 0)
        write_scalar(to, arena, "scaled_from", workload->device);
    if (workload->unmeasured > 0)
        fprintf(to, "unmeasured: %.4g %%\n", 100 * workload->unmeasured);
    if (workload->statics + program->memory > 0)
        fprintf(to, "static: %.0f B\n", workload->statics + program->memory);
}

/* Whether a coarse kernel of the workload demands the resource; a demand next to nothing is left out. */
static bool is_written(const struct sms__kernel_runs *runs, const char *resource)
{
    const struct sms__device *device = device_of(runs);
    for (size_t k = 0; k < runs->workload->kernels; k++)
        for (size_t r = 0; r < device->resources; r++)
            if (!strcmp(device->resource[r].name, resource) &&
                sms__lone_demand(&runs->kernel[k], r) >= SMS__LONE_DEMAND_LEAST)
                return true;
    return false;
}

static void write_uncertainty(const struct sms__kernel_runs *runs, FILE *to)
{
    const struct sms__workload *workload = runs->workload;
    const char *before = "uncertainty: {";
    for (size_t i = 0; i < workload->uncertainties; i++) {
        const struct sms__demand *of = &workload->uncertainty[i];
        if (!is_written(runs, of->resource))
            continue;
        fprintf(to, "%s%s: %.6g %%", before, of->resource, 100 * of->ratio);
        before = ", ";
    }
    fputs(*before == ',' ? "}\n" : "", to);
}

static void write_kernels(struct sms__arena *arena, const struct sms__kernel_runs *runs, double fold,
                          enum sms__text_kind kind, FILE *to)
{
    const struct sms__workload *workload = runs->workload;
    write_uncertainty(runs, to);
    fputs("kernels:\n", to);
    for (size_t k = 0; k < workload->kernels; k++) {
        struct sms__lone_kernel kernel = fold_kernel(runs->kernel[k], workload, k, fold);
        sms__lone_write(arena, &kernel, kind, to);
    }
    write_steps(arena, workload, fold, to);
    fputs("---\n", to);
}

int sms__write_coarse(struct sms__arena *arena, struct sms__program *program,
                      const struct sms__advise_settings *settings, FILE *const *to, struct sms_errors *errors)
{
    static const enum sms__text_kind texts[] = {SMS__FREE_TEXT, SMS__TAKEN_TEXT, SMS__PAIRED_TEXT};
    const bool known = program->coarse && program->coarse_fold == program->least_fold;
    for (int t = 0; t < SMS__TEXTS && known; t++)
        fwrite(program->coarse[t].bytes, 1, program->coarse[t].length, to[t]);
    if (known)
        return SMS_OK;
    program->job_ps = program->host_ps = program->launches = program->mix_ps = program->mix_blocks = 0;
    memset(program->use_ps, 0, sizeof program->use_ps);
    const struct sms__workload *workload;
    size_t first;
    int code = SMS_OK;
    for (size_t i = 0; code == SMS_OK && (workload = sms__workload_of(program->tenant, i, &first)); i++) {
        const char *name = i ? sms__print(arena, "%s-%zu", program->name, i + 1) : program->name;
        code = run_kernels(arena, program, i, workload, settings, errors);
        if (code)
            break;
        const struct sms__kernel_runs *runs = &program->runs[i];
        program->unknown = fmax(program->unknown, workload->unmeasured);
        sum_steps(program, runs);
        for (int t = 0; t < SMS__BLOCK_TEXT; t++)
            write_head(arena, program, name, runs, to[t]);
        fprintf(to[SMS__PAIRED_TEXT], "corun_class: c%zu\n", program->number);
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            write_kernels(arena, runs, fold_of(program, workload), texts[t], to[texts[t]]);
        write_blocks(arena, program, name, runs, to[SMS__BLOCK_TEXT]);
    }
    return code;
}
