/* Submits a sweep to Slurm: an array of jobs that run a shard each, and a job that merges their results after them. A
 * shell runs what --dry-run prints: each argument is one quoted word, and each job's script a here-document. */
#include "sweep_command.h"

#include "../base/buffer.h"
#include "../base/escape.h"
#include "../base/read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4400, COMMAND_NOT_FOUND = 127 };

struct submission {
    const struct slurm_sweep *sweep;
    char folder[PATH_BYTES], plan[PATH_BYTES], models[PATH_BYTES], program[PATH_BYTES];
};

static int fail(const char *where, const char *why) { return cli_fail(EXIT_IO, where, "%s", why); }

static bool absolute(char out[PATH_BYTES], const char *path)
{
    char here[PATH_BYTES] = "";
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return false;
    return (size_t)snprintf(out, PATH_BYTES, "%s%s%s", here, path[0] == '/' ? "" : "/", path) < PATH_BYTES;
}

static bool find_paths(struct submission *submission)
{
    const struct slurm_sweep *sweep = submission->sweep;
    ssize_t length = readlink("/proc/self/exe", submission->program, PATH_BYTES - 1);
    submission->program[length > 0 ? length : 0] = '\0';
    return length > 0 && absolute(submission->folder, sweep->folder) && absolute(submission->plan, sweep->plan) &&
           absolute(submission->models, sweep->cli->models ? sweep->cli->models : "/");
}

/* Prints a blank and a formatted word. */
__attribute__((format(printf, 2, 3))) static void put_arg(FILE *to, const char *format, ...)
{
    char word[PATH_BYTES + 100];
    va_list args;
    va_start(args, format);
    vsnprintf(word, sizeof word, format, args);
    va_end(args);
    fputc(' ', to);
    sms__print_shell(to, word);
}

/* Prints a job's script as a here-document. `middle` is inserted unquoted. */
static void put_script(const struct submission *submission, const char *verb, const char *middle, FILE *to)
{
    const struct cli *cli = submission->sweep->cli;
    char plugin[PATH_BYTES];
    fputs(" <<'END'\n#!/bin/sh\nexec", to);
    put_arg(to, "%s", submission->program);
    fprintf(to, " sweep%s%s --out", verb, middle);
    put_arg(to, "%s", submission->folder);
    if (cli->models) {
        fputs(" --models", to);
        put_arg(to, "%s", submission->models);
    }
    for (size_t i = 0; cli->plugins[i] && absolute(plugin, cli->plugins[i]); i++)
        put_arg(to, "--plugin=%s", plugin);
    if (submission->sweep->given->engine && *middle)
        fputs(" --engine reference", to);
    if (submission->sweep->given->check && *middle)
        fputs(" --check", to);
    fputs(" --", to);
    put_arg(to, "%s", submission->plan);
    fputs("\nEND\n", to);
}

static void put_given(const struct slurm_sweep *sweep, FILE *to)
{
    for (size_t i = 0; i < sweep->options; i++)
        put_arg(to, "%s", sweep->option[i]);
}

/* The user's options come last and so override the others. */
static void put_shards(const struct submission *submission, FILE *to)
{
    const struct slurm_sweep *sweep = submission->sweep;
    char middle[160];
    fputs("sbatch --parsable", to);
    put_arg(to, "--job-name=%s", sweep->name);
    put_arg(to, "--chdir=%s", submission->folder);
    put_arg(to, "--output=logs/%%A_%%a.log");
    fputs(" --open-mode=append --requeue --ntasks=1", to);
    if (sweep->given->jobs > 0)
        put_arg(to, "--cpus-per-task=%llu", (unsigned long long)sweep->given->jobs);
    if (sweep->given->at_once > 0)
        put_arg(to, "--array=%s%%%llu", sweep->array, (unsigned long long)sweep->given->at_once);
    else
        put_arg(to, "--array=%s", sweep->array);
    put_given(sweep, to);
    snprintf(middle, sizeof middle, " --shard \"$SLURM_ARRAY_TASK_ID/%u\" --jobs \"${SLURM_CPUS_ON_NODE:-1}\"",
             sweep->tasks);
    put_script(submission, "", middle, to);
}

