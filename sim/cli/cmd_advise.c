/* `smsched advise`: which programs share a GPU, in which way, and how sure that is. */
#include "cli.h"
#include "session.h"

#include "../advise/pack.h"
#include "../base/member.h"
#include "../base/buffer.h"
#include "../base/quantity.h"
#include "../import/derive.h"
#include "../report/folder.h"
#include "../report/json_write.h"
#include "../sweep/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DRAWS = 20, COPIES_MOST = 64, PROGRAMS_MOST = 64, GPUS_MOST = 1000 };

struct options {
    const char *with, *profiled, *out;
    const char *device[CLI_LIST_MAX + 1], *slo[CLI_LIST_MAX + 1], *copies[CLI_LIST_MAX + 1], *load[CLI_LIST_MAX + 1],
        *memory[CLI_LIST_MAX + 1];
    uint64_t cores, seed, events, jobs, draws;
    int format;
    bool force;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option own_options[] = {
    {"device", "DEVICE[=N]",
     "share this GPU ('smsched list devices' shows them); with =N, share N of them (repeatable)", CLI_LIST, AT(device)},
    {"slo", "NAME:METRIC<TIME",
     "set a program's target, such as 'serve:p99<50ms'; metrics: mean, p50, p95, p99 (repeatable)", CLI_LIST, AT(slo)},
    {"copies", "[NAME:]A..B", "try these numbers of copies of the program, or of each program (repeatable); default 1",
     CLI_LIST, AT(copies)},
    {"load", "NAME:RATE/s",
     "let jobs arrive at random at this rate, shared by all copies; default: a job starts when the last one ends "
     "(repeatable)",
     CLI_LIST, AT(load)},
    {"gpu-memory", "NAME:SIZE",
     "add this device memory to what the steps of each copy allocate, such as for weights and caches (repeatable)",
     CLI_LIST, AT(memory)},
    {"cores", "N", "let the programs of one GPU share this many cores of the host; default: no limit", CLI_COUNT,
     AT(cores), .max = 1e6},
    {"with", "FILE", "traces: take demands from this report of Nsight Compute", CLI_TEXT, AT(with), .file = CLI_INPUT},
    {"profiled", "DEVICE", "profilers: name the device file of the profiled GPU, if the profile does not identify it",
     CLI_TEXT, AT(profiled)},
    {"unknowns", "N", "draw uncertain inputs N times, and print in how many draws the answer holds; default 20",
     CLI_COUNT, AT(draws), .max = 100000},
    {"seed", "N", "use this seed of the random numbers; default 1", CLI_COUNT, AT(seed)},
    {"events", "COUNT", "exit with 4 and write nothing if a run of a way has more events; default 1e12", CLI_COUNT,
     AT(events)},
    {"jobs", "N", "use this many threads, which does not change results; default: all cores", CLI_COUNT, AT(jobs),
     .max = 100000},
    {"out", "DIR",
     "write the answer as JSON, and the scenario and settings of each way, to this folder; it must not exist, unless "
     "--force is given",
     CLI_TEXT, AT(out), .file = CLI_OUTPUT_FOLDER, .letter = 'o'},
    {"force", NULL, "with --out: replace the folder of earlier advice", CLI_FLAG, AT(force), .letter = 'f'},
    {"format", "FORMAT", "print a table or json", CLI_CHOICE, AT(format), .choices = cli_table_or_json},
    {0},
};

/* ---- options about one program ---- */

/* The program that an option's value names before its last ':'; NULL with the problem printed. `rest`: what follows. */
static struct sms__program *find_program(const struct cli *cli, const char *option, const char *value,
                                         const struct sms__programs *programs, const char **rest)
{
    char name[200], names[400] = "";
    const char *colon = strrchr(value, ':');
    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - value) : 0, value);
    *rest = colon ? colon + 1 : value;
    for (size_t i = 0; i < programs->count; i++) {
        sms__append(names, sizeof names, "%s%s", i ? ", " : "; programs: ", programs->program[i].name);
        if (!strcmp(programs->program[i].name, name))
            return &programs->program[i];
    }
    const char *near = sms__nearest(name, programs->count, SMS__NAMES(programs->program, name));
    if (!colon)
        cli_usage(cli, "--%s: '%s' names no program: write NAME:...%s", option, value, names);
    else
        cli_usage(cli, "--%s: no program is called '%s'%s", option, name, near ? sms__did_you_mean(near).text : names);
    return NULL;
}

