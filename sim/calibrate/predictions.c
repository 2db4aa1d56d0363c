/* Predicts what was measured: programs alone as `import` has them, programs together, and the grids of probes. All of
 * it is one text of scenarios for each of the two sheets. */
#include "calibration.h"

#include "../model/policy/modes.h"
#include "../model/scenario.h"
#include "../results/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 20, SLICES = 60, REPLICATIONS = 5, REPLICATIONS_LEAST = 2 };
/* Of a run; more would take minutes. */
static const double BLOCKS_MOST = 4e6;

/* ---- scenarios ---- */

/* Of a job. */
static double blocks_of(const struct sms__traced *process)
{
    double blocks = 0;
    for (size_t l = 0; l < process->profile.launches; l++)
        blocks += sms__derive_volume(process->profile.launch[l].shape->grid);
    const double jobs =
        process->steps.repeats ? (double)process->profile.launches / (double)process->steps.launches : 1;
    return blocks / jobs;
}

/* Workloads and a scenario of a program alone; the names of its kernels the first time. */
static int write_program(const struct sms__calibration *calibration, struct sms__traced_program *program,
                         const char *model, const struct sms__device *device, FILE *to)
{
    const struct sms__traced_run *run = &calibration->run[program->run];
    struct sms__profile profile = run->profile; /* a copy, because the order of its launches changes */
    profile.launch =
        sms__enlarge(calibration->arena, profile.launch, profile.launches, profile.launches, sizeof *profile.launch);
    const struct sms__trace_options options = {
        .derive = {.path = run->path,
                   .name = program->name,
                   .device = device,
                   .names = program->names.count ? NULL : &program->names},
        .model = model,
        .jobs_most = fmin(fmax(BLOCKS_MOST / (REPLICATIONS * blocks_of(&run->process[0])), 1), 5 * JOBS)};
    int code = sms__trace_convert(calibration->arena, &profile, &options, to, calibration->errors);
    fputs("---\n", to);
    return code;
}

/* Each program ends a job even where all take turns; as many as JOBS, and SLICES turns, if that is not too many blocks.
 */
static void write_span(const struct sms__calibration *calibration, const struct sms__traced_run *run,
                       const struct sms__device *device, FILE *to)
{
    const double n = (double)run->processes, slice_s = 1e-12 * sms__mode_turns(NULL, device).slice_ps;
    double longest_s = 0, blocks_per_s = 0;
    for (size_t p = 0; p < run->processes; p++) {
        const struct sms__traced_program *program = &calibration->program[run->process[p].program];
        const struct sms__traced *alone = &calibration->run[program->run].process[0];
        longest_s = fmax(longest_s, alone->steps.mean_s);
        blocks_per_s += blocks_of(alone) / alone->steps.mean_s;
    }
    const double whole_s = fmin(fmax(JOBS * n * longest_s, SLICES * n * slice_s), BLOCKS_MOST / blocks_per_s);
    const double warmup_s = n * (longest_s + 2 * slice_s), duration_s = fmax(whole_s, (2 * n + 1) * longest_s);
    fprintf(to, "run: {warmup: %.9g us, duration: %.9g us, seed: %llu, replications: %d}\n", 1e6 * warmup_s,
            1e6 * (warmup_s + duration_s), (unsigned long long)calibration->settings->seed, REPLICATIONS);
}

/* "resnet", "resnet-2" of its second process in the run, "resnet.2" if a program is called so. */
static const char *process_name(const struct sms__calibration *calibration, const struct sms__traced_run *run, size_t p)
{
    const size_t program = run->process[p].program;
    const char *name = calibration->program[program].name;
    size_t copy = 1;
    for (size_t q = 0; q < p; q++)
        copy += run->process[q].program == program;
    const char *own = copy > 1 ? sms__print(calibration->arena, "%s-%zu", name, copy) : name;
    for (size_t o = 0; o < calibration->programs && copy > 1; o++)
        if (!strcmp(calibration->program[o].name, own)) /* programs have no '.' in their names */
            own = sms__print(calibration->arena, "%s.%zu", name, copy);
    return own;
}

