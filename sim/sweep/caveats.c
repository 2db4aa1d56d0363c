/* Keeps in a sweep's database what a reader must know beside its answer: which measurements bear on the metric that is
 * asked for, and the warnings of its scenarios. */
#include "database.h"

#include "../model/beyond_full.h"
#include "../model/file.h"
#include "../report/trust.h"

#include <sqlite3.h>

static const char make_sql[] = "CREATE TABLE caveat (text TEXT PRIMARY KEY) WITHOUT ROWID;";
static const char add_sql[] = "INSERT OR IGNORE INTO caveat VALUES (%Q);";

struct adding {
    const struct sms__plan *plan;
    sqlite3_stmt *metrics; /* those that points ask for; NULL: nothing is known of measurements */
    sqlite3_str *text;
    struct sms__arena *arena;
};

static int add_measured(const struct adding *adding, const struct sms_scenario *scenario, const char *metric)
{
    struct sms__trust_line line;
    const int code = sms__trust_line(adding->plan->trust, scenario, metric, 0, &line);
    if (code == SMS_OK)
        sqlite3_str_appendf(adding->text, add_sql, sms__print(adding->arena, "measured: %s", line.text));
    return code;
}

/* A line for each metric and scenario, in the sharing modes of all its policies. */
static int add_all_measured(const struct adding *adding)
{
    const struct sms__plan *plan = adding->plan;
    int code = SMS_OK, row = SQLITE_DONE;
    while (code == SMS_OK && adding->metrics && (row = sqlite3_step(adding->metrics)) == SQLITE_ROW)
        for (size_t b = 0; b < plan->bases; b++)
            for (size_t i = 0; code == SMS_OK && i < plan->base[b].scenarios; i++)
                code = add_measured(adding, sms_file_scenario(plan->base[b].library, i),
                                    (const char *)sqlite3_column_text(adding->metrics, 0));
    return code == SMS_OK && row != SQLITE_DONE ? SMS_ENOMEM : code;
}

enum { NAMED = 4 };

/* Tenants of synthetic kernels that want more than there is, of which no warning tells. */
static void add_synthetic(const struct adding *adding, const struct sms_scenario *scenario)
{
    const char *names = "";
    size_t count = 0;
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        if (vm->workload->synthetic && sms__wants_more(scenario, vm, 1 + SMS__FULL_MARGIN) && ++count <= NAMED)
            names = sms__print(adding->arena, "%s%s%s", names, count > 1 ? ", " : "", vm->name);
    }
    if (count > NAMED)
        names = sms__print(adding->arena, "%s and %zu more", names, count - NAMED);
    if (count)
        sqlite3_str_appendf(adding->text, add_sql,
                            sms__print(adding->arena,
                                       "synthetic kernels of %s of scenario '%s' alone want more than there is: what "
                                       "they gain under a policy that admits fewer blocks is their own",
                                       names, scenario->name));
}

/* For sms__guard. */
static int add_all(void *user)
{
    const struct adding *adding = user;
    const struct sms__plan *plan = adding->plan;
    for (size_t b = 0; b < plan->bases; b++)
        for (size_t i = 0; i < plan->base[b].scenarios; i++)
            add_synthetic(adding, sms_file_scenario(plan->base[b].library, i));
    return add_all_measured(adding);
}

static void add_warnings(sqlite3_str *text, const struct sms_errors *warnings)
{
    for (size_t i = 0; i < warnings->count && i < SMS_ERRORS_MAX; i++)
        sqlite3_str_appendf(text, add_sql, warnings->item[i].message);
}

bool sms__database_caveats(const struct sms__database *database, sqlite3_str *text)
{
    static const char asked_sql[] = "SELECT DISTINCT metric FROM answer ORDER BY metric";
    const struct sms__plan *plan = database->plan;
    struct sms__arena arena = {0};
    struct adding adding = {.plan = plan, .text = text, .arena = &arena};
    sqlite3_str_appendall(text, make_sql);
    for (size_t b = 0; b < plan->bases; b++)
        add_warnings(text, &plan->base[b].library->warnings);
    add_warnings(text, &plan->warnings);
    const bool made =
        (!plan->trust || sqlite3_prepare_v2(database->file, asked_sql, -1, &adding.metrics, NULL) == SQLITE_OK) &&
        !sms__guard(&arena, add_all, &adding);
    sqlite3_finalize(adding.metrics);
    sms__arena_release(&arena);
    return made;
}
