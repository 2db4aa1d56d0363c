/* `smsched plot`: draws figures of results with gnuplot. */
#define _XOPEN_SOURCE 700
#include "cli.h"

#include "../base/escape.h"
#include "../base/read.h"
#include "../base/suffix.h"
#include "../import/untrusted.h"
#include "../figures/figures.h"
#include "../report/folder.h"
#include "../sweep/sweep.h"

#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const formats[] = {"svg", "pdf", "png"};
enum { FORMATS = sizeof formats / sizeof *formats };

struct options {
    const char *out, *format, *width, *figures;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option own_options[] = {
    {"out", "DIR", "write the figures into this folder; default RESULTS/plots, or NAME.plots for NAME.csv", CLI_TEXT,
     AT(out), .file = CLI_OUTPUT_FOLDER, .letter = 'o'},
    {"format", "LIST", "write these formats: svg, pdf and png, separated by commas; default svg", CLI_TEXT, AT(format)},
    {"width", "WIDTH", "set the width: column (3.45in, the default), page (7in), or a number of in, cm or mm", CLI_TEXT,
     AT(width)},
    {"figures", "LIST", "draw only figures of these names, separated by commas; * stands for any characters", CLI_TEXT,
     AT(figures)},
    {0},
};

struct job {
    const struct cli *cli;
    struct sms__figures figures;
    struct sms__untrusted database; /* of a sweep */
    bool wanted[FORMATS];
    bool is_file; /* the results are a file, not a folder */
    char source[SMS__PATH_BYTES], target[SMS__PATH_BYTES], scripts[SMS__PATH_BYTES];
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
    const char *list = given->format ? given->format : "svg";
    for (const char *word = list;; word++) {
        size_t length = strcspn(word, ",");
        if (!want(job, word, length))
            return cli_usage(job->cli, "--format: '%.*s' is not one of svg, pdf, png", (int)length, word);
        word += length;
        if (*word == '\0')
            return EXIT_OK;
    }
}

static int choose_width(struct job *job)
{
    static const struct {
        const char *unit;
        double inches;
    } units[] = {{"in", 1}, {"cm", 1 / 2.54}, {"mm", 1 / 25.4}};
    const char *text = ((const struct options *)job->cli->options)->width;
    double *width = &job->figures.width_in;
    char *unit;
    if (!text)
        return EXIT_OK;
    *width = !strcmp(text, "column") ? 3.45 : !strcmp(text, "page") ? 7 : 0;
    double number = strtod(text, &unit);
    for (size_t i = 0; i < sizeof units / sizeof *units && *width == 0; i++)
        if (!strcmp(unit, units[i].unit))
            *width = number * units[i].inches;
    return *width >= 2 && *width <= 40
               ? EXIT_OK
               : cli_usage(job->cli, "--width: '%s' is not column, page, or 2in to 40in, such as 8.5cm", text);
}

/* ---- where to read and write ---- */

/* The database, if the results are a sweep's. */
static const char *find_database(struct job *job)
{
    static const char *const places[] = {"sweep.db", "results/sweep.db"};
    struct sms__arena *arena = &job->figures.arena;
    if (sms__ends_with(job->source, ".db"))
        return job->source;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = sms__print(arena, "%s/%s", job->source, places[i]);
        if (sms__may_exist(path))
            return path;
    }
    return NULL;
}

static void choose_target(struct job *job)
{
    const char *given = ((const struct options *)job->cli->options)->out, *name = job->cli->args[0];
    const char *ending = strrchr(name, '.');
    if (given)
        snprintf(job->target, sizeof job->target, "%s", given);
    else if (job->is_file)
        snprintf(job->target, sizeof job->target, "%.*s.plots",
                 (int)(ending && !strchr(ending, '/') ? ending - name : (long)strlen(name)), name);
    else
        snprintf(job->target, sizeof job->target, "%s/plots", name);
}