static void write_pair(const struct sms__calibration *calibration, const struct sms__traced_run *run, const char *model,
                       const struct sms__device *device, FILE *to)
{
    fprintf(to, "scenario: %s\nquestion: How do the programs of this run share the GPU?\ndevices: [{model: %s}]\n",
            run->name, model);
    fprintf(to, "policies: [{mode: %s}]\nprocesses:\n", calibration->settings->together ? "mps" : "time_slice");
    for (size_t p = 0; p < run->processes; p++)
        fprintf(to, "  - {name: %s, %s, repeat: forever}\n", process_name(calibration, run, p),
                calibration->program[run->process[p].program].work);
    write_span(calibration, run, device, to);
    fputs("---\n", to);
}

/* A grid of a probe; `work` is what a block does, as YAML. */
static void write_grid(const char *name, const struct sms__grid *grid, const char *work, const char *model, FILE *to)
{
    fprintf(to, "workload: probe-%s-%llu\nkernels: [{name: probe, blocks: %llu, threads: %llu, %s}]\n---\n", name,
            (unsigned long long)grid->blocks, (unsigned long long)grid->blocks, (unsigned long long)grid->threads,
            work);
    fprintf(
        to,
        "scenario: probe-%s-%llu\nquestion: How long does this grid take?\ndevices: [{model: %s}]\ncontention: knee\n"
        "policies: [round_robin]\nvms: [{name: v, workload: probe-%s-%llu, repeat: 1}]\n---\n",
        name, (unsigned long long)grid->blocks, model, name, (unsigned long long)grid->blocks);
}

static void write_probes(const struct sms__calibration *calibration, const char *model, FILE *to)
{
    const struct sms__grids *empty = &calibration->empty, *reads = &calibration->reads;
    const char *work =
        sms__print(calibration->arena, "block_time: %.9g us, measured_blocks: 1, demand: {dram: %.9g %%}",
                   calibration->read_s * 1e6, 100 * (double)calibration->device->sms / calibration->read_full);
    for (size_t i = 1; i < empty->count && !isnan(calibration->fitted[SMS__SHEET_LAUNCH].value); i += 2)
        write_grid(empty->name, &empty->grid[i], "block_time: 1 ns", model, to);
    for (size_t i = 1; i < reads->count && !isnan(calibration->fitted[SMS__SHEET_KNEE].value); i += 2)
        write_grid(reads->name, &reads->grid[i], work, model, to);
}

/* ---- rows ---- */

static struct sms__predicted *add(struct sms__calibration *calibration, struct sms__moments seconds)
{
    const struct sms_estimate estimate = sms__estimate_close(seconds);
    struct sms__predicted *row = SMS__APPEND(calibration->arena, calibration->row, calibration->rows);
    *row = (struct sms__predicted){.measured = estimate.mean * 1e9,
                                   .measured_half = estimate.ci95 * 1e9,
                                   .total = estimate.mean * 1e9 * (double)estimate.n,
                                   .simulated = {NAN, NAN},
                                   .half = {NAN, NAN},
                                   .naive = NAN};
    return row;
}

/* The row of a process, of its steps or of a kernel. */
static struct sms__predicted *add_of(struct sms__calibration *calibration, const struct sms__traced_run *run, size_t p,
                                     const char *kernel, struct sms__moments seconds)
{
    const struct sms__traced_program *program = &calibration->program[run->process[p].program];
    struct sms__predicted *row = add(calibration, seconds);
    row->run = run->name;
    row->held = run->held;
    row->alone = run->processes == 1;
    row->scenario = row->alone ? program->name : run->name;
    row->what = row->alone ? program->name : process_name(calibration, run, p);
    row->name = row->alone ? program->tenant : row->what;
    row->what = sms__print(calibration->arena, "%s of %s", kernel ? kernel : "step", row->what);
    row->name = kernel ? sms__print(calibration->arena, "%s/%s", row->name, kernel) : row->name;
    row->subject = kernel ? SMS_KERNEL : SMS_VM;
    return row;
}

/* The naive model: a step takes as many times as long as there are processes. */
static void add_step(struct sms__calibration *calibration, const struct sms__traced_run *run, size_t p)
{
    const struct sms__iterations *steps = &run->process[p].steps;
    const struct sms__traced_program *program = &calibration->program[run->process[p].program];
    if (!steps->repeats || steps->rounds < 2)
        return;
    struct sms__predicted *row = add_of(calibration, run, p, NULL, sms__step_moments(steps));
    if (!row->alone)
        row->naive = 1e9 * calibration->run[program->run].process[0].steps.mean_s * (double)run->processes;
}

