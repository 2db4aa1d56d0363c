/* Reads traces, divides them by process, and finds which processes are the same program: most of their launches are of
 * the same kernels in the same geometry. */
#include "calibration.h"

#include "../import/text.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* The least share of its launches that a process must have in common with a program to count as that program. */
static const double SAME_LEAST = 0.5;

bool sms__is_probe(const struct sms__profile_launch *launch, const char *probe)
{
    const char *name = "";
    const size_t length = probe ? sms__derive_function(launch->shape->kernel, &name) : 0;
    return probe && length == strlen(probe) && strncmp(name, probe, length) == 0;
}

static bool has_probes(const struct sms__calibration *calibration, const struct sms__profile *profile)
{
    bool any = !profile->trace; /* counters: of the probe that computes */
    for (size_t l = 0; l < profile->launches; l++)
        for (int p = 0; p < SMS__PROBES; p++)
            any |= sms__is_probe(&profile->launch[l], calibration->settings->probe[p]);
    return any;
}

/* ---- reading ---- */

static struct sms__traced *find_process(struct sms__traced_run *run, const struct sms__trace_place *place)
{
    size_t p = 0;
    while (p < run->processes && strcmp(run->process[p].name, place->process ? place->process : "") != 0)
        p++;
    return p < run->processes ? &run->process[p] : NULL;
}

/* Divides a run by process, in order of their first launches. */
static void divide(struct sms__arena *arena, struct sms__traced_run *run)
{
    const struct sms__profile *whole = &run->profile;
    for (size_t l = 0; l < whole->launches; l++) {
        const struct sms__trace_place *place = whole->launch[l].place;
        struct sms__traced *process = find_process(run, place);
        if (!process) {
            process = SMS__APPEND(arena, run->process, run->processes);
            *process = (struct sms__traced){.name = place->process ? place->process : "", .profile = *whole};
            process->profile.launch = SMS__NEW(arena, struct sms__profile_launch, whole->launches);
            process->profile.copy = SMS__NEW(arena, struct sms__profile_copy, whole->copies + 1);
            process->profile.launches = process->profile.copies = 0;
        }
        process->profile.launch[process->profile.launches++] = whole->launch[l];
    }
    for (size_t c = 0; c < whole->copies; c++) {
        struct sms__traced *process = whole->copy[c].place ? find_process(run, whole->copy[c].place) : NULL;
        if (process)
            process->profile.copy[process->profile.copies++] = whole->copy[c];
    }
    for (size_t p = 0; p < run->processes; p++) {
        struct sms__profile rounds, own = run->process[p].profile;
        own.launch = sms__enlarge(arena, own.launch, own.launches, own.launches, sizeof *own.launch);
        own.steps = run->processes == 1 ? own.steps : 0; /* named steps are of one process */
        run->process[p].steps = sms__iterations_find(arena, &own, false, &rounds);
    }
}

/* Programs on different GPUs do not share one, and each GPU has a clock of its own. */
static void check_one_gpu(const struct sms__profile *profile, const char *path, struct sms_errors *errors)
{
    size_t l = 0;
    while (l < profile->launches && !sms__derive_elsewhere(profile, profile->launch[l].place))
        l++;
    if (l < profile->launches)
        sms__fail(errors, SMS_EINPUT, path,
                  "kernels ran on several GPUs, '%.60s' and '%.60s': trace programs on one GPU",
                  profile->launch[0].place->device, profile->launch[l].place->device);
}

