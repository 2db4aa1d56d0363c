/* Prints workloads: the geometry, demands and bottleneck of each kernel, on the device on which it was measured. */
#include "list.h"

#include "../import/derive.h"
#include "cli.h"

#include "../base/escape.h"
#include "../report/memory.h"

#include <math.h>

enum { SHOWN = 4 }; /* demands of a kernel in a table */

struct shown {
    const struct workload_list *list;
    const struct sms__workload *workload;
    const struct sms__device *device; /* or NULL: unknown */
    struct sms__arena arena;
};

struct row {
    const struct sms__kernel *kernel;
    const char *cls, *top; /* "-" where unknown */
    double block_ns;       /* NAN: unknown, because the device is */
    struct sms__class found;
    bool known;
};

static struct row row_of(struct shown *shown, const struct sms__kernel *kernel)
{
    struct row row = {.kernel = kernel, .cls = "-", .top = "-", .block_ns = NAN};
    const struct sms__device *device = shown->device;
    if (!kernel->block_time.cycles)
        row.block_ns = kernel->block_time.value / 1e3;
    else if (device)
        row.block_ns = sms__cycles_to_ps(kernel->block_time.value, device->clock_hz) / 1e3;
    row.known = device && !kernel->whole && sms__derive_class(&shown->arena, device, kernel, &row.found);
    row.cls = row.known ? sms__class_names[row.found.bottleneck] : "-";
    row.top = row.known && row.found.top >= 0 ? device->resource[row.found.top].name : "-";
    return row;
}

static double use_of(const struct shown *shown, const struct row *row, const char *resource)
{
    int r = row->known ? sms__resource_index(shown->device, resource) : -1;
    return r < 0 ? NAN : row->found.use[r];
}

/* The largest demand after `last`, in falling order; equal ones in the order of the kernel. */
static const struct sms__demand *next_demand(const struct sms__kernel *kernel, const struct sms__demand *last)
{
    const struct sms__demand *next = NULL;
    for (size_t d = 0; d < kernel->demands; d++) {
        const struct sms__demand *demand = &kernel->demand[d];
        bool later = !last || demand->ratio < last->ratio || (demand->ratio == last->ratio && demand > last);
        if (later && (!next || demand->ratio > next->ratio))
            next = demand;
    }
    return next;
}

static void print_row(const struct row *row)
{
    const struct sms__kernel *kernel = row->kernel;
    const struct sms__demand *demand = NULL;
    char size[48], time[32] = "?";
    if (kernel->whole)
        snprintf(size, sizeof size, "a whole");
    else
        snprintf(size, sizeof size, "%llu x %llu", (unsigned long long)kernel->blocks,
                 (unsigned long long)kernel->threads);
    if (!isnan(row->block_ns))
        snprintf(time, sizeof time, "%.5g us", row->block_ns / 1e3);
    printf("    %-28s %14s %12s  %-7s", kernel->name, size, time, row->cls);
    for (int i = 0; i < SHOWN && (demand = next_demand(kernel, demand)); i++)
        printf("%s %s %.3g%s", i ? "," : " ", demand->resource, demand->bare ? demand->ratio : demand->ratio * 100,
               demand->bare ? "" : " %");
    printf("\n");
}

static json_t *number(double value) { return isnan(value) ? json_null() : json_real(value); }

static json_t *json_of(const struct shown *shown, const struct row *row)
{
    const struct sms__kernel *kernel = row->kernel;
    json_t *demand = json_object(), *use = json_object();
    for (size_t d = 0; d < kernel->demands; d++) {
        json_object_set_new(demand, kernel->demand[d].resource, json_real(kernel->demand[d].ratio));
        json_object_set_new(use, kernel->demand[d].resource, number(use_of(shown, row, kernel->demand[d].resource)));
    }
    return json_pack("{ss ss ss sI sI sI sI so so so}", "name", kernel->name, "class", row->cls, "most_used", row->top,
                     "blocks", (json_int_t)kernel->blocks, "threads", (json_int_t)kernel->threads, "registers",
                     (json_int_t)kernel->registers, "shared_memory_bytes", (json_int_t)kernel->shared_memory,
                     "block_time_ns", number(row->block_ns), "demand_ratio", demand, "use_ratio", use);
}

static void print_heading(const struct sms__workload *workload)
{
    printf("%-32s ", workload->name);
    sms__print_visible(stdout, workload->title);
    fputs("\n    source: ", stdout);
    sms__print_visible(stdout, workload->source);
    putchar('\n');
}

static int show(void *user)
{
    struct shown *shown = user;
    const struct sms__workload *workload = shown->workload;
    json_t *kernels = shown->list->json ? json_array() : NULL;
    if (!shown->list->json)
        print_heading(workload);
    for (size_t k = 0; k < workload->kernels; k++) {
        struct row row = row_of(shown, &workload->kernel[k]);
        if (shown->list->json)
            json_array_append_new(kernels, json_of(shown, &row));
        else
            print_row(&row);
    }
    if (shown->list->json)
        json_array_append_new(shown->list->json,
                              json_pack("{ss ss ss ss so}", "name", workload->name, "title", workload->title, "source",
                                        workload->source, "device", workload->device, "kernels", kernels));
    return SMS_OK;
}

void workload_list_add(struct workload_list *list, const struct sms__workload *workload)
{
    struct shown shown = {.list = list, .workload = workload};
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    int code =
        workload->device[0] ? sms__derive_device(workload->device, list->load, &file, &shown.device, &errors) : SMS_OK;
    if (code == SMS_ENOMEM || code == SMS_EIO)
        sms__note_memory(NULL); /* other errors mean that there is no such device, and are not reported here */
    if (code)
        shown.device = NULL;
    if (sms__guard(&shown.arena, show, &shown))
        sms__note_memory(NULL);
    sms__arena_release(&shown.arena);
    sms_file_free(file);
}