/* What an option takes, from the least to the most, which `words` say. */
struct range {
    enum sms__dimension dimension;
    double least, most;
    const char *words;
};

static int parse(const struct cli *cli, const char *option, const char *text, struct range range, double *out)
{
    struct sms__quantity number;
    char why[160];
    const char *problem = sms__quantity_parse(text, range.dimension, &number, why, sizeof why);
    if (problem)
        return cli_usage(cli, "--%s: '%s' %s", option, text, problem);
    if (!(number.value >= range.least && number.value <= range.most))
        return cli_usage(cli, "--%s: '%s' is out of range; it must be from %s", option, text, range.words);
    *out = number.value;
    return EXIT_OK;
}

static int set_target(const struct cli *cli, const char *value, const struct sms__programs *programs)
{
    static const struct {
        const char *word, *metric;
        double beyond;
    } metrics[] = {{"mean", "job_latency_mean_ns", 0},
                   {"p50", "job_latency_p50_ns", 0.5},
                   {"p95", "job_latency_p95_ns", 0.05},
                   {"p99", "job_latency_p99_ns", 0.01}};
    const char *rest;
    struct sms__program *program = find_program(cli, "slo", value, programs, &rest);
    const char *sign = program ? strchr(rest, '<') : NULL;
    double ps = 0;
    if (!program)
        return EXIT_USAGE;
    rest += strspn(rest, " ");
    const size_t length = strcspn(rest, " <"), blank = strspn(rest + length, " ");
    for (size_t i = 0; sign == rest + length + blank && i < sizeof metrics / sizeof *metrics; i++)
        if (strlen(metrics[i].word) == length && !strncmp(metrics[i].word, rest, length)) {
            const char *time = sign + 1 + strspn(sign + 1, " ");
            int code = parse(cli, "slo", time, (struct range){SMS__TIME, 1, SMS__TIME_MAX_PS, "1 ps to 2500 h"}, &ps);
            program->target = (struct sms__target){metrics[i].metric, metrics[i].word, metrics[i].beyond, ps / 1e3};
            return code;
        }
    return cli_usage(cli, "--slo: '%s' is not a target; write it as 'serve:p99<50ms'; metrics: mean, p50, p95, p99",
                     value);
}

static int set_load(const struct cli *cli, const char *value, const struct sms__programs *programs)
{
    const char *rest;
    struct sms__program *program = find_program(cli, "load", value, programs, &rest);
    const struct range range = {SMS__ARRIVAL_RATE, SMS__LOAD_LEAST, SMS__LOAD_MOST, "1e-5/s to 1e7/s"};
    if (!program)
        return EXIT_USAGE;
    if (program->tenant->own && program->tenant->streams > 1)
        return cli_usage(cli,
                         "--load: %s has %u streams with work of their own, which cannot share requests; leave out its "
                         "--load, and its jobs follow each other",
                         program->name, (unsigned)program->tenant->streams);
    return parse(cli, "load", rest, range, &program->per_s);
}

static int set_memory(const struct cli *cli, const char *value, const struct sms__programs *programs)
{
    const char *rest;
    struct sms__program *program = find_program(cli, "gpu-memory", value, programs, &rest);
    const struct range range = {SMS__BYTES, 1, SMS__STATIC_MOST, "1 B to 1 TB"};
    return program ? parse(cli, "gpu-memory", rest, range, &program->memory) : EXIT_USAGE;
}

static int set_copies(const struct cli *cli, const char *value, const struct sms__programs *programs)
{
    const char *rest = value;
    struct sms__program *named = strchr(value, ':') ? find_program(cli, "copies", value, programs, &rest) : NULL;
    char *end;
    if (!named && strchr(value, ':'))
        return EXIT_USAGE;
    const unsigned long least = strtoul(rest, &end, 10);
    const unsigned long most = !strncmp(end, "..", 2) ? strtoul(end + 2, &end, 10) : least;
    if (*end || rest[0] < '0' || rest[0] > '9' || least < 1 || most < least || most > COPIES_MOST)
        return cli_usage(cli, "--copies: '%s' is not a number of copies; write 3 or 1..5, with at most %d", value,
                         COPIES_MOST);
    for (size_t p = 0; p < programs->count; p++)
        if (!named || named == &programs->program[p]) {
            programs->program[p].least = least;
            programs->program[p].most = most;
        }
    return EXIT_OK;
}

