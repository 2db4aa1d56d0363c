/* Makes figures from the SQL files of the folder plots/. Lines "-- @WORD ARGUMENT" divide such a file into sections:
 *
 *   @draw MARK         the script `MARK.gp` that draws it
 *   @needs TABLE...    tables without which there is no such figure
 *   @table NAME        a table for all figures of the file
 *   @check FILE: TEXT  an error, with the line that the query returns
 *   @figures [WORD...] a row for each figure; the first column is its name, which begins with one of these words.
 *                      If --figures asks for no name that may begin so, the file has no figure and loads no table
 *   @each NAME         a table for one figure
 *   @refuse            an error, if the query returns a text, which says what is wrong with the tables so far
 *   @set               one row: each column is a variable of the script
 *   @array PREFIX      column `c` of row i is PREFIX_c[i]; the number of rows is PREFIXs
 *   @data              the CSV file; `@data blocks`: with two empty lines where the first column changes
 *   @include NAME      the sections of NAME.inc
 *
 * Sections below @figures run once for each figure. They find its row in the table `figure`, and {COLUMN} in their
 * text is the value of that column, as an identifier, {=COLUMN} as it is. Files go by their names: `00-common.sql`
 * has tables for all. */
#define _GNU_SOURCE
#include "figures.h"

#include "../base/escape.h"
#include "../base/member.h"
#include "../base/read.h"
#include "../base/suffix.h"
#include "../base/write.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MOST = 40, ROWS_MOST = 2000, DATA_MOST = 2000000 };

struct section {
    struct sms__mark mark;
    const char *word, *argument, *text;
};

static const struct {
    const char *name;
    bool takes; /* an argument */
} words[] = {{"draw", true}, {"needs", true}, {"table", true}, {"check", true},   {"figures", false}, {"each", true},
             {"set", false}, {"array", true}, {"data", false}, {"refuse", false}, {"include", true}};
enum { WORDS = sizeof words / sizeof *words };

/* A file of SQL, and the figure that is being made. */
struct maker {
    struct sms__figures *figures;
    const char *path;
    struct section section[SECTIONS_MOST];
    size_t sections;
    const struct section *at; /* the one that runs */
    const char *name;
    FILE *script;
    size_t rows; /* of the query that runs */
    sqlite3_int64 block;
};

/* Reports SQLite's error in the section that runs. */
static int fail(struct maker *maker)
{
    const struct section *at = maker->at;
    return sms__figures_error(maker->figures,
                              sms__print(&maker->figures->arena, "%s, @%s%s%s", strrchr(maker->path, '/') + 1, at->word,
                                         *at->argument ? " " : "", at->argument));
}

/* Reports a mistake at the place of its section. */
__attribute__((format(printf, 3, 4))) static int wrong(struct maker *maker, const struct section *section,
                                                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sms__verror(&maker->figures->errors, SMS_EINPUT, section->mark, format, args);
    va_end(args);
    return SMS_EINPUT;
}

static bool is(const struct section *section, const char *word) { return !strcmp(section->word, word); }

static int check_section(struct maker *maker, const struct section *section)
{
    const size_t w = sms__find_name(section->word, WORDS, SMS__NAMES(words, name));
    const char *near = w < WORDS ? NULL : sms__nearest(section->word, WORDS, SMS__NAMES(words, name));
    if (w == WORDS)
        return wrong(maker, section, "unknown section '@%.40s'%s%s%s", section->word, near ? "; did you mean '@" : "",
                     near ? near : "", near ? "'?" : "");
    if (words[w].takes && !*section->argument)
        return wrong(maker, section, "'@%s' needs a name", section->word);
    const char *open = strrchr(section->text, '{');
    return open && !strchr(open, '}') ? wrong(maker, section, "its text has a '{' without '}'") : SMS_OK;
}

