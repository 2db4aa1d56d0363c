#include "cli.h"

#include "../base/escape.h"
#include "../base/sources.h"
#include "../report/memory.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The one global: a signal handler has nothing else to write to. */
atomic_bool cli_interrupted;

const struct cli_command cli_commands[] = {
    {"run", "SCENARIO...", "run every policy of the scenarios and print what came of it",
     "Prints, for each scenario and policy, throughput, normalized progress, waiting and slowdown of each VM and of "
     "the host, with 95 % confidence intervals over the replications, which run: {until: 1 %} adds until these are "
     "narrow enough. With --out the results, a timeline and the "
     "scenarios themselves go into a new folder, which 'smsched plot' draws.",
     "oyfpsrjeNBEmVgcq", cmd_run},
    {"compare", "SCENARIO...", "run and print each policy's change over the first",
     "Ratios are paired by replication: policies of one replication see the same random numbers. * marks what differs "
     "after Holm's correction among the changes of its metric. --baseline names "
     "another policy to compare with. Below stands the throughput that no policy can exceed, how far each stays below "
     "it, and what holds it down.",
     "fbsrjeNBEmVgcq", cmd_compare},
    {"validate", "FILE...", "check scenario, workload, device and plan files",
     "Reports every problem of every file as file:line:column with the line, a caret and the nearest valid name. "
     "Exits 3 if there was one. Says of scenarios that take more than a minute about how long that is, and warns from "
     "an "
     "hour on.",
     "mq", cmd_validate},
    {"check", "SCENARIO...", "run and check the expectations of the scenarios, or a baseline",
     "Checks each scenario's 'expect:' list, and with --baseline every value of a CSV file that 'run --format csv' "
     "wrote. Exits 1 if one was missed.",
     "btusrjmVgcq", cmd_check},
    {"explain", "SCENARIO", "print the decisions of a span of time",
     "What went where, which SMs were passed over and why, what processes did and what share policies say of them, for "
     "the first replication of each policy. Of VMs the first instant unless --from or --to name a span of time; of "
     "processes and pods the whole run, its blocks left out, and on a terminal's table the first 40 lines a policy. "
     "--format json prints an object a line.",
     "FTpsmVf", cmd_explain},
    {"plot", "DIR", "draw the figures of a results folder",
     "Writes what each scenario asks, throughput, utilization, occupancy heat map and timelines of blocks and "
     "processes to DIR/plots, by "
     "gnuplot; of scenarios called A/B, the pairs of programs A and B, one heat map of them all.",
     "xq", cmd_plot},
    {"report", "DIR|DB", "write a page about a results folder or a sweep, for browsers",
     "The page is one file that needs nothing else: the answer, gains with intervals, the gap to the bound, curves and "
     "heat maps of a sweep, the timeline of a run. It goes to report.html or --out, - being stdout. DIR is a folder of "
     "'run --out' or of a sweep, DB its sweep.db. --format json prints what the page is made of (docs/report.md).\n"
     "--point N simulates a point of the sweep again, and shows its timeline under each policy; its plan must be where "
     "it was, or where --plan says, and unchanged.",
     "oMZYmfq", cmd_report},
    {"sweep", "[status|merge] PLAN", "run the points of a plan that are missing, and merge what came of them",
     "Points end in journals in NAME.sweep, NAME being the plan's, or in --out; killed and started again, it goes on. "
     "--shard K/N runs every N-th point only and merges nothing. 'status' prints what is done, failed, missing and "
     "running, 'merge' writes results/ in that folder from all shards. Exits 1 if points failed or are missing "
     "(docs/sweeps.md).\n"
     "'sweep PLAN --slurm [OPTION]... [-- SBATCH-OPTION...]' submits an array whose tasks run a shard each, with "
     "--jobs "
     "cores, and a job that merges behind it; shards that lack nothing are left out (docs/cluster.md).",
     "ojKLaAUmgcq", cmd_sweep},
    {"import", "FORMAT FILE...", "write a scenario from another program's file",
     "The scenario goes to stdout, or with --out into a file that is written whole or not at all. FORMAT is simtbs: a "
     "configuration, which becomes a scenario that 'run' simulates as simtbs would, digit for digit; "
     "'run --format simtbs' prints it in that program's layout. Or FORMAT is ncu or nvprof: profiles, several files "
     "of one program together (docs/profiles.md). Or FORMAT is openb: a list of nodes and a list of pods, as CSV.",
     "oSXDPdniwIlm", cmd_import},
    {"list", "[WHAT]", "print what there is: devices, workloads, policies, contention, metrics, fields, schema",
     "With parameters, units, ranges and defaults. Fields are the keys of files; the schema says the same as JSON, for "
     "editors (docs/editors.md).",
     "mf", cmd_list},
    {"help", "[COMMAND]", "print help; 'help man' and 'help completion' print a man page and a bash completion", "", "",
     cmd_help},
    {0}};