static int read_run(struct sms__calibration *calibration, const char *path, struct sms_errors *errors)
{
    const struct sms__calibrate_settings *settings = calibration->settings;
    const struct sms__importer *importer;
    struct sms__traced_run run = {.path = path, .name = sms__import_name(calibration->arena, path)};
    for (size_t r = 0; r < calibration->runs; r++)
        if (!strcmp(calibration->run[r].name, run.name))
            return sms__fail(errors, SMS_EINPUT, path,
                             "has the same name as %s, so results could not tell them apart; rename one",
                             calibration->run[r].path);
    if (access(path, R_OK))
        return sms__fail(errors, errno == ENOENT ? SMS_EINPUT : SMS_EIO, path, "cannot be read: %s", strerror(errno));
    int code = sms__importer_of(calibration->arena, path, &importer, errors);
    if (code)
        return code;
    if (!importer || !importer->read)
        return sms__fail(
            errors, SMS_EINPUT, path,
            "is no trace: give reports of Nsight Systems as SQLite, traces of PyTorch, or reports of Nsight Compute");
    run.profile.tool = importer->name;
    code = importer->read(calibration->arena, &path, 1, &run.profile, errors);
    if (code)
        return code;
    sms__derive_check_device(calibration->arena, &run.profile, path, calibration->device, settings->load, errors);
    check_one_gpu(&run.profile, path, errors);
    if (!run.profile.trace && !settings->probe[SMS__COMPUTES_PROBE])
        return sms__fail(errors, SMS_EINPUT, path,
                         "has counters but no start times: such a report gives only the clock, with --computes KERNEL");
    if (!has_probes(calibration, &run.profile))
        divide(calibration->arena, &run);
    *SMS__APPEND(calibration->arena, calibration->run, calibration->runs) = run;
    return SMS_OK;
}

/* ---- programs ---- */

bool sms__same_shape(const struct sms__profile_shape *shape, const char *kernel, const uint64_t grid[3],
                     const uint64_t block[3])
{
    return memcmp(shape->grid, grid, sizeof shape->grid) == 0 &&
           memcmp(shape->block, block, sizeof shape->block) == 0 && strcmp(shape->kernel, kernel) == 0;
}

struct sms__shape_times *sms__shape_times(struct sms__arena *arena, const struct sms__profile *profile)
{
    struct sms__shape_times *times = SMS__NEW(arena, struct sms__shape_times, profile->shapes + 1);
    for (size_t l = 0; l < profile->launches; l++) {
        const struct sms__profile_launch *launch = &profile->launch[l];
        times[launch->shape->number].shape = launch->shape;
        sms__estimate_add(&times[launch->shape->number].seconds, launch->duration_s);
    }
    return times;
}

/* The share of launches of `process` that are of shapes of `of`. */
static double share_of(struct sms__arena *arena, const struct sms__profile *process, const struct sms__profile *of)
{
    const struct sms__shape_times *mine = sms__shape_times(arena, process), *known = sms__shape_times(arena, of);
    size_t common = 0;
    for (size_t i = 0; i < process->shapes; i++) {
        bool met = false;
        for (size_t k = 0; k < of->shapes && mine[i].shape && !met; k++)
            met = known[k].shape &&
                  sms__same_shape(mine[i].shape, known[k].shape->kernel, known[k].shape->grid, known[k].shape->block);
        common += met ? mine[i].seconds.n : 0;
    }
    return (double)common / (double)process->launches;
}

/* The number of the program that a process runs, the likest; that of none: programs. */
static size_t program_of(const struct sms__calibration *calibration, const struct sms__traced *process)
{
    size_t best = calibration->programs;
    double most = 0;
    for (size_t p = 0; p < calibration->programs; p++) {
        const struct sms__traced_run *run = &calibration->run[calibration->program[p].run];
        const double share = share_of(calibration->arena, &process->profile, &run->process[0].profile);
        if (share >= SAME_LEAST && share > most) {
            most = share;
            best = p;
        }
    }
    return best;
}

static void find_programs(struct sms__calibration *calibration)
{
    for (size_t r = 0; r < calibration->runs; r++) {
        struct sms__traced_run *run = &calibration->run[r];
        if (run->processes != 1)
            continue;
        run->process[0].program = program_of(calibration, &run->process[0]);
        run->held = run->process[0].program < calibration->programs;
        if (!run->held)
            *SMS__APPEND(calibration->arena, calibration->program, calibration->programs) =
                (struct sms__traced_program){.name = run->name, .run = r, .names = {.arena = calibration->arena}};
    }
}

