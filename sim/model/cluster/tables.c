/* Tables in the lists of nodes and of pods: each row as the entry that it stands for. */
#include "tables.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

struct table {
    const struct sms__node *columns, *rows;
};

const struct sms__field sms__table_fields[] = {
    {"columns", SMS__REFERENCE, 0, F(table, columns), .required = true, .read = sms__keep, .holds = SMS__MANY,
     .most = SMS__TABLE_COLUMNS_MAX, .help = "lists the keys"},
    {"rows", SMS__CUSTOM, 0, F(table, rows), .required = true, .read = sms__keep, .holds = SMS__MANY,
     .form = SMS__FORM_ROW, .most = SMS__ENTRIES_MAX,
     .help = "lists one list per row with the values of the keys; ~ is none"},
    {0}};

/* Whether a column can be read, beside those before it; of one that cannot this is told once, not in each row. */
static bool check_column(struct sms__reader *reader, const struct sms__tabled *table, size_t i,
                         const struct sms__node *key, const struct sms__field *fields)
{
    if (!sms__expect_key(reader, key, fields))
        return false;
    for (size_t j = 0; j < i; j++)
        if (table->column[j] && !strcmp(table->column[j]->text, key->text)) {
            sms__complain(reader, key, "column '%.60s' is given twice", key->text);
            return false;
        }
    return true;
}

void sms__read_table(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                     struct sms__tabled *table)
{
    struct table given = {NULL, NULL};
    size_t before = reader->errors->count;
    *table = (struct sms__tabled){0};
    sms__read_fields(reader, node, sms__table_fields, &given);
    if (!given.columns || !given.rows) /* or there are too many messages already: then nothing is read */
        return;
    if (reader->errors->count > before)
        return;
    table->columns = given.columns->items;
    table->rows = given.rows->items;
    table->row = given.rows->item;
    bool named = false;
    for (size_t i = 0; i < table->columns; i++) {
        struct sms__node *key = given.columns->item[i];
        table->column[i] = check_column(reader, table, i, key, fields) ? key : NULL;
        named |= table->column[i] && !strcmp(table->column[i]->text, "name");
    }
    table->nameless = !named && reader->errors->count > before;
}

/* The entries of a list, its tables' rows counted one by one; at least that. */
size_t sms__count_entries(const struct sms__node *list)
{
    size_t sum = 0;
    for (size_t i = 0; i < list->items; i++) {
        const struct sms__node *item = list->item[i],
                               *table = item->kind == SMS__MAP ? sms__node_get(item, "table") : NULL;
        const struct sms__node *rows = table && table->kind == SMS__MAP ? sms__node_get(table, "rows") : NULL;
        sum += rows && rows->items > 0 ? rows->items : 1; /* an entry with a table and more is read as one */
    }
    return sum;
}

static bool is_null(const struct sms__node *node) { return node->kind == SMS__SCALAR && !strcmp(node->text, "~"); }

const struct sms__node *sms__table_row(struct sms__reader *reader, const struct sms__tabled *table, size_t row)
{
    const struct sms__node *cells = table->row[row];
    if (!sms__expect_kind(reader, cells, SMS__LIST))
        return NULL;
    if (cells->items != table->columns) {
        sms__complain(reader, cells, "%zu values in a table of %zu columns", cells->items, table->columns);
        return NULL;
    }
    if (table->nameless)
        return NULL;
    struct sms__node *map = SMS__NEW(reader->arena, struct sms__node, 1);
    *map = (struct sms__node){.kind = SMS__MAP, .mark = cells->mark};
    map->item = SMS__NEW(reader->arena, struct sms__node *, 2 * cells->items);
    for (size_t i = 0; i < cells->items; i++) {
        if (!table->column[i] || is_null(cells->item[i]))
            continue;
        map->item[map->items++] = table->column[i];
        map->item[map->items++] = cells->item[i];
    }
    return map;
}