static int make_folder(struct job *job)
{
    struct sms_errors *errors = &job->figures.errors;
    const char *name = job->cli->args[0];
    char *full = realpath(name, NULL);
    if (!full || strlen(full) + 64 > sizeof job->source) {
        free(full);
        return sms__fail(errors, !full && errno == ENOENT ? SMS_EINPUT : SMS_EIO, name, "cannot be read: %s",
                         full ? "the name is too long" : strerror(errno));
    }
    strcpy(job->source, full);
    free(full);
    struct stat status;
    const char *ending = strrchr(job->source, '.');
    job->is_file = stat(job->source, &status) == 0 && !S_ISDIR(status.st_mode);
    if (job->is_file && !(ending && (!strcmp(ending, ".csv") || !strcmp(ending, ".db"))))
        return sms__fail(errors, SMS_EINPUT, name,
                         "is no folder of results, nor a CSV file of 'smsched compare', nor the database of a sweep");
    if (!job->is_file && access(job->source, X_OK))
        return sms__fail(errors, SMS_EIO, name, "cannot be read: %s", strerror(errno));
    snprintf(job->scripts, sizeof job->scripts, "%s/plots", job->cli->share ? job->cli->share : "share/smsched");
    if (access(job->scripts, X_OK))
        return sms__fail(errors, SMS_EIO, job->scripts, "cannot be read: %s", strerror(errno));
    choose_target(job);
    return sms__folder_begin(&job->folder, job->target, SMS__FOLDER_ADD, errors);
}

/* ---- drawing ---- */

static int load(struct job *job)
{
    struct sms__figures *figures = &job->figures;
    const char *database = find_database(job);
    if (!database)
        return sms__figures_load(figures);
    job->database.cancel = &cli_interrupted;
    int code = sms__untrusted_open(&job->database, database, &figures->errors);
    figures->file = job->database.file;
    return code;
}

static void choose_figures(struct sms__figures *figures, const char *list)
{
    for (size_t length; list; list = list[length] ? list + length + 1 : NULL) {
        length = strcspn(list, ",");
        *SMS__APPEND(&figures->arena, figures->only.name, figures->only.count) =
            sms__copy(&figures->arena, list, length);
    }
}

/* Draws the figure in all formats that are wanted. */
static int draw(struct job *job, const char *name)
{
    int code = SMS_OK;
    for (size_t i = 0; i < FORMATS && code == SMS_OK; i++)
        if (job->wanted[i])
            code = atomic_load(&cli_interrupted) ? SMS_ECANCELED : sms__figures_draw(&job->figures, name, formats[i]);
    return code;
}

static int load_and_draw(void *user)
{
    struct sms__progress progress;
    struct job *job = user;
    struct sms__figures *figures = &job->figures;
    choose_figures(figures, ((const struct options *)job->cli->options)->figures);
    int code = load(job);
    if (code == SMS_OK)
        code = sms__figures_make(figures);
    sms__progress_begin(&progress, "", "figures", job->cli->quiet);
    for (size_t f = 0; f < figures->made.count && code == SMS_OK; f++) {
        code = draw(job, figures->made.name[f]);
        sms__progress_show(&progress, f + 1, figures->made.count, 0);
    }
    sms__progress_end(&progress);
    return code;
}

static void add_file(struct job *job, const char *name, const char *ending)
{
    char file[300];
    snprintf(file, sizeof file, "%s.%s", name, ending);
    sms__folder_add(&job->folder, file);
}

static int publish(struct job *job)
{
    const struct sms__figure_names *made = &job->figures.made;
    for (size_t f = 0; f < made->count; f++) {
        add_file(job, made->name[f], "gp");
        add_file(job, made->name[f], "csv");
        for (size_t i = 0; i < FORMATS; i++)
            if (job->wanted[i])
                add_file(job, made->name[f], formats[i]);
    }
    json_t *manifest = json_pack("{si ss}", "format", 1, "version", SMSCHED_VERSION);
    return sms__folder_end(&job->folder, manifest, &job->figures.errors);
}

