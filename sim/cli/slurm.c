/* Submits a sweep to Slurm: an array of jobs that run a shard each, and a job that merges their results after them. The
 * shell gets each argument as one quoted word, and the script as a here-document, just as --dry-run prints them. */
#include "sweep.h"

#include "../base/buffer.h"
#include "../base/read.h"
#include "../base/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4400, OWN_ARGS = 16, COMMAND_NOT_FOUND = 127 };

struct job {
    const char **arg; /* [args], and NULL */
    size_t args;
    char *script;
};

struct submission {
    const struct slurm_sweep *sweep;
    char folder[PATH_BYTES], plan[PATH_BYTES], models[PATH_BYTES], program[PATH_BYTES];
    char name[PATH_BYTES], merge_name[PATH_BYTES], chdir[PATH_BYTES], array[PATH_BYTES];
    char cpus[40], after[80];
    struct job shards, merge;
};

static int fail(const char *where, const char *why) { return cli_fail(EXIT_IO, where, "%s", why); }

/* Prints a word so that a shell reads it as one. */
static void put_word(FILE *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+@";
    if (word[0] && !word[strspn(word, plain)]) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, to);
    fputc('\'', to);
}

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
    snprintf(submission->name, PATH_BYTES, "--job-name=%s", sweep->name);
    snprintf(submission->merge_name, PATH_BYTES, "--job-name=%s-merge", sweep->name);
    snprintf(submission->array, PATH_BYTES, sweep->given->at_once > 0 ? "--array=%s%%%llu" : "--array=%s", sweep->array,
             (unsigned long long)sweep->given->at_once);
    snprintf(submission->cpus, sizeof submission->cpus, "--cpus-per-task=%llu", (unsigned long long)sweep->given->jobs);
    return length > 0 && absolute(submission->folder, sweep->folder) && absolute(submission->plan, sweep->plan) &&
           absolute(submission->models, sweep->cli->models ? sweep->cli->models : "/") &&
           (size_t)snprintf(submission->chdir, PATH_BYTES, "--chdir=%s", submission->folder) < PATH_BYTES;
}

static void put_option(FILE *to, const char *option, const char *value)
{
    fprintf(to, " %s ", option);
    put_word(to, value);
}

/* Returns a job's script, which the caller frees. `middle` is inserted unquoted. */
static char *write_script(const struct submission *submission, const char *verb, const char *middle)
{
    const struct cli *cli = submission->sweep->cli;
    struct sms__buffer script = {0};
    FILE *to = sms__buffer_open(&script);
    if (!to)
        return NULL;
    fputs("#!/bin/sh\nexec ", to);
    put_word(to, submission->program);
    fprintf(to, " sweep%s", verb);
    fputs(middle, to);
    put_option(to, "--out", submission->folder);
    if (cli->models)
        put_option(to, "--models", submission->models);
    if (submission->sweep->given->engine && *middle)
        fputs(" --engine reference", to);
    if (submission->sweep->given->check && *middle)
        fputs(" --check", to);
    fputs(" -- ", to);
    put_word(to, submission->plan);
    fputc('\n', to);
    if (sms__buffer_close(&script, to))
        return script.bytes;
    free(script.bytes);
    return NULL;
}

static void add(struct job *job, const char *arg) { job->arg[job->args++] = arg; }

static void add_given(struct job *job, const struct slurm_sweep *sweep)
{
    for (size_t i = 0; i < sweep->options; i++)
        add(job, sweep->option[i]);
}

/* The user's options come last and so override the others. */
static void make_shards(struct submission *submission)
{
    struct job *job = &submission->shards;
    char middle[160];
    snprintf(middle, sizeof middle, " --shard \"$SLURM_ARRAY_TASK_ID/%u\" --jobs \"${SLURM_CPUS_ON_NODE:-1}\"",
             submission->sweep->tasks);
    job->script = write_script(submission, "", middle);
    add(job, "sbatch");
    add(job, "--parsable");
    add(job, submission->name);
    add(job, submission->chdir);
    add(job, "--output=logs/%A_%a.log");
    add(job, "--open-mode=append");
    add(job, "--requeue");
    add(job, "--ntasks=1");
    if (submission->sweep->given->jobs > 0)
        add(job, submission->cpus);
    add(job, submission->array);
    add_given(job, submission->sweep);
}

/* Here the user's options come first: partition, account and time hold, but an array, more cores or another dependency
 * would be wrong. */
static void make_merge(struct submission *submission)
{
    struct job *job = &submission->merge;
    job->script = write_script(submission, " merge", "");
    add(job, "sbatch");
    add(job, "--parsable");
    add_given(job, submission->sweep);
    add(job, submission->merge_name);
    add(job, submission->chdir);
    add(job, "--output=logs/%A_merge.log");
    add(job, "--open-mode=append");
    add(job, "--requeue");
    add(job, "--nodes=1");
    add(job, "--ntasks=1");
    add(job, "--cpus-per-task=1");
    add(job, "--array=0");
}

static void put_job(FILE *to, const struct job *job)
{
    for (size_t i = 0; i < job->args; i++) {
        fputs(i ? " " : "", to);
        put_word(to, job->arg[i]);
    }
}