static void interrupt(int number)
{
    (void)number;
    atomic_store(&cli_interrupted, true);
}

/* A second signal ends the program at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) /* as nohup has it */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* share/smsched beside bin/, in the build tree as when installed; NULL if it is not there. */
static const char *find_share(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    size_t used = strlen(path);
    snprintf(path + used, size - used, "/share/smsched");
    return access(path, F_OK) == 0 ? path : NULL;
}

static const char *command_name(const void *user, size_t i) { return ((const struct cli_command *)user)[i].name; }

static const struct cli_command *find_command(const char *name)
{
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (!strcmp(command->name, name))
            return command;
    size_t count = sizeof cli_commands / sizeof *cli_commands - 1;
    const char *near = sms__nearest(name, count, command_name, cli_commands);
    fputs("smsched: unknown command '", stderr);
    sms__print_visible(stderr, name);
    fputc('\'', stderr);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\n");
    return NULL;
}

/* As `| head` leaves it: who has stopped reading need not be told. */
static bool nobody_reads(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

int cli_finish(int exit_code)
{
    bool failed = fflush(stdout) != 0;
    failed |= ferror(stdout) != 0;
    if (sms__memory_failed() && exit_code == EXIT_OK)
        return cli_no_memory();
    if (failed && exit_code == EXIT_OK) {
        if (!nobody_reads())
            cli_fail(EXIT_IO, NULL, "standard output cannot be written");
        return EXIT_IO;
    }
    return exit_code;
}

static char *join(int argc, char **argv)
{
    size_t size = 8;
    for (int i = 1; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *line = malloc(size);
    if (!line)
        return NULL;
    strcpy(line, "smsched");
    for (int i = 1; i < argc; i++)
        strcat(strcat(line, " "), argv[i]);
    return line;
}

/* Else a name looked up there would be said not to be known. */
static int check_models(const char *models)
{
    struct stat st;
    if (!models || (stat(models, &st) == 0 && S_ISDIR(st.st_mode)))
        return EXIT_OK;
    return cli_fail(EXIT_INPUT, models, "--models: is no folder");
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    char share[4096];
    struct cli cli = {.program = command->name,
                      .tolerance = 0.01,
                      .from_ps = -1,
                      .to_ps = -1,
                      .trace_to_ps = -1,
                      .share = find_share(share, sizeof share)};
    char *line = join(argc, argv);
    if (!line)
        return cli_no_memory();
    cli.command_line = line;
    int code = cli_parse(&cli, command, argc - 1, argv + 1);
    if (code == 0 && cli.help)
        cli_print_help(command, stdout);
    else if (code == 0)
        code = check_models(cli.models);
    if (code == 0 && !cli.help)
        code = command->run(&cli);
    free(line);
    return cli_finish(code);
}

int main(int argc, char **argv)
{
    catch_signals();
    sms__watch_memory();
    if (argc < 2) {
        cli_print_usage(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("smsched %s (sources %s)\n", SMSCHED_VERSION, sms__sources());
        return cli_finish(EXIT_OK);
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        cli_print_usage(stdout);
        return cli_finish(EXIT_OK);
    }
    const struct cli_command *command = find_command(argv[1]);
    return command ? run_command(command, argc, argv) : EXIT_USAGE;
}