static bool has_match(const struct sms__figure_names *names, const char *pattern)
{
    size_t i = 0;
    while (i < names->count && fnmatch(pattern, names->name[i], 0) != 0)
        i++;
    return i < names->count;
}

/* Names the patterns of --figures that no figure has, beside others that some have. */
static void tell_unmatched(const struct sms__figures *figures)
{
    for (size_t i = 0; i < figures->only.count; i++) {
        const char *pattern = figures->only.name[i];
        if (has_match(&figures->made, pattern) || has_match(&figures->empty, pattern))
            continue;
        fputs("--figures: these results have no figure '", stderr);
        sms__print_visible(stderr, pattern);
        fputs("'\n", stderr);
    }
}

static void print_made(const struct job *job)
{
    const struct sms__figure_names *made = &job->figures.made, *empty = &job->figures.empty;
    for (size_t f = 0; f < made->count; f++)
        for (size_t i = 0; i < FORMATS; i++)
            if (job->wanted[i]) {
                sms__print_visible(stdout, job->target);
                printf("/%s.%s\n", made->name[f], formats[i]);
            }
    for (size_t i = 0; i < empty->count; i++)
        fprintf(stderr, "no figure %s: the results have nothing to draw in it\n", empty->name[i]);
    tell_unmatched(&job->figures);
}

static int finish(struct job *job, int code)
{
    struct sms__figures *figures = &job->figures;
    if (code == SMS_ENOMEM)
        sms__fail(&figures->errors, code, NULL, "out of memory");
    if (code == SMS_OK && figures->made.count == 0)
        code = sms__fail(&figures->errors, SMS_EINPUT, job->cli->args[0], "holds nothing to draw%s",
                         figures->only.count ? " under the names of --figures"
                         : job->is_file      ? ": no policy changes a metric of the host or cluster by 0.1 %"
                                             : "; is this a folder of results?");
    if (code == SMS_OK)
        code = publish(job);
    if (code == SMS_OK && !job->cli->quiet)
        print_made(job);
    sms__folder_abandon(&job->folder);
    for (sqlite3_stmt *open; figures->file && (open = sqlite3_next_stmt(figures->file, NULL));)
        sqlite3_finalize(open);
    sqlite3_close(figures->file);
    sms_errors_print(&figures->errors, stderr);
    sms__arena_release(&figures->arena);
    return cli_exit_code(code);
}

static int plot_results(struct job *job)
{
    struct sms__figures *figures = &job->figures;
    int code = make_folder(job);
    figures->source = job->source;
    figures->scripts = job->scripts;
    figures->temporary = job->folder.partial.name;
    figures->target = job->target;
    figures->cancel = &cli_interrupted;
    if (code == SMS_OK)
        code = sms__guard(&figures->arena, load_and_draw, job);
    return finish(job, code);
}

static int plot(struct cli *cli)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return cli_no_memory();
    job->cli = cli;
    int code = cli->n_args == 1 ? choose_formats(job) : cli_usage(cli, "name one folder of results");
    if (code == EXIT_OK)
        code = choose_width(job);
    if (code == EXIT_OK)
        code = plot_results(job);
    free(job);
    return code;
}

const struct cli_command cmd_plot = {
    .name = "plot",
    .args = "RESULTS",
    .summary = "draw the figures of results",
    .text = "Draws figures for print with gnuplot, from a folder of 'smsched run --out' or 'smsched advise --out', a "
            "folder of 'smsched sweep', or a file of 'smsched compare --format csv'. Next to each figure are its "
            "numbers, NAME.csv, and its script, NAME.gp. Change the script, and draw the figure again with 'gnuplot -c "
            "NAME.gp pdf'.",
    .examples = "smsched run scenarios/02-a-server.yaml --out server\n"
                "smsched plot server --format pdf --width page\n",
    .options = {{own_options}},
    .common = CLI_QUIET,
    .texts = {{"quiet", "print no progress and no names of figures"}},
    .size = sizeof(struct options),
    .run = plot};
