/* Prints sheets of devices: what is known of them. */
#include "list.h"

#include "../base/escape.h"
#include "../model/sheet.h"

#include <stdio.h>

const char *list_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

json_t *sheet_list_entry(const struct sms__device *device)
{
    struct sms__sheet_row row[SMS__SHEET_ROWS_MAX];
    json_t *rows = json_array();
    const size_t count = sms__sheet(device, row);
    for (size_t r = 0; r < count; r++)
        json_array_append_new(rows, json_pack("{ss ss ss ss}", "name", row[r].name, "value",
                                              *row[r].value ? row[r].value : "not measured", "source", row[r].source,
                                              "instead", row[r].instead));
    return json_pack("{ss ss so}", "name", device->name, "family", device->about.family, "rows", rows);
}

static void print_sheet(const json_t *device)
{
    const json_t *rows = json_object_get(device, "rows");
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        const char *more = *list_text(row, "source") ? list_text(row, "source") : list_text(row, "instead");
        printf("  %-14s %s%s", list_text(row, "name"), list_text(row, "value"), *more ? "; " : "");
        sms__print_visible(stdout, more);
        putchar('\n');
    }
}

/* The names of rows that are known, or are not. */
static void print_rows(const json_t *device, bool known)
{
    const json_t *rows = json_object_get(device, "rows");
    const char *before = known ? "  known: " : "  not measured: ";
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        if (known == !*list_text(row, "instead")) {
            printf("%s%s", before, list_text(row, "name"));
            before = ", ";
        }
    }
    if (*before == ',')
        putchar('\n');
}

void sheet_list_print(const json_t *list, bool whole)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *device = json_array_get(list, i);
        printf("%s\n", list_text(device, "name"));
        if (whole) {
            print_sheet(device);
            continue;
        }
        print_rows(device, true);
        print_rows(device, false);
    }
}
