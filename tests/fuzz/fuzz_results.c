/* libFuzzer: whatever a file of a results folder holds, report and plot read it or say what is wrong, and draw what
 * they have read. An input is the name of a file and, in the lines behind, what it holds; several follow lines of
 * "===". The others are those of $FUZZ_RESULTS. Built and started by run.sh. */
#define _GNU_SOURCE
#include "scratch.h"

#include "sim/page/page.h"
#include "sim/figures/figures.h"

enum { SIZE_MAX_OF_INPUT = 256 * 1024 };

static const char *const names[] = {"manifest.json",  "summary.json",   "comparison.json", "vms.csv",
                                    "hosts.csv",      "resources.csv",  "heatmap.csv",     "timeline.csv",
                                    "waits.csv",      "spans.csv",      "processes.csv",   "cluster.csv",
                                    "placements.csv", "allocation.csv", "latencies.csv"};

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
    if (!getenv("FUZZ_RESULTS") || !getenv("FUZZ_SHARE"))
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

static int make(void *user)
{
    struct sms__figures *figures = user;
    int code = sms__figures_load(figures);
    return code ? code : sms__figures_make(figures);
}

static void remove_all(const char *folder, const struct sms__figure_names *figures, const char *ending)
{
    char path[1024];
    for (size_t i = 0; i < figures->count; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, figures->name[i], ending);
        unlink(path);
    }
}

static void plot(void)
{
    static atomic_bool cancel;
    char drawn[256];
    snprintf(drawn, sizeof drawn, "%s/drawn", scratch());
    struct sms__figures figures = {
        .source = scratch(), .temporary = drawn, .scripts = "tools/plots", .cancel = &cancel};
    int code = sms__guard(&figures.arena, make, &figures);
    if (code && code != SMS_ENOMEM && figures.errors.count == 0)
        abort();
    remove_all(drawn, &figures.made, "csv");
    remove_all(drawn, &figures.made, "gp");
    remove_all(drawn, &figures.empty, "csv");
    for (sqlite3_stmt *open; figures.file && (open = sqlite3_next_stmt(figures.file, NULL));)
        sqlite3_finalize(open);
    sqlite3_close(figures.file);
    sms__arena_release(&figures.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_OF_INPUT)
        return -1;
    put_files((const char *)data, size);
    struct sms__page page = {.source = scratch(), .share = getenv("FUZZ_SHARE")};
    int code = sms__page_gather(&page);
    if ((code != SMS_OK) != (page.errors.count > 0))
        abort();
    sms__page_release(&page);
    plot();
    for (size_t i = 0; i < NAMES; i++)
        restore(names[i]);
    return 0;
}
