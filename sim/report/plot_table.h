/* How CSV files of a results folder become rows. Private to the files that read them. */
#ifndef SMS_REPORT_PLOT_TABLE_H
#define SMS_REPORT_PLOT_TABLE_H

#include "plot.h"

#include <stddef.h>

/* What a column becomes, at `offset` of the row. */
enum sms__csv_type {
    SMS__CSV_TEXT = 1, /* const char * */
    SMS__CSV_NAME,     /* size_t, an index of the names at offset `names` of struct sms__plot */
    SMS__CSV_NUMBER,   /* double, NAN if empty */
    SMS__CSV_AMOUNT,   /* double, present and not below 0 */
    SMS__CSV_COUNT,    /* size_t, from `min` to `max` */
    SMS__CSV_GPUS,     /* uint64_t, a bit for each number */
    SMS__CSV_ONLY,     /* nothing; rows with another text than `only` are left out */
    SMS__CSV_PRESENT   /* nothing; rows without a number are left out */
};

struct sms__csv_column {
    const char *name;
    enum sms__csv_type type;
    size_t offset, names;
    double min, max;
    const char *only;
};

enum { SMS__CSV_COLUMNS = 10 };

struct sms__csv_table {
    const char *file;
    const char
        *gate; /* the file that tells whether there is this one; NULL: it is there unless the run is a cluster's */
    size_t rows, size;                               /* offset of struct sms__rows in struct sms__plot; size of a row */
    struct sms__csv_column column[SMS__CSV_COLUMNS]; /* those beyond the last have no name */
    /* Completes a row. Returns NULL, "" to leave it out, or what is wrong with it. May be NULL. */
    const char *(*check)(struct sms__plot *plot, const struct sms__csv_table *table, void *row);
};

#define SMS__CSV_ROWS(member, type) .rows = offsetof(struct sms__plot, member), .size = sizeof(type)
#define SMS__CSV_SCENARIO                                                                                              \
    {                                                                                                                  \
        "scenario", SMS__CSV_NAME, offsetof(struct sms__row, scenario), offsetof(struct sms__plot, scenario)           \
    }
#define SMS__CSV_POLICY                                                                                                \
    {                                                                                                                  \
        "policy", SMS__CSV_NAME, offsetof(struct sms__row, policy), offsetof(struct sms__plot, policy)                 \
    }
/* plot_csv.c: reads a file. Returns SMS_OK or the code of the error that it reported. */
int sms__csv_read(struct sms__plot *plot, const struct sms__csv_table *table);
/* Whether the folder has the file. */
bool sms__plot_has(struct sms__plot *plot, const char *file);

#endif
