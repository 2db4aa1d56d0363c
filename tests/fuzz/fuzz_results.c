/* libFuzzer: whatever a file of a results folder holds, report and plot read it or say what is wrong, and draw what
 * they have read. An input is the name of a file and, in the lines behind, what it holds; several follow lines of
 * "===". The others are those of $FUZZ_RESULTS. Built and started by run.sh. */
#define _GNU_SOURCE
#include "scratch.h"

#include "sim/page/page.h"

enum { SIZE_MAX_OF_INPUT = 256 * 1024 };

static const char *const names[] = {"manifest.json", "summary.json",   "comparison.json", "vms.csv",   "hosts.csv",
                                    "resources.csv", "heatmap.csv",    "timeline.csv",    "spans.csv", "processes.csv",
                                    "cluster.csv",   "placements.csv", "allocation.csv"};

enum { NAMES = sizeof names / sizeof *names };

static void restore(const char *name)
{
    char link[256], to[1024];
    snprintf(link, sizeof link, "%s/%s", scratch(), name);
    snprintf(to, sizeof to, "%s/%s", getenv("FUZZ_RESULTS"), name);
    unlink(link);
    if (access(to, F_OK) == 0 && symlink(to, link))
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char drawn[256];
    (void)argc, (void)argv;
    if (!getenv("FUZZ_RESULTS"))
        abort();
    snprintf(drawn, sizeof drawn, "%s/drawn", scratch());
    if (mkdir(drawn, 0700))
        abort();
    for (size_t i = 0; i < NAMES; i++)
        restore(names[i]);
    return 0;
}

static void put_file(const char *bytes, size_t size)
{
    const char *end = memchr(bytes, '\n', size);
    for (size_t i = 0; i < NAMES && end; i++)
        if (strlen(names[i]) == (size_t)(end - bytes) && !memcmp(names[i], bytes, (size_t)(end - bytes)))
            scratch_write(names[i], end + 1, size - (size_t)(end + 1 - bytes));
}

static void put_files(const char *bytes, size_t size)
{
    static const char mark[] = "\n===\n";
    for (const char *end; (end = memmem(bytes, size, mark, sizeof mark - 1));) {
        put_file(bytes, (size_t)(end + 1 - bytes));
        size -= (size_t)(end - bytes) + sizeof mark - 1;
        bytes = end + sizeof mark - 1;
    }
    put_file(bytes, size);
}

static int draw(void *user)
{
    struct sms__plot *plot = user;
    static int (*const write[])(struct sms__plot *) = {
        sms__write_answer,   sms__write_throughput, sms__write_turnaround, sms__write_usage,      sms__write_slowdown,
        sms__write_heatmaps, sms__write_timelines,  sms__write_processes,  sms__write_allocation, sms__write_pods};
    int code = sms__plot_read(plot);
    if (code == SMS_OK && sms__are_pairs(plot))
        code = sms__write_pairs(plot);
    for (size_t i = 0; i < sizeof write / sizeof *write && code == SMS_OK; i++)
        code = write[i](plot);
    return code;
}

static void plot(void)
{
    char drawn[256], path[512];
    snprintf(drawn, sizeof drawn, "%s/drawn", scratch());
    struct sms__plot plot = {.folder = scratch(), .temporary = drawn};
    int code = sms__guard(&plot.arena, draw, &plot);
    if (code && code != SMS_ENOMEM && plot.errors.count == 0)
        abort();
    for (size_t i = 0; i < plot.figures; i++) {
        snprintf(path, sizeof path, "%s/%s.dat", drawn, plot.figure[i].name);
        unlink(path);
        snprintf(path, sizeof path, "%s/%s.var", drawn, plot.figure[i].name);
        unlink(path);
    }
    sms__arena_release(&plot.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_OF_INPUT)
        return -1;
    put_files((const char *)data, size);
    struct sms__page page = {.source = scratch()};
    int code = sms__page_gather(&page);
    if ((code != SMS_OK) != (page.errors.count > 0))
        abort();
    sms__page_release(&page);
    plot();
    for (size_t i = 0; i < NAMES; i++)
        restore(names[i]);
    return 0;
}
