/* Lists of nodes and of pods: entries, of which each may be a table of them. */
#ifndef SMS_MODEL_CLUSTER_TABLES_H
#define SMS_MODEL_CLUSTER_TABLES_H

#include "../../yaml/fields.h"

/* In a list, and rows of a table. */
enum { SMS__ENTRIES_MAX = 1000000 };

/* {columns: [KEY, ...], rows: [[VALUE, ...], ...]}: a row stands for the map of its values, of which `~` is none. */
enum { SMS__TABLE_COLUMNS_MAX = 32 };
struct sms__tabled {
    struct sms__node *column[SMS__TABLE_COLUMNS_MAX]; /* [columns]: its key, or NULL: it is wrong and left out */
    struct sms__node **row;                           /* [rows] */
    size_t columns, rows;
    bool nameless; /* the column with the names may be one that is left out */
};
/* Reads the columns, and reports their problems. A node that is no table has no rows. */
void sms__read_table(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                     struct sms__tabled *table);
/* Returns the row as a map of keys. Returns NULL if it is no row, which is reported, or if the table is nameless. */
const struct sms__node *sms__table_row(struct sms__reader *reader, const struct sms__tabled *table, size_t row);
/* An upper bound of the entries of a list, each row of its tables one. */
size_t sms__count_entries(const struct sms__node *list);

extern const struct sms__field sms__table_fields[];

#endif
