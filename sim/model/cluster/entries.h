/* Lists of nodes and of pods: entries, of which each may be a table of them. */
#ifndef SMS_MODEL_CLUSTER_ENTRIES_H
#define SMS_MODEL_CLUSTER_ENTRIES_H

#include "../../yaml/fields.h"

/* In a list, and rows of a table. */
enum { SMS__ENTRIES_MAX = 1000000 };

/* A table's row as the map it stands for: {columns: [KEY, ...], rows: [[VALUE, ...], ...]}, where `~` is no value.
 */
const struct sms__node *sms__table_row(struct sms__reader *reader, const struct sms__node *table, size_t row);
/* The number of rows of a table; complains of one that is none. */
size_t sms__table_rows(struct sms__reader *reader, const struct sms__node *table);
/* An upper bound of the entries of a list, each row of its tables one. */
size_t sms__count_entries(const struct sms__node *list);

extern const struct sms__field sms__table_fields[];

#endif