static const char *kernel_name(const struct sms__traced_program *program, const struct sms__profile_shape *shape)
{
    for (size_t k = 0; k < program->names.count; k++) {
        const struct sms__derived_name *name = &program->names.item[k];
        if (sms__same_shape(shape, name->symbol, name->grid, name->block))
            return name->name;
    }
    return NULL;
}

/* Kernels in turns are as long as their pauses, which tell of slices; elsewhere each is a row. */
static void add_kernels(struct sms__calibration *calibration, const struct sms__traced_run *run, size_t p)
{
    const struct sms__profile *profile = &run->process[p].profile;
    const struct sms__traced_program *program = &calibration->program[run->process[p].program];
    const struct sms__shape_times *times = sms__shape_times(calibration->arena, profile);
    for (size_t s = 0; s < profile->shapes; s++) {
        const char *name = times[s].shape ? kernel_name(program, times[s].shape) : NULL;
        if (name)
            add_of(calibration, run, p, name, times[s].seconds);
    }
}

static void add_grids(struct sms__calibration *calibration, const struct sms__grids *grids, enum sms__sheet_value value)
{
    for (size_t i = 1; i < grids->count && !isnan(calibration->fitted[value].value); i += 2) {
        struct sms__predicted *row = add(calibration, grids->grid[i].seconds);
        row->run = "probes";
        row->held = true;
        row->what =
            sms__print(calibration->arena, "%s, %llu blocks", grids->kernel, (unsigned long long)grids->grid[i].blocks);
        row->scenario =
            sms__print(calibration->arena, "probe-%s-%llu", grids->name, (unsigned long long)grids->grid[i].blocks);
        row->subject = SMS_VM;
        row->name = "v";
        row->naive = grids->grid[0].seconds.mean * 1e9;
    }
}

static void make_rows(struct sms__calibration *calibration)
{
    for (size_t r = 0; r < calibration->runs; r++) {
        const struct sms__traced_run *run = &calibration->run[r];
        for (size_t p = 0; p < run->processes; p++) {
            add_step(calibration, run, p);
            if (run->processes == 1 || calibration->settings->together)
                add_kernels(calibration, run, p);
        }
    }
    add_grids(calibration, &calibration->empty, SMS__SHEET_LAUNCH);
    add_grids(calibration, &calibration->reads, SMS__SHEET_KNEE);
}

/* ---- running ---- */

static void fill(struct sms__calibration *calibration, const struct sms_results *results, int sheet)
{
    for (size_t i = 0; i < calibration->rows; i++) {
        struct sms__predicted *row = &calibration->row[i];
        const char *metric = row->subject == SMS_VM ? "job_latency_mean_ns" : "latency_mean_ns";
        const size_t subject = sms__find_subject(results, row->subject, row->name);
        if (strcmp(row->scenario, sms_results_scenario(results)->name) != 0 ||
            subject == sms_results_subjects(results, row->subject))
            continue;
        const struct sms_estimate estimate =
            sms_results_estimate(results, 0, row->subject, subject, (size_t)sms_metric_index(row->subject, metric));
        row->simulated[sheet] = estimate.mean;
        row->half[sheet] = estimate.ci95;
    }
}

static int run_all(struct sms__calibration *calibration, const struct sms_file *file, int sheet)
{
    struct sms_run_options options = sms_run_defaults();
    int code = SMS_OK;
    options.alone = false;
    for (size_t p = 0; p < calibration->programs; p++)
        if (blocks_of(&calibration->run[calibration->program[p].run].process[0]) > BLOCKS_MOST / REPLICATIONS)
            options.replications = REPLICATIONS_LEAST;
    options.jobs = calibration->settings->jobs;
    options.max_memory = calibration->settings->load->max_memory;
    options.cancel = calibration->settings->cancel;
    for (size_t s = 0; s < sms_file_scenarios(file) && code == SMS_OK; s++) {
        struct sms_results *results = NULL;
        code = sms_run(sms_file_scenario(file, s), &options, &results, calibration->errors);
        if (code == SMS_OK)
            fill(calibration, results, sheet);
        sms_results_free(results);
    }
    return code;
}

