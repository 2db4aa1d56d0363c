/* `smsched plot`: draws the figures of a results folder with gnuplot. */
#define _XOPEN_SOURCE 700
#include "commands.h"

#include "../base/escape.h"
#include "../report/folder.h"
#include "../report/plot.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const formats[] = {"svg", "pdf", "png"};
enum { FORMATS = sizeof formats / sizeof *formats };

struct options {
    const char *figures;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option own_options[] = {
    {"figures", "LIST", "svg, pdf and png, separated by commas; default svg,png", CLI_TEXT, AT(figures)},
    {0},
};

struct job {
    const struct cli *cli;
    struct sms__plot plot;
    bool wanted[FORMATS];
    char source[SMS__PATH_BYTES], scripts[4200];
    struct sms__folder folder; /* of the figures */
};

static bool want(struct job *job, const char *word, size_t length)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strlen(formats[i]) == length && !strncmp(word, formats[i], length))
            return job->wanted[i] = true;
    return false;
}

static int choose_formats(struct job *job)
{
    const struct options *given = job->cli->options;
    const char *list = given->figures ? given->figures : "svg,png";
    for (const char *word = list;; word++) {
        size_t length = strcspn(word, ",");
        if (!want(job, word, length))
            return cli_usage(job->cli, "--figures: '%.*s' is none of svg, pdf, png", (int)length, word);
        word += length;
        if (*word == '\0')
            return EXIT_OK;
    }
}

static int make_folder(struct job *job)
{
    struct sms_errors *errors = &job->plot.errors;
    const char *dir = job->cli->args[0];
    char target[SMS__PATH_BYTES + 8], *full = realpath(dir, NULL);
    if (!full || strlen(full) >= sizeof job->source) {
        free(full);
        return sms__fail(errors, SMS_EIO, dir, "cannot be read: %s", full ? "the name is too long" : strerror(errno));
    }
    strcpy(job->source, full);
    free(full);
    snprintf(job->scripts, sizeof job->scripts, "%s/plots", job->cli->share ? job->cli->share : "share/smsched");
    if (access(job->scripts, X_OK))
        return sms__fail(errors, SMS_EIO, job->scripts, "cannot be read: %s", strerror(errno));
    snprintf(target, sizeof target, "%s/plots", job->source);
    return sms__folder_begin(&job->folder, target, SMS__FOLDER_ADD, errors);
}

static int draw(struct job *job, const struct sms__figure *figure)
{
    int code = SMS_OK;
    for (size_t i = 0; i < FORMATS && code == SMS_OK; i++)
        if (job->wanted[i])
            code = atomic_load(&cli_interrupted) ? SMS_ECANCELED : sms__gnuplot(&job->plot, figure, formats[i]);
    return code;
}

static int read_and_draw(void *user)
{
    struct job *job = user;
    struct sms__plot *plot = &job->plot;
    static int (*const write[])(struct sms__plot *) = {sms__write_throughput, sms__write_turnaround,
                                                       sms__write_usage,      sms__write_heatmaps,
                                                       sms__write_timelines,  sms__write_processes};
    int code = sms__plot_read(plot);
    bool pairs = code == SMS_OK && sms__are_pairs(plot), clusters = plot->throughput.count == 0; /* and nothing else */
    if (pairs)
        code = sms__write_pairs(plot);
    else if (code == SMS_OK)
        code = sms__write_answer(plot);
    for (size_t i = 0; i < sizeof write / sizeof *write && code == SMS_OK && !pairs && !clusters; i++)
        code = write[i](plot);
    if (code == SMS_OK && clusters)
        code = sms__write_turnaround(plot);
    if (code == SMS_OK)
        code = sms__write_slowdown(plot);
    if (code == SMS_OK)
        code = sms__write_allocation(plot);
    if (code == SMS_OK)
        code = sms__write_pods(plot);
    for (size_t i = 0; i < plot->figures && code == SMS_OK; i++)
        code = draw(job, &plot->figure[i]);
    return code;
}

static void add_figure(struct job *job, const char *name, const char *ending)
{
    char file[300];
    snprintf(file, sizeof file, "%s.%s", name, ending);
    sms__folder_add(&job->folder, file);
}

/* Replaces earlier figures. Other files that gnuplot's scripts needed are not kept. */
static int publish(struct job *job)
{
    const struct sms__plot *plot = &job->plot;
    for (size_t f = 0; f < plot->figures; f++) {
        add_figure(job, plot->figure[f].name, "dat");
        for (size_t i = 0; i < FORMATS; i++)
            if (job->wanted[i])
                add_figure(job, plot->figure[f].name, formats[i]);
    }
    json_t *manifest = json_pack("{si ss}", "format", 1, "version", SMSCHED_VERSION);
    return sms__folder_end(&job->folder, manifest, &job->plot.errors);
}

static void print_figure(const struct job *job, const char *name, const char *ending)
{
    sms__print_visible(stdout, job->cli->args[0]);
    printf("/plots/%s.%s\n", name, ending);
}

static void print_drawn(const struct job *job)
{
    for (size_t f = 0; f < job->plot.figures && !job->cli->quiet; f++)
        for (size_t i = 0; i < FORMATS; i++)
            if (job->wanted[i])
                print_figure(job, job->plot.figure[f].name, formats[i]);
}

static void print_left_out(const struct job *job)
{
    for (size_t i = 0; i < job->plot.left_out.count && !job->cli->quiet; i++)
        fprintf(stderr, "no figure %s: the results have nothing to draw in it\n", job->plot.left_out.name[i]);
}

static int plot_folder(struct job *job)
{
    struct sms__plot *plot = &job->plot;
    int code = make_folder(job);
    plot->folder = job->source;
    plot->temporary = job->folder.partial.name;
    plot->scripts = job->scripts;
    plot->cancel = &cli_interrupted;
    if (code == SMS_OK)
        code = sms__guard(&plot->arena, read_and_draw, job);
    if (code == SMS_ENOMEM)
        sms__fail(&plot->errors, code, NULL, "out of memory");
    if (code == SMS_OK)
        code = publish(job);
    if (code == SMS_OK)
        print_drawn(job);
    if (code == SMS_OK)
        print_left_out(job);
    sms__folder_abandon(&job->folder);
    sms_errors_print(&plot->errors, stderr);
    sms__arena_release(&plot->arena);
    return cli_exit_code(code);
}

static int plot(struct cli *cli)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return cli_no_memory();
    job->cli = cli;
    int code = cli->n_args == 1 ? choose_formats(job) : cli_usage(cli, "name one results folder");
    if (code == EXIT_OK)
        code = plot_folder(job);
    free(job);
    return code;
}

const struct cli_command cmd_plot = {
    .name = "plot",
    .args = "DIR",
    .summary = "draw the figures of a results folder",
    .text =
        "Draws the answer to the scenario's question, throughput, utilization, a heat map of occupancy, and timelines "
        "of blocks and processes into DIR/plots, with gnuplot. Scenarios named A/B are pairs of programs, and one "
        "heat map shows all of them.",
    .examples = "smsched run scenario.yaml --out results\n"
                "smsched plot results --figures pdf\n",
    .options = {{own_options}, {cli_quiet}},
    .size = sizeof(struct options),
    .run = plot};
