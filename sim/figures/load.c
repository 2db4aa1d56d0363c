/* Reads CSV files of a results folder into tables of a database in memory. */
#define _GNU_SOURCE
#include "figures.h"

#include "../report/output.h"

#include "../base/member.h"
#include "../base/read.h"
#include "../base/sqlite.h"

#include <sys/stat.h>

enum { JSON_MIB = 512 };

/* The tables of a folder's CSV files, of which the first are small and always loaded; then those of other results: a
 * folder's JSON, a file of 'compare', a sweep. */
static const char *const tables[] = {
    "hosts",   "vms",   "resources",  "processes",  "devices",   "cluster",  "classes",    "heatmap", "timeline",
    "spans",   "parts", "allocation", "placements", "latencies", "answers",  "comparison", "point",   "answer",
    "student", "line",  "alone",      "divides",    "axis",      "deadline", "bound",      "gain",    "caveat",
    "meta",    "host",  "vm",         "process",    "device",    "resource", "class"};
enum { SMALL = 7, FILES = 14, TABLES = sizeof tables / sizeof *tables };

/* The questions and bounds are in comparison.json, advice is in advice.json. Either becomes one field. */
static int load_json(struct sms__figures *figures, const char *path)
{
    char *bytes;
    size_t size;
    sqlite3_stmt *insert = NULL;
    int code = sms__file_bytes(&figures->arena, path, (uint64_t)JSON_MIB << 20, &bytes, &size, &figures->errors);
    if (code)
        return code;
    bool ok = sqlite3_prepare_v2(figures->file, "INSERT INTO answers SELECT ?1 WHERE json_valid(?1)", -1, &insert,
                                 NULL) == SQLITE_OK &&
              sqlite3_bind_text64(insert, 1, bytes, size, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK &&
              sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_finalize(insert);
    if (!ok)
        return sms__figures_error(figures, path);
    return sqlite3_changes(figures->file) ? SMS_OK : sms__fail(&figures->errors, SMS_EINPUT, path, "is not JSON");
}

static int load_folder(struct sms__figures *figures)
{
    struct sms__arena *arena = &figures->arena;
    int code = SMS_OK;
    bool any = false;
    figures->is_folder = true;
    for (size_t i = 0; i < FILES && code == SMS_OK; i++) {
        const char *path = sms__print(arena, "%s/%s.csv", figures->source, tables[i]);
        const bool there = sms__may_exist(path);
        any |= there;
        if (there && i < SMALL)
            code = sms__csv_table(figures->file, path, tables[i], &figures->errors);
    }
    const char *advice = sms__print(arena, "%s/advice.json", figures->source);
    if (code == SMS_OK && !any && sms__may_exist(advice))
        return load_json(figures, advice);
    if (code == SMS_OK && !any)
        return sms__fail(&figures->errors, SMS_EINPUT, figures->source,
                         "has no results; is this a folder of 'smsched run --out', of advice or of a sweep?");
    const char *json = sms__print(arena, "%s/comparison.json", figures->source);
    return code || !sms__may_exist(json) ? code : load_json(figures, json);
}

static bool is_loaded(struct sms__figures *figures, const char *name)
{
    return sqlite3_table_column_metadata(figures->file, NULL, name, NULL, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* Loads the CSV file of a table that no figure before needed. */
static int load_table(struct sms__figures *figures, const char *name)
{
    const char *path = sms__print(&figures->arena, "%s/%s.csv", figures->source, name);
    const bool is_file = figures->is_folder && sms__find_name(name, FILES, sms__text_at, tables) < FILES;
    return is_file && !is_loaded(figures, name) && sms__may_exist(path)
               ? sms__csv_table(figures->file, path, name, &figures->errors)
               : SMS_OK;
}

int sms__figures_load_tables(struct sms__figures *figures, const char *names, struct sms__mark place, bool *all)
{
    const struct sms__figure_names *made = &figures->tables;
    *all = true;
    for (const char *at = names + strspn(names, " "); *at; at += strspn(at, " ")) {
        const char *name = sms__copy(&figures->arena, at, strcspn(at, " "));
        const int code = load_table(figures, name);
        at += strlen(name);
        if (code)
            return code;
        if (is_loaded(figures, name))
            continue;
        *all = false;
        if (sms__find_name(name, TABLES, sms__text_at, tables) < TABLES ||
            sms__find_name(name, made->count, sms__text_at, made->name) < made->count)
            continue;
        sms__error(&figures->errors, SMS_EINPUT, place, "no results have a table '%.60s'%s", name,
                   sms__did_you_mean(sms__nearest(name, TABLES, sms__text_at, tables)).text);
        return SMS_EINPUT;
    }
    return SMS_OK;
}

bool sms__figures_may_want(const struct sms__figures *figures, const char *beginnings)
{
    bool may = figures->only.count == 0 || !*beginnings;
    for (size_t i = 0; i < figures->only.count && !may; i++) {
        const char *pattern = figures->only.name[i];
        const size_t sure = strcspn(pattern, "*?[\\");
        for (const char *word = beginnings; *word && !may; word += strspn(word, " ")) {
            const size_t length = strcspn(word, " ");
            may = !strncmp(pattern, word, sure < length ? sure : length);
            word += length;
        }
    }
    return may;
}

int sms__figures_load(struct sms__figures *figures)
{
    struct stat status;
    if (sqlite3_open(":memory:", &figures->file) != SQLITE_OK ||
        sqlite3_exec(figures->file, "BEGIN; CREATE TABLE answers (text)", NULL, NULL, NULL) != SQLITE_OK)
        return sms__figures_error(figures, figures->source);
    sqlite3_progress_handler(figures->file, 100000, sms__sqlite_is_cancelled, figures->cancel);
    if (stat(figures->source, &status) == 0 && S_ISDIR(status.st_mode))
        return load_folder(figures);
    return sms__csv_table(figures->file, figures->source, "comparison", &figures->errors);
}
