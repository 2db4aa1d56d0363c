/* What the pictures of a run are made of: a scenario and a policy each. */
#ifndef SMS_PAGE_PICTURES_H
#define SMS_PAGE_PICTURES_H

#include "page.h"

/* `plot` is first: rows of CSV files are given to it. */
struct sms__pictures {
    struct sms__plot plot;
    struct sms__page *page;
};

/* Something that lasted, of a row and in a colour, and perhaps with a name. */
struct sms__piece {
    size_t row, color, count;
    double start_ns, end_ns;
    const char *name;
};

/* A picture of them; rows and colours are indices of `rows` and `colors`. */
struct sms__lanes {
    const char *kind; /* "blocks", "processes", "pods" */
    size_t scenario, policy;
    struct sms__piece *piece;
    size_t pieces;
    size_t most;                  /* that may be kept */
    size_t name_bytes;            /* that names may have; with more there are none */
    const struct sms__names *row; /* rows have names of their own; or NULL */
};

/* lanes.c: pieces as JSON, sorted by start: the first of them, or of `bin` for each row and equal interval what lasted
 * longest, where there are too many. */
json_t *sms__lanes_json(struct sms__pictures *pictures, struct sms__lanes *lanes, bool bin);

/* heat.c: the heat maps, a list. NULL, having said why, if there can be none of these. */
json_t *sms__heat_json(struct sms__pictures *pictures);

#endif
