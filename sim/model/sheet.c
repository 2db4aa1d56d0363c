/* The sheet of a device. The rules that stand in for what was not measured are those by which the simulator works; each
 * row asks the code that does. */
#include "sheet.h"
#include "policy/modes.h"
#include "../base/buffer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text_at(const struct sms__node *map, const char *key)
{
    const struct sms__node *node = map ? sms__node_get(map, key) : NULL;
    return node && node->kind == SMS__SCALAR ? node->text : NULL;
}

/* Where the value of a row comes from; "" if nothing says. */
static const char *source_of(const struct sms__device *device, const char *row)
{
    const char *own = text_at(device->about.sources, row),
               *family = own ? own : text_at(device->about.family_sources, row);
    if (!own && device->about.base)
        return source_of(device->about.base, row);
    return family ? family : "";
}

/* ---- the clock under load, and the share of DRAM ---- */

static double power_of(const struct sms__device *device)
{
    return device->limit_w > 0 ? device->limit_w : device->busy_w;
}

static double lanes_of(const struct sms__device *device)
{
    int r = sms__resource_index(device, "fp32");
    return r >= 0 ? device->resource[r].lanes * (double)device->sms : 0;
}

static bool clock_by_energy(const struct sms__device *device)
{
    return device->about.fp32_pj > 0 && power_of(device) > 0 && lanes_of(device) > 0;
}

double sms__compute_clock(const struct sms__device *device)
{
    double hz = device->compute_hz;
    if (!(hz > 0) && clock_by_energy(device))
        hz = power_of(device) / (device->about.fp32_pj * 1e-12) / lanes_of(device);
    return hz > 0 ? fmin(hz, device->clock_hz) : device->clock_hz;
}

bool sms__compute_clock_unknown(const struct sms__device *device)
{
    return !(device->compute_hz > 0) && !clock_by_energy(device);
}

double sms__reached(const struct sms__resource *resource) { return resource->reached > 0 ? resource->reached : 1; }

/* ---- rows ---- */

/* Puts a row's name and rule, and returns its value, which is empty. */
static char *begin(struct sms__sheet_row *row, const char *name, const char *instead)
{
    *row = (struct sms__sheet_row){.source = ""};
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->instead, sizeof row->instead, "%s", instead);
    return row->value;
}

static void put_number(char *value, double number, enum sms__dimension dimension)
{
    if (number > 0 && dimension == SMS__COUNT)
        snprintf(value, SMS__SHEET_TEXT, "%.6g", number);
    else if (number > 0)
        sms__quantity_print(value, SMS__SHEET_TEXT, number, dimension);
}

static void put_count(struct sms__sheet_row *row, const char *name, uint64_t count, const char *instead)
{
    put_number(begin(row, name, instead), (double)count, SMS__COUNT);
}

static bool has_row_of_knee(const struct sms__resource *resource)
{
    return resource->cls == SMS_COMPUTE || !strcmp(resource->name, "dram");
}

static size_t put_knees(const struct sms__device *device, struct sms__sheet_row *row)
{
    size_t rows = 0;
    for (size_t r = 0; r < device->resources; r++) {
        if (!has_row_of_knee(&device->resource[r]))
            continue;
        char *value = begin(&row[rows], "", "corner: nothing is slower below 100 %");
        snprintf(row[rows].name, sizeof row->name, "knee_%.100s", device->resource[r].name);
        put_number(value, device->resource[r].knee, SMS__COUNT);
        if (device->resource[r].warps > 0)
            snprintf(value, SMS__SHEET_TEXT, "%.6g warps fill it", device->resource[r].warps);
        rows++;
    }
    return rows;
}

/* A cost of 0 counts as known only where the file says it. */
static size_t put_dispatch(const struct sms__device *device, struct sms__sheet_row *row)
{
    put_number(begin(&row[0], "launch", "free: a launch costs nothing"), device->dispatch.launch_ps, SMS__TIME);
    put_number(begin(&row[1], "block", "free: a start of a block costs nothing"), (double)device->dispatch.block_ps,
               SMS__TIME);
    return 2;
}

static size_t put_dram(const struct sms__device *device, struct sms__sheet_row *row)
{
    int r = sms__resource_index(device, "dram");
    char *value = begin(row, "dram_reached", "peak: kernels get all of the bandwidth");
    put_number(value, r >= 0 ? device->resource[r].reached : 0, SMS__RATIO);
    return 1;
}

static size_t put_clock(const struct sms__device *device, struct sms__sheet_row *row)
{
    char clock[40], instead[SMS__SHEET_TEXT];
    snprintf(clock, sizeof clock, "%.0f MHz", sms__compute_clock(device) / 1e6);
    snprintf(instead, sizeof instead, "clock: the clock of the SMs, %s", clock);
    if (clock_by_energy(device))
        snprintf(instead, sizeof instead, "energy: from %.3g pJ per fp32 result of %.20s chips at %.4g W, %.20s",
                 device->about.fp32_pj, device->about.process, power_of(device), clock);
    put_number(begin(row, "compute_clock", instead), device->compute_hz, SMS__FREQUENCY);
    return 1;
}

