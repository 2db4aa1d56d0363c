/* Tables in the lists of nodes and of pods: each row as the entry that it stands for. */
#include "entries.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { COLUMNS_MAX = 32 };

struct table {
    const struct sms__node *columns, *rows;
};

const struct sms__field sms__table_fields[] = {
    {"columns", SMS__REFERENCE, 0, F(table, columns), .required = true, .read = sms__keep, .holds = SMS__MANY,
     .most = COLUMNS_MAX, .help = "keys"},
    {"rows", SMS__CUSTOM, 0, F(table, rows), .required = true, .read = sms__keep, .holds = SMS__MANY,
     .form = SMS__FORM_ROW, .most = SMS__ENTRIES_MAX, .help = "lists of the keys' values; ~ is none"},
    {0}};

size_t sms__table_rows(struct sms__reader *reader, const struct sms__node *table)
{
    struct table given = {NULL, NULL};
    size_t before = reader->errors->count;
    sms__read_fields(reader, table, sms__table_fields, &given);
    if (reader->errors->count > before || !sms__expect_list(reader, given.columns, COLUMNS_MAX) ||
        !sms__expect_list(reader, given.rows, SMS__ENTRIES_MAX))
        return 0;
    for (size_t i = 0; i < given.columns->items; i++)
        if (!sms__expect_kind(reader, given.columns->item[i], SMS__SCALAR))
            return 0;
    return given.rows->items;
}

/* The entries of a list, its tables' rows counted one by one; at least that. */
size_t sms__count_entries(const struct sms__node *list)
{
    size_t sum = 0;
    for (size_t i = 0; i < list->items; i++) {
        const struct sms__node *item = list->item[i],
                               *table = item->kind == SMS__MAP ? sms__node_get(item, "table") : NULL;
        const struct sms__node *rows = table && table->kind == SMS__MAP ? sms__node_get(table, "rows") : NULL;
        sum += rows ? rows->items : 1;
    }
    return sum;
}

static bool is_null(const struct sms__node *node) { return node->kind == SMS__SCALAR && !strcmp(node->text, "~"); }

const struct sms__node *sms__table_row(struct sms__reader *reader, const struct sms__node *table, size_t row)
{
    const struct sms__node *columns = sms__node_get(table, "columns");
    const struct sms__node *cells = sms__node_get(table, "rows")->item[row];
    if (!sms__expect_kind(reader, cells, SMS__LIST))
        return NULL;
    if (cells->items != columns->items) {
        sms__complain(reader, cells, "%zu values in a table of %zu columns", cells->items, columns->items);
        return NULL;
    }
    struct sms__node *map = SMS__NEW(reader->arena, struct sms__node, 1);
    *map = (struct sms__node){.kind = SMS__MAP, .mark = cells->mark};
    map->item = SMS__NEW(reader->arena, struct sms__node *, 2 * cells->items);
    for (size_t i = 0; i < cells->items; i++) {
        if (is_null(cells->item[i]))
            continue;
        map->item[map->items++] = columns->item[i];
        map->item[map->items++] = cells->item[i];
    }
    return map;
}