/* Here the user's options come first: partition, account and time hold, but an array, more cores or another dependency
 * would be wrong. */
static void put_merge(const struct submission *submission, FILE *to)
{
    fputs("sbatch --parsable", to);
    put_given(submission->sweep, to);
    put_arg(to, "--job-name=%s-merge", submission->sweep->name);
    put_arg(to, "--chdir=%s", submission->folder);
    put_arg(to, "--output=logs/%%A_merge.log");
    fputs(" --open-mode=append --requeue --nodes=1 --ntasks=1 --cpus-per-task=1 --array=0"
          " --dependency=afterany:\"${job%%;*}\"",
          to);
    put_script(submission, " merge", "", to);
}

/* Prints the commands that submit the jobs, as a shell script. The last one prints the number of the merging job. */
static void put_jobs(const struct submission *submission, FILE *to)
{
    fputs("mkdir -p", to);
    put_arg(to, "%s", submission->folder);
    fputs("/logs &&\njob=$(", to);
    put_shards(submission, to);
    fputs(") &&\necho \"$job\" >", to);
    sms__print_shell(to, submission->folder);
    fputs("/slurm.job &&\n[ \"$job\" ] &&\n", to);
    put_merge(submission, to);
}

/* Runs a shell command, and returns its output and its exit status, -1 after a signal. The caller frees the output. It
 * is NULL if the command cannot be run. */