/* The length of "NAME:"; 0: the value is for each program. */
static size_t length_of_name(const char *value)
{
    const char *colon = strchr(value, ':');
    return colon ? (size_t)(colon + 1 - value) : 0;
}

static bool are_of_one(const char *value, const char *other)
{
    const size_t length = length_of_name(value);
    return length == length_of_name(other) && strncmp(value, other, length) == 0;
}

static int set_all(const struct cli *cli, const char *const *values, const struct sms__programs *programs,
                   int (*set)(const struct cli *cli, const char *value, const struct sms__programs *programs))
{
    int code = EXIT_OK;
    for (size_t i = 0; values[i]; i++) {
        size_t before = 0;
        while (before < i && !are_of_one(values[before], values[i]))
            before++;
        code |= before == i ? set(cli, values[i], programs)
                            : cli_usage(cli, "'%s' and '%s' are for the same program; give only one of them",
                                        values[before], values[i]);
    }
    return code;
}

/* Says all that is wrong. Copies of each program come before those of one, which hold whatever the order. */
static int set_options(const struct cli *cli, const struct sms__programs *programs)
{
    const struct options *given = cli->options;
    const char *copies[CLI_LIST_MAX + 1] = {NULL};
    for (size_t i = 0, n = 0; i < 2 * (size_t)CLI_LIST_MAX; i++) {
        const char *value = given->copies[i % CLI_LIST_MAX];
        if (value && (length_of_name(value) > 0) == (i >= CLI_LIST_MAX))
            copies[n++] = value;
    }
    int code = set_all(cli, given->slo, programs, set_target);
    code |= set_all(cli, given->load, programs, set_load);
    code |= set_all(cli, given->memory, programs, set_memory);
    return code | set_all(cli, copies, programs, set_copies);
}

/* ---- the folder ---- */

struct advising {
    struct cli *cli;
    struct sms__arena arena;
    struct sms__programs programs;
    struct sms__advice advice;
    struct sms__pack pack; /* of several GPUs, and then there is no advice */
    struct sms__trust *trust;
    struct sms__progress progress;
    struct sms__folder folder; /* of --out: begun before the runs, which are long and would be lost */
    struct sms_errors errors;
    int exit_code;
};

static int write_json(struct advising *advising, FILE *to)
{
    json_t *object = advising->pack.kinds ? sms__pack_json(&advising->pack, &advising->arena)
                                          : sms__advice_json(&advising->advice, advising->trust);
    return sms__json_write(object, to, JSON_INDENT(2));
}

static int write_file(struct sms__folder *folder, const char *name, const struct sms__buffer *text,
                      struct sms_errors *errors)
{
    FILE *to = sms__folder_open(folder, name, errors);
    if (!to)
        return SMS_EIO;
    fwrite(text->bytes, 1, text->length, to);
    return sms__folder_close(folder, name, to, errors);
}

static int write_way(struct sms__folder *folder, const char *called, const struct sms__advice *advice,
                     const struct sms__advise_settings *settings, const struct sms__outlook *outlook,
                     struct sms_errors *errors)
{
    const struct sms__way *way = outlook->way;
    const struct sms__buffer *text = sms__way_text(advice, way, SMS__KNOWN_END);
    struct sms__buffer scenario = {0}, set = {0};
    char name[300];
    FILE *to = sms__buffer_open(&scenario), *to_set = sms__buffer_open(&set);
    if (to) {
        fwrite(text->bytes, 1, text->length, to);
        sms__way_write(way, advice->programs, settings, outlook->span, SMS__KNOWN_END, to);
    }
    if (to_set)
        sms__way_settings(way, advice->programs, advice->device, to_set);
    bool whole = to && sms__buffer_close(&scenario, to);
    whole &= to_set && sms__buffer_close(&set, to_set);
    int code = whole ? SMS_OK : sms__fail(errors, SMS_ENOMEM, NULL, "no memory");
    snprintf(name, sizeof name, "%.250s.yaml", called);
    code = code ? code : write_file(folder, name, &scenario, errors);
    snprintf(name, sizeof name, "%.250s.sh", called);
    code = code ? code : write_file(folder, name, &set, errors);
    free(scenario.bytes);
    free(set.bytes);
    return code;
}

