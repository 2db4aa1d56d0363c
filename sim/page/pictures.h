/* Pictures of a run's results. Each shows one scenario under one policy. */
#ifndef SMS_PAGE_PICTURES_H
#define SMS_PAGE_PICTURES_H

#include "page.h"

/* `plot` comes first, because the reader of the CSV files gets a pointer to it. */
struct sms__pictures {
    struct sms__plot plot;
    struct sms__page *page;
};

/* A rectangle of a timeline. */
struct sms__span {
    size_t row, color, count;
    double start_ns, end_ns;
    const char *name;
};

/* A timeline. Its spans' rows and colours are indices of names that the page's data has. */
struct sms__timeline {
    const char *kind; /* "blocks", "processes", "pods" */
    size_t scenario, policy;
    struct sms__span *span;
    size_t spans;
    size_t max_spans;             /* maximum number of spans in the page */
    size_t name_bytes;            /* maximum size of all names together; larger ones are all left out */
    const struct sms__names *row; /* names of its own rows, or NULL */
};

/* timeline.c: the spans as JSON, sorted by start; NULL without spans. If there are too many, only the first are
 * kept. With `bin` the time is divided into equal intervals instead, and each row has the colour that lasted longest.
 */
json_t *sms__timeline_json(struct sms__pictures *pictures, struct sms__timeline *timeline, bool bin);

/* heat.c: a list of heat maps. NULL after an error, which the page then has. */
json_t *sms__heat_json(struct sms__pictures *pictures);

#endif