static char *run_command(const char *command, int *status)
{
    struct sms__buffer text = {0};
    char bytes[4096];
    size_t got;
    FILE *from = popen(command, "r");
    if (!from)
        return NULL;
    while ((got = fread(bytes, 1, sizeof bytes, from)) > 0)
        sms__buffer_add(&text, bytes, got);
    sms__buffer_add(&text, "", 0);
    int ended = pclose(from);
    *status = ended != -1 && WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    if (*status != COMMAND_NOT_FOUND && !text.failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

static int fail_to_run(const char *program) { return fail(program, "cannot be run; is Slurm installed here?"); }

struct queue {
    char id[40];
    unsigned running, pending, other;
};

static void count_tasks(struct queue *queue, const char *output)
{
    size_t length = strlen(queue->id);
    for (const char *line = output; *line;) {
        const char *state = line + length + 1;
        if (!strncmp(line, queue->id, length) && line[length] == ' ') {
            bool running = !strncmp(state, "RUNNING", 7), pending = !strncmp(state, "PENDING", 7);
            queue->running += running;
            queue->pending += pending;
            queue->other += !running && !pending;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

/* Reads the number of the array that was submitted last; "" if there is none. */
static void read_job(const char *folder, struct queue *queue)
{
    char path[PATH_BYTES + 16];
    struct sms_errors unsaid = {0};
    struct sms__input input;
    snprintf(path, sizeof path, "%s/slurm.job", folder);
    if (sms__input_open(path, (uint64_t)1 << 20, &input, &unsaid))
        return;
    ssize_t got = sms__input_read(&input, queue->id, sizeof queue->id - 1);
    queue->id[got > 0 ? got : 0] = '\0';
    queue->id[strspn(queue->id, "0123456789")] = '\0';
    sms__input_close(&input);
}

/* Counts the tasks that Slurm still has of the array that was submitted last. It asks for all jobs of the user, because
 * squeue fails for a job that it has forgotten. `silent`: reports no error. */
static int find_queue(const char *folder, bool silent, struct queue *queue)
{
    char command[200], why[200];
    *queue = (struct queue){0};
    read_job(folder, queue);
    if (!queue->id[0])
        return EXIT_OK;
    snprintf(command, sizeof command, "squeue --noheader --array --format='%%F %%T' --user=%lu%s",
             (unsigned long)geteuid(), silent ? " 2>/dev/null" : "");
    int status = 0;
    char *output = run_command(command, &status);
    if (output && status == 0)
        count_tasks(queue, output);
    bool found = output && status == 0, ran = output != NULL;
    free(output);
    if (found || silent)
        return found ? EXIT_OK : EXIT_IO;
    snprintf(why, sizeof why, "it does not tell whether job %s is over", queue->id);
    return ran ? fail("squeue", why) : fail_to_run("squeue");
}

static bool has_tasks(const struct queue *queue) { return queue->running + queue->pending + queue->other > 0; }

void slurm_print_queue(const char *folder)
{
    struct queue queue;
    if (find_queue(folder, true, &queue) == EXIT_OK && has_tasks(&queue))
        printf("Slurm job %s: %u tasks running, %u pending, %u in other states\n", queue.id, queue.running,
               queue.pending, queue.other);
}

static bool make_folders(const struct submission *submission)
{
    char logs[PATH_BYTES + 8];
    snprintf(logs, sizeof logs, "%s/logs", submission->folder);
    return (mkdir(submission->folder, 0777) == 0 || errno == EEXIST) && (mkdir(logs, 0777) == 0 || errno == EEXIST);
}

static bool has_control(const char *path)
{
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return true;
    return false;
}

/* A line break in a path could end a here-document or begin a line for sbatch. No quoting helps against that. */
static int check_paths(const struct submission *submission)
{
    const char *const path[] = {submission->program, submission->folder, submission->plan, submission->models};
    const char *const *plugins = submission->sweep->cli->plugins;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        if (has_control(path[i]))
            return fail(path[i], "a path with a control character cannot be part of a job's script");
    for (size_t i = 0; plugins[i]; i++)
        if (has_control(plugins[i]))
            return fail(plugins[i], "a path with a control character cannot be part of a job's script");
    if (strchr(submission->folder, '\\')) /* it has a special meaning anywhere in the name of a job's log */
        return fail(submission->folder, "Slurm cannot write logs into a folder with a backslash in its name");
    return EXIT_OK;
}

/* The file with the array's number is removed before, and tells whether there is an array. */
static int run_jobs(struct submission *submission)
{
    const struct slurm_sweep *sweep = submission->sweep;
    struct sms__buffer script = {0};
    char path[PATH_BYTES + 16], why[80];
    struct queue queue = {0};
    int status = 0;
    FILE *to = sms__buffer_open(&script);
    if (to)
        put_jobs(submission, to);
    if (!to || !sms__buffer_close(&script, to)) {
        free(script.bytes);
        return fail(sweep->folder, "out of memory");
    }
    snprintf(path, sizeof path, "%s/slurm.job", submission->folder);
    unlink(path);
    char *output = run_command(script.bytes, &status);
    free(script.bytes);
    read_job(submission->folder, &queue);
    if (!output)
        return fail_to_run("sbatch");
    bool merged = status == 0 && strspn(output, "0123456789") > 0;
    if (queue.id[0] && sweep->cli->quiet)
        printf("%s\n", queue.id);
    else if (queue.id[0] && merged)
        printf("Slurm job %s: tasks %s; job %.*s merges them\n", queue.id, sweep->array,
               (int)strspn(output, "0123456789"), output);
    else if (queue.id[0])
        printf("Slurm job %s: tasks %s; nothing merges them\n", queue.id, sweep->array);
    free(output);
    if (queue.id[0] && merged)
        return EXIT_OK;
    bool silent = status == 0 || (!queue.id[0] && access(path, F_OK) == 0);
    snprintf(why, sizeof why, silent ? "it did not print the number of a job" : "it exited with %d", status);
    return fail("sbatch", why);
}

static int submit_both(struct submission *submission)
{
    struct queue queue;
    char why[200];
    if (!make_folders(submission))
        return fail(submission->sweep->folder, strerror(errno));
    int code = find_queue(submission->folder, false, &queue);
    if (code)
        return code;
    if (!has_tasks(&queue))
        return run_jobs(submission);
    snprintf(why, sizeof why, "Slurm still has job %s of this sweep; wait for it, or 'scancel %s'", queue.id, queue.id);
    return fail(submission->sweep->folder, why);
}

int slurm_submit(const struct slurm_sweep *sweep)
{
    struct submission *submission = calloc(1, sizeof *submission);
    if (!submission)
        return fail(sweep->folder, "out of memory");
    submission->sweep = sweep;
    int code = find_paths(submission) ? check_paths(submission) : fail(sweep->folder, "the name is too long");
    if (code == EXIT_OK && sweep->given->dry_run)
        put_jobs(submission, stdout);
    else if (code == EXIT_OK)
        code = submit_both(submission);
    free(submission);
    return code;
}