static int write_gpu(struct sms__folder *folder, const struct sms__pack *pack, const struct sms__packed *gpu,
                     const struct sms__advise_settings *settings, struct sms_errors *errors)
{
    struct sms__advise_settings own = *settings;
    own.device = pack->kind[gpu->group->kind].name;
    return write_way(folder, gpu->name, &gpu->group->advice, &own, gpu->group->best, errors);
}

/* The answer in whole, of which `plot` draws the ways; and what each way is. */
static int write_answers(struct advising *advising, struct sms__folder *folder,
                         const struct sms__advise_settings *settings)
{
    const struct sms__advice *advice = &advising->advice;
    const struct sms__pack *pack = &advising->pack;
    struct sms_errors *errors = &advising->errors;
    FILE *to = sms__folder_open(folder, "advice.json", errors);
    if (!to)
        return SMS_EIO;
    const bool whole = write_json(advising, to) == 0;
    int code = sms__folder_close(folder, "advice.json", to, errors);
    if (code == SMS_OK && !whole)
        code = sms__fail(errors, SMS_ENOMEM, NULL, "no memory");
    for (size_t i = 0; i < advice->count && code == SMS_OK; i++)
        if (!advice->outlook[i].why)
            code = write_way(folder, advice->outlook[i].way->name, advice, settings, &advice->outlook[i], errors);
    for (size_t i = 0; i < pack->gpus && code == SMS_OK; i++)
        code = write_gpu(folder, pack, &pack->gpu[i], settings, errors);
    return code;
}

static int begin_folder(struct advising *advising)
{
    const struct options *given = advising->cli->options;
    return given->out ? sms__folder_begin(&advising->folder, given->out,
                                          given->force ? SMS__FOLDER_REPLACE : SMS__FOLDER_NEW, &advising->errors)
                      : SMS_OK;
}

static int write_folder(struct advising *advising, const struct sms__advise_settings *settings)
{
    const int code = write_answers(advising, &advising->folder, settings);
    if (code)
        return code;
    json_t *manifest = json_object();
    json_object_set_new(manifest, "kind", json_string("advice"));
    json_object_set_new(manifest, "version", json_string(SMSCHED_VERSION));
    json_object_set_new(manifest, "command", sms__json_path(advising->cli->command_line));
    return sms__folder_end(&advising->folder, manifest, &advising->errors);
}

/* ---- the command ---- */

static void show_progress(void *user, size_t done, size_t total)
{
    sms__progress_show(&((struct advising *)user)->progress, done, total, 0);
}

/* Told while the long runs are made, so that one need not wait for them. */
static void show_estimate(void *user, double part, const struct sms__advice *advice)
{
    struct advising *advising = user;
    sms__progress_end(&advising->progress);
    fprintf(stderr, "estimate, from runs of %.0f %% of the length: ", 100 * part);
    sms__advice_print_answer(advice, stderr);
    sms__progress_begin(&advising->progress, "", "ways", advising->cli->quiet);
}

static int print(struct advising *advising)
{
    const struct sms__screen screen = cli_screen(advising->cli);
    if (((const struct options *)advising->cli->options)->format != FORMAT_TABLE)
        return write_json(advising, stdout) && !ferror(stdout) ? cli_no_memory() : EXIT_OK; /* cli_finish reports it */
    if (advising->pack.kinds)
        sms__pack_print(&advising->pack, &advising->arena, advising->trust, &screen);
    else
        sms__advice_print(&advising->advice, advising->trust, &screen);
    return EXIT_OK;
}

/* There are several GPUs, or one says how many there are. */
static bool has_kinds(const struct options *given) { return given->device[1] || strchr(given->device[0], '='); }

