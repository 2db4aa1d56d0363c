/* Gathers the data of a page from a folder of results or of advice, or from a sweep's database. */
#include "page.h"

#include "../report/json_write.h"
#include "../report/memory.h"
#include "../report/output.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Describes all metrics, so that the page can show their words and formulas, and which direction is better. */
static json_t *describe_metrics(void)
{
    json_t *all = json_object();
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t count;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &count);
        json_t *metrics = json_object();
        for (size_t m = 0; m < count; m++)
            json_object_set_new(metrics, metric[m].name,
                                json_pack("{s:i, s:s, s:s}", "better", metric[m].better, "formula", metric[m].formula,
                                          "words", metric[m].words));
        json_object_set_new(all, sms__subject_word((enum sms_subject)s), metrics);
    }
    return all;
}

/* Colours of states, endings and tenants, the same as in figures. */
static json_t *describe_palette(void)
{
    static const struct {
        const char *kind, *name;
        unsigned rgb;
    } palette[] = {
#define SMS__COLOUR(kind, name, rgb) {kind, name, rgb},
#include "../report/palette.def"
    };
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof palette / sizeof *palette; i++)
        json_array_append_new(
            all, json_pack("[s, s, o]", palette[i].kind, palette[i].name, json_sprintf("#%06x", palette[i].rgb)));
    return all;
}

/* Whether it is a regular file, or may be one that must not be looked at: reading it says so. */
static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? S_ISREG(st.st_mode) : errno == EACCES;
}

/* The path of the sweep's database; NULL if `source` neither is one nor contains one. */
static const char *find_database(struct sms__page *page)
{
    static const char *const suffixes[] = {"", "/sweep.db", "/results/sweep.db"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const char *path = sms__print(&page->arena, "%s%s", page->source, suffixes[i]);
        if (is_file(path))
            return path;
    }
    return NULL;
}

static int read_source(struct sms__page *page)
{
    if (is_file(sms__print(&page->arena, "%s/advice.json", page->source)))
        return sms__page_read_advice(page);
    if (is_file(sms__print(&page->arena, "%s/summary.json", page->source)))
        return sms__page_read_folder(page);
    const char *database = find_database(page);
    if (database)
        return sms__page_read_sweep(page, database);
    return sms__fail(&page->errors, SMS_EINPUT, page->source,
                     "contains neither summary.json, sweep.db nor advice.json; is it a folder of 'smsched run --out', "
                     "of a sweep or of 'smsched advise --out'?");
}

static int gather(void *user)
{
    struct sms__page *page = user;
    struct stat st;
    if (stat(page->source, &st) || (S_ISDIR(st.st_mode) && access(page->source, X_OK)))
        return sms__fail(&page->errors, errno == ENOENT ? SMS_EINPUT : SMS_EIO, page->source, "cannot be read: %s",
                         strerror(errno));
    page->data = json_object();
    json_object_set_new(page->data, "format", json_integer(1));
    page->notes = sms__json_keep(page->data, "notes", json_array());
    json_object_set_new(page->data, "metrics", describe_metrics());
    json_object_set_new(page->data, "palette", describe_palette());
    return read_source(page);
}

int sms__page_gather(struct sms__page *page)
{
    int code = sms__guard(&page->arena, gather, page);
    if (code != SMS_ENOMEM && !sms__memory_failed())
        return code;
    page->errors.count = 0; /* errors reported before only follow from it */
    return sms__fail(&page->errors, SMS_ENOMEM, NULL, "out of memory");
}

void sms__page_release(struct sms__page *page)
{
    json_decref(page->data);
    sms__arena_release(&page->arena);
}