static int parse(struct maker *maker, const char *path)
{
    const char *text;
    struct sms__arena *arena = &maker->figures->arena;
    int code = sms__file_text(arena, path, &text, &maker->figures->errors);
    for (const char *at = code ? NULL : strstr(text, "-- @"), *next; at && code == SMS_OK; at = next) {
        const char *end = strchrnul(at, '\n');
        next = strstr(end, "\n-- @");
        next = next ? next + 1 : NULL;
        size_t word = strcspn(at + 4, " \n"), skip = 4 + word + strspn(at + 4 + word, " ");
        if (maker->sections == SECTIONS_MOST)
            return sms__fail(&maker->figures->errors, SMS_EINPUT, path,
                             "has more than %d sections with what it includes", SECTIONS_MOST);
        struct section *section = &maker->section[maker->sections++];
        *section = (struct section){sms__text_mark(path, text, (size_t)(at - text)), sms__copy(arena, at + 4, word),
                                    sms__copy(arena, at + skip, (size_t)(end - at) - skip),
                                    sms__copy(arena, end, next ? (size_t)(next - end) : strlen(end))};
        code = check_section(maker, section);
        if (code == SMS_OK && is(section, "table"))
            *SMS__APPEND(arena, maker->figures->tables.name, maker->figures->tables.count) = section->argument;
        if (code == SMS_OK && is(section, "include"))
            code = parse(maker, sms__print(arena, "%s/%s.inc", maker->figures->scripts, section->argument));
    }
    return code;
}

static bool has_section(const struct maker *maker, const char *word)
{
    for (size_t i = 0; i < maker->sections; i++)
        if (is(&maker->section[i], word))
            return true;
    return false;
}

/* Without one of these nothing would be drawn. */
static int check_whole(struct maker *maker)
{
    static const char *const needed[] = {"figures", "draw", "data"};
    const bool makes = has_section(maker, "figures") || has_section(maker, "each") || has_section(maker, "draw");
    for (size_t i = 0; makes && i < sizeof needed / sizeof *needed; i++)
        if (!has_section(maker, needed[i]))
            return sms__fail(&maker->figures->errors, SMS_EINPUT, maker->path, "has no section '@%s'", needed[i]);
    return SMS_OK;
}

/* ---- queries ---- */

/* Prepares the one query of a text. */
static int prepare(struct maker *maker, const char *sql, sqlite3_stmt **statement)
{
    const char *rest;
    sqlite3_stmt *second = NULL;
    if (sqlite3_prepare_v2(maker->figures->file, sql, -1, statement, &rest) != SQLITE_OK)
        return fail(maker);
    const int code = *statement ? sqlite3_prepare_v2(maker->figures->file, rest, -1, &second, NULL) : SQLITE_OK;
    if (code == SQLITE_NOMEM) { /* whether there is another one is not known */
        const int failed = fail(maker);
        sqlite3_finalize(*statement);
        return failed;
    }
    const bool one = *statement && code == SQLITE_OK && !second;
    sqlite3_finalize(second);
    if (one)
        return SMS_OK;
    const bool empty = !*statement;
    sqlite3_finalize(*statement);
    return wrong(maker, maker->at, empty ? "has no query" : "has more than one query");
}

/* The text of a query's first value; NULL if it has none. */
static int first_value(struct maker *maker, const char *sql, const char **value)
{
    sqlite3_stmt *statement;
    *value = NULL;
    int code = prepare(maker, sql, &statement);
    if (code)
        return code;
    int step = sqlite3_step(statement);
    const bool any = step == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;
    const char *text = any ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    char *copy = text ? sqlite3_mprintf("%s", text) : NULL;
    sqlite3_finalize(statement);
    if (any && !copy)
        return SMS_ENOMEM;
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return fail(maker);
    if (copy)
        *value = sms__print(&maker->figures->arena, "%s", copy);
    sqlite3_free(copy);
    return SMS_OK;
}

/* Replaces each {COLUMN} by what the figure has there. */
static int fill(struct maker *maker, const char *text, const char **filled)
{
    struct sms__arena *arena = &maker->figures->arena;
    const char *out = "", *value;
    for (const char *open; (open = strchr(text, '{')); text = strchr(open, '}') + 1) {
        const bool plain = open[1] == '=';
        const char *name = sms__copy(arena, open + 1 + plain, strcspn(open + 1 + plain, "}"));
        int code = first_value(
            maker,
            sms__print(arena,
                       plain ? "SELECT \"%s\" FROM temp.figure" : "SELECT printf('\"%%w\"', \"%s\") FROM temp.figure",
                       name),
            &value);
        if (code)
            return code;
        out = sms__print(arena, "%s%.*s%s", out, (int)(open - text), text, value ? value : "");
    }
    *filled = sms__print(arena, "%s%s", out, text);
    return SMS_OK;
}