static size_t count_copies(const struct sms__traced_run *run, size_t program)
{
    size_t copies = 0;
    for (size_t p = 0; p < run->processes; p++)
        copies += run->process[p].program == program;
    return copies;
}

/* Whether both run the same programs, in whichever order. */
static bool are_alike(const struct sms__traced_run *a, const struct sms__traced_run *b)
{
    bool alike = a->processes == b->processes;
    for (size_t p = 0; alike && p < a->processes; p++)
        alike = count_copies(a, a->process[p].program) == count_copies(b, a->process[p].program);
    return alike;
}

/* Says which programs a run of several processes has, and whether it is held back: the first of those alike is. */
static void place_pair(const struct sms__calibration *calibration, struct sms__traced_run *run)
{
    size_t before = 0;
    for (size_t p = 0; p < run->processes; p++) {
        run->process[p].program = program_of(calibration, &run->process[p]);
        if (run->process[p].program == calibration->programs)
            sms__fail(calibration->errors, SMS_EINPUT, run->path,
                      "no run alone has most of the kernels of process '%.60s': trace that program by itself, too",
                      run->process[p].name);
    }
    for (const struct sms__traced_run *other = calibration->run; other < run; other++)
        before += are_alike(other, run);
    run->held = before % 2 == 0;
}

/* ---- runs that contradict each other ---- */

static const double CONTRADICTS = 0.1;

struct sms__moments sms__step_moments(const struct sms__iterations *steps)
{
    const double deviation = steps->spread * steps->mean_s;
    return (struct sms__moments){steps->rounds, steps->mean_s, deviation * deviation * ((double)steps->rounds - 1)};
}

bool sms__contradict(struct sms_estimate a, struct sms_estimate b)
{
    const double apart = fabs(a.mean - b.mean); /* without a spread there is no interval */
    return !(apart <= a.ci95 + b.ci95) && apart > CONTRADICTS * fmin(fabs(a.mean), fabs(b.mean));
}

/* Runs of a program alone must agree, or the GPU or the program was not the same. */
static void check_alone(const struct sms__calibration *calibration, const struct sms__traced_run *run)
{
    const struct sms__traced_run *first = &calibration->run[calibration->program[run->process[0].program].run];
    const struct sms__iterations *a = &first->process[0].steps, *b = &run->process[0].steps;
    if (!a->repeats || !b->repeats || a->rounds < 2 || b->rounds < 2 ||
        !sms__contradict(sms__estimate_close(sms__step_moments(a)), sms__estimate_close(sms__step_moments(b))))
        return;
    sms__fail(calibration->errors, SMS_EINPUT, run->path,
              "contradicts %s: a step alone takes %.4g ms, and %.4g ms there; did the clock or the program change?",
              first->path, b->mean_s * 1e3, a->mean_s * 1e3);
}

int sms__read_runs(struct sms__calibration *calibration, const char *const *paths, size_t count)
{
    struct sms_errors *errors = calibration->errors;
    for (size_t i = 0; i < count; i++) {
        struct sms_errors own = {0}; /* because readers stop at errors of before */
        int code = read_run(calibration, paths[i], &own);
        for (size_t e = 0; e < own.count && e < SMS_ERRORS_MAX && errors->count < SMS_ERRORS_MAX; e++)
            errors->item[errors->count++] = own.item[e];
        if (code && code != SMS_EINPUT)
            return code;
    }
    if (errors->count)
        return errors->item[0].code;
    find_programs(calibration);
    for (size_t r = 0; r < calibration->runs; r++)
        if (calibration->run[r].processes > 1)
            place_pair(calibration, &calibration->run[r]);
        else if (calibration->run[r].held)
            check_alone(calibration, &calibration->run[r]);
    return errors->count ? errors->item[0].code : SMS_OK;
}