static int set_kinds(struct advising *advising)
{
    const struct cli *cli = advising->cli;
    const struct options *given = cli->options;
    struct sms__pack *pack = &advising->pack;
    int code = EXIT_OK;
    pack->programs = &advising->programs;
    for (size_t i = 0; given->device[i] && has_kinds(given); i++) {
        const char *number = strchr(given->device[i], '=');
        const size_t length = strcspn(given->device[i], "=");
        char *end = NULL;
        const unsigned long gpus = number ? strtoul(number + 1, &end, 10) : 1;
        if (number && (*end || number[1] < '0' || number[1] > '9' || gpus < 1 || gpus > GPUS_MOST))
            code = cli_usage(cli, "--device: '%s' is not a number of GPUs; write a100=4, with at most %d",
                             given->device[i], GPUS_MOST);
        for (size_t k = 0; k < pack->kinds; k++)
            if (strlen(pack->kind[k].name) == length && !strncmp(pack->kind[k].name, given->device[i], length))
                code = cli_usage(cli, "--device: '%s' is given twice", pack->kind[k].name);
        *SMS__APPEND(&advising->arena, pack->kind, pack->kinds) =
            (struct sms__kind){.name = sms__copy(&advising->arena, given->device[i], length), .gpus = gpus};
    }
    for (size_t p = 0; p < advising->programs.count && pack->kinds; p++)
        if (advising->programs.program[p].least != advising->programs.program[p].most)
            code = cli_usage(cli, "--copies: to place copies of '%s' on several GPUs, say how many there are",
                             advising->programs.program[p].name);
    return code;
}

static int find_answer(struct advising *advising, const struct sms__advise_settings *settings)
{
    int code;
    sms__progress_begin(&advising->progress, "", advising->pack.kinds ? "groups" : "ways", advising->cli->quiet);
    if (advising->pack.kinds)
        code = sms__pack(&advising->arena, settings, &advising->pack, &advising->errors);
    else
        code = sms__advise(&advising->arena, &advising->programs, settings, &advising->advice, &advising->errors);
    sms__progress_end(&advising->progress);
    return code;
}

/* All of them, before the programs are read, which name the first. */
static int check_devices(const char *const *given, const struct sms_load_options *load, struct sms__arena *arena,
                         struct sms_errors *errors)
{
    int code = SMS_OK;
    for (size_t i = 0; given[i]; i++) {
        const char *name = sms__copy(arena, given[i], strcspn(given[i], "="));
        const struct sms__device *device;
        struct sms_errors wrong = {0};
        struct sms_file *file = NULL;
        const int one = sms__derive_device(name, load, &file, &device, &wrong);
        if (one)
            sms__add_errors(errors, &wrong);
        code = code ? code : one;
        sms_file_free(file);
    }
    return code;
}

static int read_programs(struct advising *advising, const struct sms__advise_settings *settings)
{
    const struct cli *cli = advising->cli;
    int code = SMS_OK;
    for (size_t i = 0; i < cli->n_args; i++) {
        struct sms_errors wrong = {0};
        const int one = sms__programs_read(&advising->arena, cli->args[i], settings, &advising->programs, &wrong);
        if (one)
            sms__add_errors(&advising->errors, &wrong);
        code = code ? code : one;
    }
    return code;
}

/* Refuses options that none of the programs has a use for. */
static int check_used(const struct cli *cli, const struct sms__programs *programs)
{
    const struct options *given = cli->options;
    if (given->with && !programs->with)
        return cli_usage(cli, "--with: no program is a trace of Nsight Systems or PyTorch, so none takes demands from "
                              "it; give it to 'smsched import'");
    if (given->profiled && !programs->imported)
        return cli_usage(cli, "--profiled: no program is a trace or a profile");
    return EXIT_OK;
}