static int make_table(struct maker *maker, const char *name, const char *sql)
{
    const char *filled;
    int code = fill(maker, sql, &filled);
    if (code)
        return code;
    struct sms__arena *arena = &maker->figures->arena;
    const char *none, *drop = sms__print(arena, "DROP TABLE IF EXISTS temp.\"%s\"", name);
    if (sqlite3_exec(maker->figures->file, drop, NULL, NULL, NULL) != SQLITE_OK)
        return fail(maker);
    return first_value(maker, sms__print(arena, "CREATE TEMP TABLE \"%s\" AS %s", name, filled), &none);
}

/* Calls `take` for each row. */
static int query(struct maker *maker, const struct section *section,
                 int (*take)(struct maker *maker, const struct section *section, sqlite3_stmt *row))
{
    const char *sql;
    sqlite3_stmt *statement;
    maker->at = section;
    int step = SQLITE_DONE, code = fill(maker, section->text, &sql);
    code = code ? code : prepare(maker, sql, &statement);
    if (code)
        return code;
    maker->rows = 0;
    while (code == SMS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        maker->rows++;
        code = take(maker, section, statement);
    }
    if (code == SMS_OK && step != SQLITE_DONE)
        code = fail(maker);
    sqlite3_finalize(statement);
    return code;
}

/* ---- the script and the data ---- */

/* Between single quotes, gnuplot gives no character a meaning but the quote, which is not safely doubled at an end. It
 * writes "]]>" into an SVG as it is, where XML allows it only as an end; with a blank it is text. */
static void put_text(FILE *to, const char *text)
{
    fputc('\'', to);
    for (const char *begin = text; *text; text++) {
        if (*text == '>' && text - begin > 1 && text[-1] == ']' && text[-2] == ']')
            fputc(' ', to);
        fputs(*text == '\'' ? "' . \"'\" . '" : *text == '\n' ? "' . \"\\n\" . '" : (const char[]){*text, '\0'}, to);
    }
    fputc('\'', to);
}

static void put_value(FILE *to, sqlite3_stmt *row, int column, void (*put)(FILE *to, const char *text))
{
    const int type = sqlite3_column_type(row, column);
    const unsigned char *text = type == SQLITE_TEXT ? sqlite3_column_text(row, column) : NULL;
    if (type == SQLITE_INTEGER)
        fprintf(to, "%lld", sqlite3_column_int64(row, column));
    else if (type == SQLITE_FLOAT)
        fprintf(to, "%.10g", sqlite3_column_double(row, column));
    else if (text)
        put(to, (const char *)text);
    else
        fputs("NaN", to);
}

/* Whether a column can be a variable of gnuplot. */
static int check_column(struct maker *maker, const struct section *section, const char *column)
{
    for (const char *c = column; *c || c == column; c++)
        if (*c != '_' && !isalpha((unsigned char)*c) && !(c > column && isdigit((unsigned char)*c)))
            return wrong(maker, section, "its column '%.60s' is no name of a variable; 'AS NAME' gives it one", column);
    return SMS_OK;
}

static int set(struct maker *maker, const struct section *section, sqlite3_stmt *row)
{
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        int code = check_column(maker, section, sqlite3_column_name(row, i));
        if (code)
            return code;
        fprintf(maker->script, "%s = ", sqlite3_column_name(row, i));
        put_value(maker->script, row, i, put_text);
        fputc('\n', maker->script);
    }
    return SMS_OK;
}

static int set_item(struct maker *maker, const struct section *section, sqlite3_stmt *row)
{
    if (maker->rows > ROWS_MOST)
        return sms__fail(&maker->figures->errors, SMS_EINPUT, maker->figures->source,
                         "has more than %d %ss, too many for the figure %s; run its scenarios into several folders",
                         ROWS_MOST, section->argument, maker->name);
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const char *column = sqlite3_column_name(row, i);
        int code = maker->rows == 1 ? check_column(maker, section, column) : SMS_OK;
        if (code)
            return code;
        if (maker->rows == 1)
            fprintf(maker->script, "array %s_%s[%d]\n", section->argument, column, ROWS_MOST);
        fprintf(maker->script, "%s_%s[%zu] = ", section->argument, column, maker->rows);
        put_value(maker->script, row, i, put_text);
        fputc('\n', maker->script);
    }
    return SMS_OK;
}