/* Prints the commands that submit the jobs, as a shell script. */
static void print_jobs(const struct submission *submission)
{
    printf("mkdir -p ");
    put_word(stdout, submission->folder);
    printf("/logs &&\njob=$(");
    put_job(stdout, &submission->shards);
    printf(" <<'END'\n%sEND\n) &&\necho \"$job\" >", submission->shards.script);
    put_word(stdout, submission->folder);
    printf("/slurm.job &&\n");
    put_job(stdout, &submission->merge);
    printf(" --dependency=afterany:\"${job%%%%;*}\" <<'END'\n%sEND\n", submission->merge.script);
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

/* Submits a job and stores its number in `id`. */
static int submit(const struct job *job, char *id, size_t size)
{
    char why[200];
    int status = 0;
    struct sms__buffer command = {0};
    FILE *to = sms__buffer_open(&command);
    char *output = NULL;
    if (to) {
        put_job(to, job);
        fprintf(to, " <<'END'\n%sEND\n", job->script);
    }
    if (to && sms__buffer_close(&command, to))
        output = run_command(command.bytes, &status);
    free(command.bytes);
    if (!output)
        return fail_to_run("sbatch");
    snprintf(id, size, "%.*s", (int)strspn(output, "0123456789"), output);
    free(output);
    if (status == 0 && id[0])
        return EXIT_OK;
    if (status > 0)
        snprintf(why, sizeof why, "it exited with %d", status);
    else
        snprintf(why, sizeof why, "it did not print the number of a job");
    return fail("sbatch", why);
}

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
    char path[PATH_BYTES];
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

static int note_job(const struct submission *submission, const char *id)
{
    char path[PATH_BYTES + 16];
    struct sms__write write = {0};
    struct sms_errors errors = {0};
    snprintf(path, sizeof path, "%s/slurm.job", submission->folder);
    int code = sms__write_begin(&write, path, &errors);
    if (code == SMS_OK) {
        fprintf(write.to, "%s\n", id);
        code = sms__write_end(&write, &errors);
    }
    sms_errors_print(&errors, stderr);
    return cli_exit_code(code);
}

/* A line break in a path could end a here-document or begin a line for sbatch. No quoting helps against that. */
static int check_paths(const struct submission *submission)
{
    const char *const path[] = {submission->program, submission->folder, submission->plan, submission->models};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        for (const char *c = path[i]; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                return fail(path[i], "a path with a control character cannot be part of a job's script");
    return EXIT_OK;
}

/* Slurm gives a backslash anywhere in the name of a job's log a special meaning. */
static int check_folder(const struct submission *submission)
{
    if (!strchr(submission->folder, '\\'))
        return EXIT_OK;
    return fail(submission->folder, "Slurm cannot write logs into a folder with a backslash in its name");
}

static int submit_both(struct submission *submission)
{
    const struct cli *cli = submission->sweep->cli;
    const char *folder = submission->sweep->folder;
    struct queue queue;
    char id[40], merge_id[40] = "", why[200];
    if (!make_folders(submission))
        return fail(folder, strerror(errno));
    int code = find_queue(submission->folder, false, &queue);
    if (code)
        return code;
    if (has_tasks(&queue)) {
        snprintf(why, sizeof why, "Slurm still has job %s of this sweep; wait for it, or 'scancel %s'", queue.id,
                 queue.id);
        return fail(folder, why);
    }
    code = submit(&submission->shards, id, sizeof id);
    if (code)
        return code;
    code = note_job(submission, id);
    snprintf(submission->after, sizeof submission->after, "--dependency=afterany:%s", id);
    add(&submission->merge, submission->after);
    int merged = submit(&submission->merge, merge_id, sizeof merge_id);
    if (cli->quiet)
        printf("%s\n", id);
    else if (merged)
        printf("Slurm job %s: tasks %s; nothing merges them\n", id, submission->sweep->array);
    else
        printf("Slurm job %s: tasks %s; job %s merges them\n", id, submission->sweep->array, merge_id);
    return code ? code : merged;
}

int slurm_submit(const struct slurm_sweep *sweep)
{
    struct submission *submission = calloc(1, sizeof *submission);
    const char **args = calloc(2 * (OWN_ARGS + sweep->options), sizeof *args);
    int code = EXIT_OK;
    if (!submission || !args) {
        free(submission);
        free(args);
        return fail(sweep->folder, "out of memory");
    }
    submission->sweep = sweep;
    submission->shards.arg = args;
    submission->merge.arg = args + OWN_ARGS + sweep->options;
    if (!find_paths(submission))
        code = fail(sweep->folder, "the name is too long");
    else
        code = check_paths(submission);
    if (code == EXIT_OK)
        code = check_folder(submission);
    if (code == EXIT_OK) {
        make_shards(submission);
        make_merge(submission);
        if (!submission->shards.script || !submission->merge.script)
            code = fail(sweep->folder, "out of memory");
        else if (sweep->given->dry_run)
            print_jobs(submission);
        else
            code = submit_both(submission);
    }
    free(submission->shards.script);
    free(submission->merge.script);
    free(args);
    free(submission);
    return code;
}
