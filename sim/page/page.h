/* One HTML page about a folder of results or of advice, or a sweep's database. All that it shows is gathered into one
 * JSON object. This is written into a page together with style, library and scripts from share/smsched, so the page
 * needs nothing else. */
#ifndef SMS_PAGE_PAGE_H
#define SMS_PAGE_PAGE_H

#include "../base/arena.h"
#include "../report/output.h"
#include "../sweep/sweep.h"

#include <jansson.h>

/* Limits that keep a page below 5 MB whatever the results: numbers of a sweep's tables (a run's, which have names, half
 * of them), bytes of scenarios' texts, scenarios. page/pictures.sql has those of pictures. What exceeds them is left
 * out or averaged, and the page says so. */
enum { SMS__PAGE_NUMBERS = 120000, SMS__PAGE_TEXT = 200000, SMS__PAGE_SCENARIOS = 500 };

struct sms__page {
    struct sms__arena arena;
    struct sms_errors errors;
    const char *source; /* a folder or a database, as the user named it */
    const char *share;  /* the installed share/smsched, where the files of the page are */
    const atomic_bool *cancel;
    struct sms__progress *progress; /* of reading a sweep; or NULL */
    size_t done, steps;             /* of it */
    json_t *data;                   /* owned */
    json_t *notes;                  /* part of `data`: what was left out */
};

/* page.c: fills `data`. Returns SMS_OK or the code of an error in page->errors. Release the page in any case. */
int sms__page_gather(struct sms__page *page);
void sms__page_release(struct sms__page *page);
/* note.c: adds a note to the page that something was left out or averaged. */
void sms__page_note(struct sms__page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* note.c: shows that a step is done. */
void sms__page_step(struct sms__page *page);

/* template.c: writes the page. Errors name `to` as `path`. */
int sms__page_write(struct sms__page *page, FILE *to, const char *path);

/* page_folder.c: reads a folder of `run --out`. */
int sms__page_read_folder(struct sms__page *page);
/* page_folder.c: reads a folder of `advise --out`. */
int sms__page_read_advice(struct sms__page *page);
/* page_tables.c: reads the scenarios' metrics from summary.json and comparison.json. */
int sms__page_read_tables(struct sms__page *page, json_t *scenarios);
/* pictures.c: reads heat maps, timelines and allocation from the CSV files of a folder. */
int sms__page_read_pictures(struct sms__page *page, const char *folder);

/* sweep.c: reads the database at `path`. */
int sms__page_read_sweep(struct sms__page *page, const char *path);

#endif