static int put_row(struct maker *maker, const struct section *section, sqlite3_stmt *row)
{
    const int columns = sqlite3_column_count(row);
    const sqlite3_int64 block = sqlite3_column_int64(row, 0);
    if (*section->argument && maker->rows > 1 && block != maker->block)
        fputs("\n\n", maker->script);
    maker->block = block;
    for (int i = 0; i < columns && maker->rows == 1; i++)
        fprintf(maker->script, "%s%c", sqlite3_column_name(row, i), i + 1 < columns ? ',' : '\n');
    for (int i = 0; i < columns; i++) {
        put_value(maker->script, row, i, sms__print_csv);
        fputc(i + 1 < columns ? ',' : '\n', maker->script);
    }
    return maker->rows <= DATA_MOST ? SMS_OK
                                    : sms__fail(&maker->figures->errors, SMS_EINPUT, maker->figures->source,
                                                "has too many rows for the figure %s", maker->name);
}

static int write_file(struct maker *maker, const char *ending, int (*body)(struct maker *maker))
{
    struct sms__figures *figures = maker->figures;
    const char *shown = sms__print(&figures->arena, "%s/%s.%s", figures->target, maker->name, ending);
    maker->script = fopen(sms__print(&figures->arena, "%s/%s.%s", figures->temporary, maker->name, ending), "we");
    if (!maker->script)
        return sms__fail(&figures->errors, SMS_EIO, shown, "cannot be written: %s", strerror(errno));
    int code = body(maker), closed = sms__close_whole(maker->script, shown, &figures->errors);
    return code ? code : closed;
}

static int write_data(struct maker *maker)
{
    int code = SMS_OK;
    for (size_t i = 0; i < maker->sections && code == SMS_OK; i++)
        if (is(&maker->section[i], "data"))
            code = query(maker, &maker->section[i], put_row);
    return code;
}

static int add_script(struct maker *maker, const char *mark)
{
    struct sms__figures *figures = maker->figures;
    const char *text;
    int code = sms__file_text(&figures->arena, sms__print(&figures->arena, "%s/%s.gp", figures->scripts, mark), &text,
                              &figures->errors);
    if (code == SMS_OK)
        fputs(text, maker->script);
    return code;
}

static int write_script(struct maker *maker)
{
    const struct sms__figures *figures = maker->figures;
    const char *marks = "";
    int code = SMS_OK;
    fprintf(maker->script, "# Change what you like, and draw it again: gnuplot -c %s.gp [svg|pdf|png [FILE]]\n",
            maker->name);
    fprintf(
        maker->script,
        "# The data is in %s.csv. share/smsched/plots/plot.py draws it with matplotlib.\nname = '%s'\nwidth_in = %g\n",
        maker->name, maker->name, figures->width_in);
    for (size_t i = 0; i < maker->sections && code == SMS_OK; i++) {
        const struct section *section = &maker->section[i];
        if (is(section, "draw"))
            marks = section->argument;
        else if (is(section, "set")) {
            code = query(maker, section, set);
            if (code == SMS_OK && maker->rows != 1)
                code = wrong(maker, section, "has to give one row for the figure %s, and gives %zu", maker->name,
                             maker->rows);
        } else if (is(section, "array")) {
            code = query(maker, section, set_item);
            fprintf(maker->script, "%ss = %zu\n", section->argument, maker->rows);
        }
    }
    fprintf(maker->script, "mark = '%s'\n\n", marks);
    if (code == SMS_OK)
        code = add_script(maker, "common");
    return code ? code : add_script(maker, marks);
}

/* ---- figures ---- */

/* Whether the figure is asked for. */
static bool is_wanted(const struct sms__figures *figures, const char *name)
{
    bool wanted = figures->only.count == 0;
    for (size_t i = 0; i < figures->only.count && !wanted; i++)
        wanted = fnmatch(figures->only.name[i], name, 0) == 0;
    return wanted;
}

static bool is_made(const struct sms__figures *figures, const char *name)
{
    return sms__find_name(name, figures->made.count, sms__text_at, figures->made.name) < figures->made.count;
}

/* A name with only characters that file names may have. If another figure has the same, it gets a number. */
static const char *name_figure(struct sms__figures *figures, const char *name)
{
    char *base = sms__print(&figures->arena, "%.200s", name);
    for (char *at = base; *at; at++)
        if (!strchr("_-.", *at) && !isalnum((unsigned char)*at))
            *at = '+';
    const char *own = base;
    for (int i = 2; is_made(figures, own); i++)
        own = sms__print(&figures->arena, "%s-%d", base, i);
    return own;
}