/* What a program's scenario alone has as its tenant, for the scenarios of programs together. */
static void keep_work(struct sms__calibration *calibration, const struct sms_file *file)
{
    for (size_t p = 0; p < calibration->programs; p++) {
        struct sms__traced_program *program = &calibration->program[p];
        const struct sms__tenant *tenant = &file->scenario[p]->vm[0]; /* the only one: of a process on a GPU */
        const char *list = "";
        for (size_t c = 0; c < tenant->choices; c++)
            list = sms__print(calibration->arena, "%s%s{workload: %s}", list, c ? ", " : "",
                              tenant->choice[c].workload->name);
        program->tenant = sms__copy(calibration->arena, tenant->name, strlen(tenant->name));
        program->work = tenant->choices > 1
                            ? sms__print(calibration->arena, "streams: [%s]", list)
                            : sms__print(calibration->arena, "workload: %s", tenant->choice[0].workload->name);
    }
}

/* Closes the text, whose documents end with "---", and loads it; unless writing it ended with `code`, whose errors
 * would be lost, or nothing is to be simulated. */
static int close_text(struct sms__calibration *calibration, int code, struct sms__buffer *text, FILE *to,
                      struct sms_file **file)
{
    const bool whole = sms__buffer_close(text, to);
    if (code || !whole)
        return code ? code : sms__fail(calibration->errors, SMS_ENOMEM, NULL, "no memory");
    return text->length ? sms_file_load_text(text->bytes, text->length - 4, "calibration", calibration->settings->load,
                                             file, calibration->errors)
                        : SMS_OK;
}

/* The scenarios of programs alone, and then those of programs together. */
static int write_text(struct sms__calibration *calibration, const char *model, const struct sms__device *device,
                      struct sms__buffer *text, struct sms_file **file)
{
    int code = SMS_OK;
    FILE *to = sms__buffer_open(text);
    if (!to)
        return sms__fail(calibration->errors, SMS_ENOMEM, NULL, "no memory");
    if (model == calibration->settings->name)
        fprintf(to, "%s---\n", calibration->device_text);
    for (size_t p = 0; p < calibration->programs && code == SMS_OK; p++)
        code = write_program(calibration, &calibration->program[p], model, device, to);
    write_probes(calibration, model, to);
    code = close_text(calibration, code, text, to, file);
    if (code)
        return code;
    keep_work(calibration, *file);
    to = sms__buffer_open(text);
    if (!to)
        return sms__fail(calibration->errors, SMS_ENOMEM, NULL, "no memory");
    for (size_t r = 0; r < calibration->runs; r++)
        if (calibration->run[r].processes > 1)
            write_pair(calibration, &calibration->run[r], model, device, to);
    sms_file_free(*file);
    *file = NULL;
    return close_text(calibration, SMS_OK, text, to, file);
}

static bool any_fitted(const struct sms__calibration *calibration)
{
    bool any = false;
    for (int v = 0; v < SMS__SHEET_VALUES; v++)
        any |= !isnan(calibration->fitted[v].value);
    return any;
}

static int predict(struct sms__calibration *calibration, int sheet, const struct sms__device *device)
{
    const struct sms__calibrate_settings *settings = calibration->settings;
    struct sms__buffer shipped = {0}, *text = sheet == SMS__AS_FITTED ? &calibration->text : &shipped;
    struct sms_file *file = NULL;
    int code =
        write_text(calibration, sheet == SMS__AS_FITTED ? settings->name : settings->device, device, text, &file);
    if (code == SMS_OK && sheet == SMS__AS_SHIPPED)
        make_rows(calibration);
    if (code == SMS_OK && (sheet == SMS__AS_FITTED || any_fitted(calibration)))
        code = run_all(calibration, file, sheet);
    sms_file_free(file);
    free(shipped.bytes);
    return code;
}

int sms__predict(struct sms__calibration *calibration)
{
    struct sms_file *file = NULL;
    const struct sms__device *device = NULL;
    int code = predict(calibration, SMS__AS_SHIPPED, calibration->device);
    code = code ? code
                : sms__derive_device_text(calibration->device_text, calibration->settings->load, &file, &device,
                                          calibration->errors);
    code = code ? code : predict(calibration, SMS__AS_FITTED, device);
    for (size_t i = 0; i < calibration->rows && !any_fitted(calibration); i++) /* the sheet is as it was shipped */
        calibration->row[i].simulated[SMS__AS_SHIPPED] = calibration->row[i].simulated[SMS__AS_FITTED];
    sms_file_free(file);
    return code;
}