static size_t put_turns(const struct sms__device *device, struct sms__sheet_row *row)
{
    const struct sms__turns turns = sms__mode_turns(NULL, device);
    char text[40], instead[SMS__SHEET_TEXT];
    sms__quantity_print(text, sizeof text, turns.slice_ps, SMS__TIME);
    snprintf(instead, sizeof instead, "default: %s", text);
    put_number(begin(&row[0], "slice", instead), device->turns.slice_ps, SMS__TIME);
    sms__quantity_print(text, sizeof text, turns.switch_ps, SMS__TIME);
    snprintf(instead, sizeof instead, "default: %s", text);
    put_number(begin(&row[1], "switch", instead), device->turns.switch_ps, SMS__TIME);
    return 2;
}

static size_t put_carveouts(const struct sms__device *device, struct sms__sheet_row *row)
{
    char *value = begin(row, "carveouts", "largest: any block may have all of the shared memory");
    for (size_t i = 0; device->about.carveouts && i < device->about.carveouts->items; i++)
        sms__append(value, SMS__SHEET_TEXT, "%s%s", i ? ", " : "", device->about.carveouts->item[i]->text);
    return 1;
}

static size_t put_mps(const struct sms__device *device, struct sms__sheet_row *row)
{
    put_count(&row[0], "grids", device->grids, "none: no limit");
    put_count(&row[1], "chunk", device->mps.chunk, "one: any number of SMs");
    put_count(&row[2], "clients", device->mps.clients, "default: 48");
    if (device->mps.clients_before)
        snprintf(row[2].value, SMS__SHEET_TEXT, "%.0f, or %.0f with older drivers", (double)device->mps.clients,
                 (double)device->mps.clients_before);
    put_count(&row[3], "green_contexts", device->mps.green_least, "any: any number of SMs");
    if (device->mps.green_least && device->mps.green_step > 1)
        snprintf(row[3].value, SMS__SHEET_TEXT, "from %.0f in steps of %.0f", (double)device->mps.green_least,
                 (double)device->mps.green_step);
    return 4;
}

/* A row that has no number: its value is known if its source is. */
static size_t put_by_source(const struct sms__device *device, struct sms__sheet_row *row, const char *name,
                            const char *known, const char *instead)
{
    char *value = begin(row, name, instead);
    if (*source_of(device, name))
        snprintf(value, SMS__SHEET_TEXT, "%s", known);
    return 1;
}

bool sms__scaling_known(const struct sms__device *device) { return *source_of(device, "scaling"); }

static size_t put_scaling(const struct sms__device *device, struct sms__sheet_row *row)
{
    return put_by_source(device, row, "scaling", "measured",
                         "unknown: the error of kernels scaled from another device was not measured");
}

bool sms__queue_known(const struct sms__device *device) { return *source_of(device, "queue"); }

static size_t put_queue(const struct sms__device *device, struct sms__sheet_row *row)
{
    return put_by_source(device, row, "queue", "one, in launch order",
                         "one: kernels of all processes under MPS wait in launch order, as on an H100");
}

size_t sms__sheet(const struct sms__device *device, struct sms__sheet_row row[SMS__SHEET_ROWS_MAX])
{
    static size_t (*const put[])(const struct sms__device *device, struct sms__sheet_row *row) = {
        put_knees, put_dispatch, put_dram, put_clock, put_turns, put_mps, put_queue, put_carveouts, put_scaling};
    size_t rows = 0;
    for (size_t i = 0; i < sizeof put / sizeof *put; i++)
        rows += put[i](device, &row[rows]);
    for (size_t i = 0; i < rows; i++) {
        row[i].source = *row[i].value ? source_of(device, row[i].name) : "";
        if (*row[i].value)
            *row[i].instead = '\0';
    }
    return rows;
}

/* ---- sources ---- */

static const char *row_name(const void *user, size_t i) { return ((const struct sms__sheet_row *)user)[i].name; }

void sms__check_sources(struct sms__reader *reader, const struct sms__device *device)
{
    struct sms__sheet_row *row = SMS__NEW(reader->arena, struct sms__sheet_row, SMS__SHEET_ROWS_MAX);
    const size_t rows = device->about.sources ? sms__sheet(device, row) : 0;
    for (size_t i = 0; device->about.sources && i + 1 < device->about.sources->items; i += 2) {
        const struct sms__node *key = device->about.sources->item[i];
        size_t r = 0;
        while (r < rows && key->kind == SMS__SCALAR && strcmp(row[r].name, key->text) != 0)
            r++;
        if (r == rows)
            sms__complain_unknown(reader, key, "row of the sheet", rows, row_name, row);
    }
}
