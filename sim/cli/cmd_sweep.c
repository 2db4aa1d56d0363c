/* The command sweep: runs a plan's points, prints their status, or merges them. */
#include "cli.h"
#include "session.h"

#include "../base/escape.h"
#include "../report/json_write.h"
#include "../sweep/frontier.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARDS_MAX = 10000 };

struct options {
    const char *out, *shard;
    uint64_t jobs; /* 0: not given */
    int engine;    /* enum sms_engine */
    int format;    /* 0: text, 1: JSON */
    bool check;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option own_options[] = {
    {"out", "DIR", "use this folder for the sweep; default: NAME.sweep, with the name of the plan", CLI_TEXT, AT(out),
     .file = CLI_OUTPUT_FOLDER, .letter = 'o'},
    {"jobs", "N", "use this many threads, which does not change results; default: all cores", CLI_COUNT, AT(jobs),
     .max = 100000},
    {"shard", "K/N", "run only the K-th of N parts, from 1, and merge nothing", CLI_TEXT, AT(shard)},
    {"engine", "ENGINE", "choose the engine: fast, or reference, which is simple and slow and gives the same results",
     CLI_CHOICE, AT(engine), .choices = cli_engines},
    {"check", NULL, "check the engine's invariants at every event", CLI_FLAG, AT(check)},
    {"format", "FORMAT", "print a table, or json: the counts and the answers of a search", CLI_CHOICE, AT(format),
     .choices = cli_table_or_json},
    {0},
};

/* Reads "2/3". */
static int read_shard(const struct cli *cli, struct sms__shard *shard)
{
    const struct options *given = cli->options;
    char *end = NULL;
    *shard = (struct sms__shard){1, 1};
    if (!given->shard)
        return EXIT_OK;
    bool digits = given->shard[0] != '\0' && given->shard[strspn(given->shard, "0123456789/")] == '\0';
    unsigned long idx = digits ? strtoul(given->shard, &end, 10) : 0, count = 0;
    if (end && *end == '/' && end[1] && !strchr(end + 1, '/'))
        count = strtoul(end + 1, NULL, 10);
    if (idx < 1 || idx > count || count > SHARDS_MAX)
        return cli_usage(cli, "--shard: '%s' is not K/N, as 2/3, with K from 1 to N and N at most %d", given->shard,
                         SHARDS_MAX);
    *shard = (struct sms__shard){(unsigned)idx, (unsigned)count};
    return EXIT_OK;
}

struct sweep {
    const struct cli *cli;
    const char *path; /* of the plan */
    struct sms_load_options options;
    struct sms__plan *plan;
    char folder[4200];
};

/* Those of bases, and of points that have others. `own`: those of the plan's own file as well, which `validate` prints
 * itself. */
static void print_warnings(const struct sweep *sweep, bool own)
{
    for (size_t i = 0; i < sweep->plan->bases; i++)
        if (own || strcmp(sweep->plan->base[i].path, sweep->path) != 0)
            sms_errors_print(sms_file_warnings(sweep->plan->base[i].library), stderr);
    sms_errors_print(&sweep->plan->warnings, stderr);
}

static int load(struct sweep *sweep, const struct cli *cli, const char *path, const char *out)
{
    struct sms_errors errors;
    *sweep = (struct sweep){.cli = cli, .path = path, .options = session_options(cli)};
    if (!strcmp(path, "-"))
        return cli_usage(cli, "a plan is read from a file, not from standard input: 'sweep status', 'sweep merge' and "
                              "'run --point' read it again");
    if (cli_check_file(path, "the file of a plan"))
        return EXIT_INPUT;
    int code = sms__plan_load(path, &sweep->options, &sweep->plan, &errors);
    if (code || !sweep->plan)
        return cli_print_errors(code, &errors);
    int size = out ? snprintf(sweep->folder, sizeof sweep->folder, "%s", out)
                   : snprintf(sweep->folder, sizeof sweep->folder, "%s.sweep", sweep->plan->name);
    if ((size_t)size >= sizeof sweep->folder)
        return cli_print_errors(sms__fail(&errors, SMS_EIO, out, "the name is too long"), &errors);
    return EXIT_OK;
}

/* Reads the stores, and calls `then` with what they hold. */
static int with_index(struct sweep *sweep, int (*then)(struct sweep *sweep, struct sms__index *index))
{
    struct sms__worker_context context;
    struct sms__index index;
    struct sms_errors errors = {0};
    int code = sms__worker_context_open(sweep->plan, true, &context, &errors);
    if (code == SMS_OK) {
        code = sms__frontier_open(&context, sweep->folder, (struct sms__shard){1, 1}, &index, &errors);
        sms__worker_context_close(&context);
    }
    if (code)
        return cli_print_errors(code, &errors);
    code = then(sweep, &index);
    sms__frontier_close(&index);
    return code;
}

static bool is_json(const struct sweep *sweep) { return ((struct options *)sweep->cli->options)->format; }

static unsigned long long number(uint64_t value) { return (unsigned long long)value; }

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* A sweep in many shards may have as many that found nothing to run. */
static void print_stores(const struct sms__index *index)
{
    uint64_t empty = 0;
    for (size_t i = 0; i < index->stores; i++) {
        const struct sms__indexed_store *store = &index->store[i];
        if (!store->records && !store->running) {
            empty++;
            continue;
        }
        sms__print_visible(stdout, store->name);
        printf(": %llu record%s%s\n", number(store->records), plural(store->records),
               store->running ? ", running" : "");
    }
    if (empty)
        printf("%llu shard%s no records\n", number(empty), empty == 1 ? " has" : "s have");
}

static int print_status(struct sweep *sweep, struct sms__index *index)
{
    (void)sweep;
    uint64_t points = index->wanted, missing = points - index->done - index->failed;
    printf("%llu point%s: %llu done, %llu failed, %llu missing\n", number(points), plural(points), number(index->done),
           number(index->failed), number(missing));
    if (index->stale)
        printf("%llu record%s of another plan, scenario, model or version and %s not count\n", number(index->stale),
               index->stale == 1 ? " is" : "s are", index->stale == 1 ? "does" : "do");
    print_stores(index);
    return missing || index->failed ? EXIT_MISSED : EXIT_OK;
}

static int write_json(const struct sms__index *index, uint64_t missing)
{
    json_t *object = index->search ? sms__search_json(index->search) : json_object();
    if (object) {
        json_object_set_new(object, "done", json_integer((json_int_t)index->done));
        json_object_set_new(object, "failed", json_integer((json_int_t)index->failed));
        json_object_set_new(object, "missing", json_integer((json_int_t)missing));
    }
    const bool whole = sms__json_write(object, stdout, JSON_INDENT(2)) == 0;
    return whole || ferror(stdout) ? EXIT_OK : cli_no_memory(); /* cli_finish reports a failure of stdout */
}

static int print_results(const struct sweep *sweep, const struct sms__index *index, uint64_t missing)
{
    if (!sweep->cli->quiet) {
        sms__print_visible(stdout, sweep->folder);
        printf("/results: %llu point%s, %llu failed, %llu missing\n", number(index->done), plural(index->done),
               number(index->failed), number(missing));
    }
    if (index->search && !sms__search_print(index->search, stdout))
        return cli_no_memory();
    if (!sweep->cli->quiet)
        sms__sweep_say_alone(sweep->folder, stdout);
    return EXIT_OK;
}

static int write_results(struct sweep *sweep, struct sms__index *index)
{
    struct sms_errors errors = {0};
    uint64_t missing = index->wanted - index->done - index->failed;
    if (missing == index->wanted) {
        sms__print_visible(stderr, sweep->folder);
        fputs(": no point of the plan has been run: there is nothing to merge\n", stderr);
        return EXIT_MISSED;
    }
    uint64_t warned = 0;
    int code = sms__sweep_merge(index, &cli_interrupted, &warned, &errors);
    if (code)
        return cli_print_errors(code, &errors);
    if (warned) {
        sms__print_visible(stderr, sweep->folder);
        fprintf(stderr, "/results: %llu point%s: see points.csv\n", number(warned),
                warned == 1 ? " has warnings" : "s have warnings");
    }
    code = is_json(sweep) ? write_json(index, missing) : print_results(sweep, index, missing);
    if (code)
        return code;
    return missing || index->failed ? EXIT_MISSED : EXIT_OK;
}

/* The stores are read under the lock: while this process waited for it, points may have been added. */
static int merge(struct sweep *sweep)
{
    struct sms_errors errors = {0};
    int fd = sms__merge_lock(sweep->folder, &cli_interrupted, &errors);
    if (fd < 0)
        return cli_print_errors(errors.item[0].code, &errors);
    int code = with_index(sweep, write_results);
    close(fd);
    return code;
}

static void print_count(const struct sms__sweep_count *count)
{
    printf("%llu point%s: %llu run now, %llu before\n", number(count->points), plural(count->points),
           number(count->run), number(count->before));
    if (count->shared) /* two runs or more */
        printf("%llu runs: %llu simulated, %llu the same as one of these\n", number(count->simulated + count->shared),
               number(count->simulated), number(count->shared));
}

static int run(struct sweep *sweep)
{
    const struct cli *cli = sweep->cli;
    const struct options *given = cli->options;
    struct sms_errors errors = {0};
    struct sms__sweep_count count;
    struct sms__sweep_options options = {.jobs = given->jobs > 0 ? (unsigned)given->jobs : cli_cores(),
                                         .quiet = cli->quiet,
                                         .engine = (enum sms_engine)given->engine,
                                         .check = given->check,
                                         .memory = cli->memory,
                                         .cancel = &cli_interrupted};
    int code = read_shard(cli, &options.shard);
    if (code)
        return code;
    if (given->shard && sweep->plan->search_node)
        return cli_usage(cli,
                         "--shard is not for a plan with a search: which points it needs follows from those before");
    code = sms__sweep_check_results(sweep->folder, &errors);
    if (code == SMS_OK)
        code = sms__sweep_run(sweep->plan, sweep->folder, &options, &count, &errors);
    if (code)
        return cli_print_errors(code, &errors);
    if (!cli->quiet && !is_json(sweep))
        print_count(&count);
    return given->shard ? EXIT_OK : merge(sweep);
}

/* Refuses arguments that do not go together. */
static int check_words(const struct cli *cli, bool verb)
{
    const struct options *given = cli->options;
    if (cli->n_args == 0)
        return cli_usage(cli, "name a plan");
    if (given->format && (given->shard || !strcmp(cli->args[0], "status")))
        return cli_usage(cli, "--format is for the results of a whole sweep");
    if (verb && (given->shard || given->jobs || given->engine || given->check))
        return cli_usage(cli, "--shard, --jobs, --engine and --check are for a sweep itself");
    if (cli->n_args != (verb ? 2 : 1))
        return cli_usage(cli, "name one plan, or use 'status PLAN' or 'merge PLAN'");
    return EXIT_OK;
}

static int act(struct sweep *sweep, bool status, bool merges)
{
    return status ? with_index(sweep, print_status) : merges ? merge(sweep) : run(sweep);
}

static int run_sweep(struct cli *cli)
{
    const struct options *given = cli->options;
    struct sweep sweep;
    const char *verb = cli->n_args ? cli->args[0] : "";
    bool status = !strcmp(verb, "status"), merges = !strcmp(verb, "merge");
    int code = check_words(cli, status || merges);
    if (code)
        return code;
    code = load(&sweep, cli, cli->args[status || merges], given->out);
    if (code == EXIT_OK && sweep.plan)
        print_warnings(&sweep, true);
    if (code == EXIT_OK && sweep.plan)
        code = act(&sweep, status, merges);
    sms__plan_free(sweep.plan);
    return code;
}

int sweep_validate(const struct cli *cli, const char *path)
{
    struct sweep sweep;
    int code = load(&sweep, cli, path, NULL);
    if (code == EXIT_OK && sweep.plan)
        print_warnings(&sweep, false);
    if (code == EXIT_OK && sweep.plan && !cli->quiet)
        printf("%s: %llu point%s\n", sweep.plan->name, number(sweep.plan->points), plural(sweep.plan->points));
    sms__plan_free(sweep.plan);
    return code;
}

const struct cli_command cmd_sweep = {
    .name = "sweep",
    .args = "[status|merge] PLAN",
    .summary = "run the missing points of a plan, and merge their results",
    .text =
        "Results of points go to stores in the folder of the sweep. A sweep that was killed continues when it is "
        "started again. --shard K/N runs only every N-th point and merges nothing. 'status' prints how many points are "
        "done, failed, missing and running. 'merge' writes results/ in that folder from all shards. The exit code is 1 "
        "if points failed or are missing (docs/how-to/sweeps.md, and docs/how-to/sweeps-on-a-cluster.md for Slurm).",
    .words = "status merge",
    .verb = true,
    .examples = "smsched sweep scenarios/sweeps/load.yaml\n"
                "smsched sweep status scenarios/sweeps/load.yaml\n"
                "smsched sweep scenarios/sweeps/paper.yaml --shard 1/24\n",
    .options = {{own_options}},
    .common = CLI_STRICT | CLI_MEMORY | CLI_MODELS | CLI_PLUGINS | CLI_QUIET,
    .texts = {{"quiet", "print no progress, and no counts but those of 'status'"}},
    .hints = {{"slurm", "sbatch starts the shards: docs/how-to/sweeps-on-a-cluster.md"}},
    .size = sizeof(struct options),
    .run = run_sweep};
