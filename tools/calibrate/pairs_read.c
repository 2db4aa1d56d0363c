/* Rows of measured pairs from iGniter's files. */
#include "pairs.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Merges the lines of a file, each an object of objects, into one: {"alexnet": {"latency": ...}}. */
static void read_lines(const struct site *site, const char *name, json_t *into)
{
    FILE *file = open_data(site, name);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 1) {
        json_error_t error;
        json_t *object = json_loads(line, 0, &error);
        if (!object)
            die("%s: %s", name, error.text);
        json_object_update_recursive(into, object);
        json_decref(object);
    }
    free(line);
    fclose(file);
}

/* A program's figure at a batch and a share. */
static double figure(const json_t *all, const char *program, const char *what, int batch, int share)
{
    char b[16], s[16];
    snprintf(b, sizeof b, "%d", batch);
    snprintf(s, sizeof s, "%d", share);
    const json_t *of = json_object_get(json_object_get(all, program), what);
    const json_t *value = json_object_get(json_object_get(of, b), s);
    if (!json_is_number(value))
        die("no %s of %s at batch %d, share %d", what, program, batch, share);
    return json_number_value(value);
}

/* Time on all SMs: measured on the GPU alone at batches 1, 16 and 32 and shares 10, 50 and 100 %; the time at
 * 50 % carries it over to whole latency. */
static double whole_ms(const json_t *all, const char *program, int batch)
{
    size_t at = batch == 16 ? 1 : 2;
    if (batch != 16 && batch != 32)
        return 0;
    const json_t *times = json_array_get(json_object_get(json_object_get(all, program), "gpulatency"), at);
    double half = json_number_value(json_array_get(times, 1)), whole = json_number_value(json_array_get(times, 2));
    return figure(all, program, "latency", batch, 50) * whole / half;
}

/* [program, program, batch, batch, share of the first, latency, latency] */
static struct row row_of(const json_t *all, const json_t *entry)
{
    struct row row = {0};
    row.share[0] = (int)json_integer_value(json_array_get(entry, 4));
    row.share[1] = 100 - row.share[0];
    for (size_t i = 0; i < 2; i++) {
        const char *program = json_string_value(json_array_get(entry, i));
        int batch = (int)json_integer_value(json_array_get(entry, 2 + i));
        row.together_ms[i] = json_number_value(json_array_get(entry, 5 + i));
        row.solo_ms[i] = figure(all, program, "latency", batch, row.share[i]);
        row.use[i][L2] = figure(all, program, "l2cache", batch, row.share[i]) / 100;
        row.use[i][DRAM] = figure(all, program, "dram", batch, row.share[i]) / 100;
        row.whole_ms[i] = whole_ms(all, program, batch);
    }
    return row;
}

/* The spread of repeated measurements, in percent of the latency: what no model can get below. */
static void spread(const json_t *all, struct sample *sample)
{
    const json_t *interference = json_object_get(all, "interference"), *deviation;
    const json_t *latency = json_object_get(interference, "latency");
    size_t i;
    json_array_foreach(json_object_get(interference, "std"), i, deviation)
    {
        for (size_t column = 5; column < 7; column++)
            sample_add(sample, 100 * json_number_value(json_array_get(deviation, column)) /
                                   json_number_value(json_array_get(json_array_get(latency, i), column)));
    }
}

struct rows *rows_read(const struct site *site)
{
    struct rows *rows = grow(NULL, sizeof *rows);
    json_t *all = json_object(), *entry;
    size_t i;
    *rows = (struct rows){0};
    read_lines(site, "corun/igniter_v100.jsonl", all);
    read_lines(site, "corun/igniter_v100_pairs.txt", all);
    json_array_foreach(json_object_get(json_object_get(all, "interference"), "latency"), i, entry)
    {
        char name[48];
        snprintf(name, sizeof name, "%.20s-%.20s", json_string_value(json_array_get(entry, 0)),
                 json_string_value(json_array_get(entry, 1)));
        if (rows->n == ROWS || rows->pairs == PAIRS)
            die("more rows than %d", ROWS);
        if (!rows->pairs || strcmp(name, rows->name[rows->pairs - 1]))
            strcpy(rows->name[rows->pairs++], name);
        rows->row[rows->n] = row_of(all, entry);
        rows->row[rows->n++].pair = rows->pairs - 1;
    }
    spread(all, &rows->noise);
    json_decref(all);
    return rows;
}

void rows_release(struct rows *rows)
{
    sample_release(&rows->noise);
    free(rows);
}
