/* One page of HTML about a folder of results or a sweep's database: what is shown is gathered here into one JSON
 * object, and put with style, library and script, which are files of share/smsched, into a page that needs nothing
 * else. */
#ifndef SMS_PAGE_PAGE_H
#define SMS_PAGE_PAGE_H

#include "../report/plot.h"
#include "../sweep/sweep.h"

#include <jansson.h>

/* What a page holds at most, so that it stays below 5 MB whatever the results: numbers of tables, cells of heat maps,
 * pieces of timelines and bytes of their names, bytes of scenarios' texts. What is beyond is left out or put together,
 * and the page says so. */
enum {
    SMS__PAGE_NUMBERS = 120000,
    SMS__PAGE_CELLS = 160000,
    SMS__PAGE_PIECES = 30000,
    SMS__PAGE_NAMES = 400000,
    SMS__PAGE_TEXT = 200000,
    SMS__PAGE_SCENARIOS = 500
};

/* A point of a sweep as its database has it. */
struct sms__page_point {
    uint64_t point;
    const char *database;       /* its path */
    const char *version, *text; /* of the program that merged it; of the plan */
    unsigned char key[SMS__KEY_BYTES];
};

/* Simulates it again, as who knows how to find its plan does: into a folder of results, which lives until the page is
 * whole. SMS_OK or a code, having said why in `errors`. */
struct sms__page_again {
    uint64_t point;
    const char *command; /* that makes the page */
    int (*run)(void *user, const struct sms__page_point *point, struct sms_errors *errors);
    void *user;
    const char *folder; /* set by run, as `results` */
    const struct sms_results *results;
};

struct sms__page {
    struct sms__arena arena;
    struct sms_errors errors;
    const char *source;            /* as named: a folder or a database */
    const char *metric;            /* that the page begins with; or NULL */
    struct sms__page_again *again; /* of a sweep, the point to show; or NULL */
    const atomic_bool *cancel;
    json_t *data;  /* owned */
    json_t *notes; /* of data: what was left out */
};

/* page.c: fills `data`. SMS_OK or a code, having said why. The caller frees both parts with sms__page_release. */
int sms__page_gather(struct sms__page *page);
void sms__page_release(struct sms__page *page);
/* Says in the page that something was left out or put together. */
void sms__page_note(struct sms__page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* lead.c: complains if the page cannot begin with the metric that was asked for. */
int sms__page_check_metric(struct sms__page *page);

/* template.c: writes the page, of the files in `share`. */
int sms__page_write(const struct sms__page *page, const char *share, FILE *to, struct sms_errors *errors);

/* folder.c: a folder of `run --out`. */
int sms__page_read_folder(struct sms__page *page);
/* tables.c: the metrics of its scenarios, from summary.json and comparison.json. */
int sms__page_read_tables(struct sms__page *page, json_t *scenarios);
/* pictures.c: heat maps, timelines and allocation, from the CSV files of a folder. */
int sms__page_read_pictures(struct sms__page *page, const char *folder);

/* sweep.c: the database at `path`. */
int sms__page_read_sweep(struct sms__page *page, const char *path);

#endif