static int body(void *user)
{
    struct advising *advising = user;
    struct cli *cli = advising->cli;
    const struct options *given = cli->options;
    const struct sms_load_options load = session_options(cli);
    const char *device = sms__copy(&advising->arena, given->device[0], strcspn(given->device[0], "="));
    const bool watched = isatty(STDERR_FILENO) && !cli->quiet;
    const struct sms__advise_settings settings = {.load = &load,
                                                  .device = device,
                                                  .with = given->with,
                                                  .profiled = given->profiled,
                                                  .cores = given->cores,
                                                  .programs_most = has_kinds(given) ? PROGRAMS_MOST : SMS__SHARING_MAX,
                                                  .seed = given->seed ? given->seed : 1,
                                                  .max_events = given->events ? given->events : CLI_EVENTS_MOST,
                                                  .jobs = given->jobs ? (unsigned)given->jobs : cli_cores(),
                                                  .draws = given->draws ? given->draws : DRAWS,
                                                  .cancel = &cli_interrupted,
                                                  .notes = watched ? stderr : NULL,
                                                  .on_progress = show_progress,
                                                  .on_estimate = watched ? show_estimate : NULL,
                                                  .user = advising};
    const char *const profiled[] = {given->profiled, NULL};
    int code = check_devices(given->device, &load, &advising->arena, &advising->errors);
    const int code_profiled = check_devices(profiled, &load, &advising->arena, &advising->errors);
    code = code ? code : code_profiled;
    if (given->with && access(given->with, R_OK)) /* which workloads of the library do not read */
        code = sms__fail(&advising->errors, errno == ENOENT ? SMS_EINPUT : SMS_EIO, given->with, "%s", strerror(errno));
    if (code == SMS_OK)
        code = read_programs(advising, &settings);
    if (code == SMS_OK)
        advising->exit_code = check_used(cli, &advising->programs);
    if (code == SMS_OK && !advising->exit_code)
        advising->exit_code = set_options(cli, &advising->programs);
    if (code == SMS_OK)
        advising->exit_code |= set_kinds(advising);
    if (code || advising->exit_code)
        return code;
    code = begin_folder(advising);
    if (code == SMS_OK)
        code = find_answer(advising, &settings);
    if (code == SMS_OK && sms__trust_exists(&load))
        code = sms__trust_load(&load, &advising->trust, &advising->errors);
    if (code == SMS_OK && given->out)
        code = write_folder(advising, &settings);
    if (code == SMS_OK)
        advising->exit_code = print(advising);
    return code;
}

static int advise(struct cli *cli)
{
    const struct options *given = cli->options;
    struct advising advising = {.cli = cli};
    if (cli->n_args == 0)
        return cli_usage(cli, "name a trace, a profile, a workload's file, or a workload of the library");
    if (!given->device[0])
        return cli_usage(cli, "give the GPU to share with --device ('smsched list devices' shows them)");
    int code = sms__guard(&advising.arena, body, &advising);
    if (code == SMS_ENOMEM && !advising.errors.count)
        sms__fail(&advising.errors, code, NULL, "no memory");
    sms__folder_abandon(&advising.folder);
    sms__advice_free(&advising.advice);
    sms__pack_free(&advising.pack);
    sms__programs_free(&advising.programs);
    sms__trust_free(advising.trust);
    sms__arena_release(&advising.arena);
    return code ? cli_print_errors(code, &advising.errors) : advising.exit_code;
}

const struct cli_command cmd_advise = {
    .name = "advise",
    .args = "PROGRAM...",
    .summary = "decide which programs should share a GPU, which of several GPUs, and how",
    .text =
        "A program is a trace (Nsight Systems as SQLite, PyTorch), a profile (Nsight Compute, nvprof), a file with a "
        "workload or a scenario, or a workload of the library by its name. It is named after its file. In a scenario, "
        "each tenant is a program under its own name.\n"
        "Each program runs alone, then with the others in time slices, under MPS, with caps, and on the layouts of MIG "
        "that the device has. The table starts with the best way: the one that does the most work among those that "
        "meet all targets. Work is the number of dedicated GPUs that the shared one replaces. For kernels without "
        "counters, contention is a range, and the worse end decides.\n"
        "With several GPUs, give the number of each kind. The table then shows which programs share which GPU, and "
        "how, so that as many programs as possible meet their targets, and do the most work.\n"
        "--out writes the answer as JSON, for 'smsched report' and 'smsched plot'. For each way it also writes a "
        "scenario, for 'smsched run', and the settings that apply it.",
    .examples = "smsched advise scenarios/advise/train.yaml scenarios/advise/serve.yaml --device v100 "
                "--slo 'serve:p99<10ms'\n"
                "smsched advise v100/hotspot_512 --device a100-80gb --copies 1..4\n"
                "smsched advise v100/cfd_193k v100/hotspot_512 --device v100 --format json\n"
                "smsched advise v100/cfd_193k v100/cfd_097k v100/hotspot_512 --device v100=1 --device t4=2\n",
    .options = {{own_options}},
    .common = CLI_STRICT | CLI_MEMORY | CLI_MODELS | CLI_PLUGINS | CLI_QUIET,
    .size = sizeof(struct options),
    .run = advise};