static int refuse(struct maker *maker)
{
    const char *text, *sql;
    int code = fill(maker, maker->at->text, &sql);
    code = code ? code : first_value(maker, sql, &text);
    return code || !text ? code : sms__fail(&maker->figures->errors, SMS_EINPUT, maker->path, "%s", text);
}

static int make_one(struct maker *maker)
{
    struct sms__figures *figures = maker->figures;
    int code = SMS_OK;
    for (size_t i = 0; i < maker->sections && code == SMS_OK; i++) {
        maker->at = &maker->section[i];
        if (is(maker->at, "each"))
            code = make_table(maker, maker->at->argument, maker->at->text);
        else if (is(maker->at, "refuse"))
            code = refuse(maker);
    }
    if (code == SMS_OK)
        code = write_file(maker, "csv", write_data);
    const bool drawn = maker->rows > 0;
    struct sms__figure_names *names = drawn ? &figures->made : &figures->empty;
    if (code == SMS_OK)
        *SMS__APPEND(&figures->arena, names->name, names->count) = maker->name;
    return code || !drawn ? code : write_file(maker, "gp", write_script);
}

static int make_all(struct maker *maker)
{
    struct sms__figures *figures = maker->figures;
    const struct section *section = maker->at;
    int code = SMS_OK;
    for (long i = 1; code == SMS_OK; i++) {
        maker->at = section;
        code = make_table(maker, "figure", sms__print(&figures->arena, "SELECT * FROM figures WHERE rowid = %ld", i));
        if (code == SMS_OK)
            code = first_value(maker, "SELECT name FROM temp.figure", &maker->name);
        if (code || !maker->name)
            return code;
        if (figures->made.count == SMS__FIGURES_MOST)
            return sms__fail(&figures->errors, SMS_EINPUT, figures->source,
                             "has results for more than %d figures; run its scenarios into several folders",
                             SMS__FIGURES_MOST);
        maker->name = name_figure(figures, maker->name);
        if (is_wanted(figures, maker->name))
            code = make_one(maker);
    }
    return code;
}

static int check(struct maker *maker, const struct section *section)
{
    const char *line;
    int code = first_value(maker, section->text, &line);
    if (code || !line)
        return code;
    size_t file = strcspn(section->argument, ":");
    return sms__fail(&maker->figures->errors, SMS_EINPUT, maker->figures->source, "%.*s, line %s%s", (int)file,
                     section->argument, line, section->argument + file);
}

static int run(struct sms__figures *figures, const char *path)
{
    struct maker *maker = SMS__NEW(&figures->arena, struct maker, 1);
    *maker = (struct maker){.figures = figures, .path = path};
    int code = parse(maker, path);
    bool able = true;
    code = code ? code : check_whole(maker);
    for (size_t i = 0; i < maker->sections; i++)
        able &= !is(&maker->section[i], "figures") || sms__figures_may_want(figures, maker->section[i].argument);
    for (size_t i = 0; i < maker->sections && code == SMS_OK && able; i++) {
        const struct section *section = maker->at = &maker->section[i];
        if (is(section, "needs"))
            code = sms__figures_load_tables(figures, section->argument, section->mark, &able);
        else if (is(section, "table") || is(section, "figures"))
            code = make_table(maker, is(section, "table") ? section->argument : "figures", section->text);
        else if (is(section, "check"))
            code = check(maker, section);
        if (code == SMS_OK && is(section, "figures"))
            return make_all(maker);
    }
    return code;
}

static int is_sql(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && sms__ends_with(entry->d_name, ".sql");
}

/* The files of SQL, in the order of their names. */
int sms__figures_make(struct sms__figures *figures)
{
    struct dirent **entry = NULL;
    int code = sms__figures_functions(figures);
    if (code)
        return code;
    const int found = scandir(figures->scripts, &entry, is_sql, alphasort);
    if (found < 0)
        return sms__fail(&figures->errors, SMS_EIO, figures->scripts, "%s", strerror(errno));
    const char **path = SMS__NEW(&figures->arena, const char *, (size_t)found + 1);
    for (int i = 0; i < found; i++) {
        path[i] = sms__print(&figures->arena, "%s/%s", figures->scripts, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    if (found == 0)
        return sms__fail(&figures->errors, SMS_EIO, figures->scripts, "holds no SQL files");
    for (int i = 0; i < found && code == SMS_OK; i++)
        code = run(figures, path[i]);
    return code;
}
