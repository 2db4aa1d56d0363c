/* Simulated against measured: writes the tables and the figures' numbers of docs/validation-old.md.
 *
 *     build/bin/validate OUT [DATA]
 *
 * OUT is a folder that exists; DATA the folder of measured data, by default
 * SMSCHED_DATA or ../shared/data. Exits with 1 if an error is beyond its bound,
 * with 77 without data. tools/validation/old calls it, and draws the figures. */
#include "validate.h"

#include <stdlib.h>
#include <unistd.h>

static void open_summary(struct site *site)
{
    site->summary = open_out(site, "summary.md");
    fprintf(site->summary, "| what | measured by | values | error of | median | maximum | verdict |\n"
                           "|---|---|--:|---|--:|--:|---|\n");
}

int main(int argc, char **argv)
{
    const char *found = getenv("SMSCHED_DATA");
    struct site site = {.data = found ? found : SOURCE_DIR "/../shared/data"};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: validate OUT [DATA]\n");
        return 2;
    }
    site.out = argv[1];
    if (argc > 2)
        site.data = argv[2];
    if (access(site.data, R_OK)) {
        fprintf(stderr, "validate: no measured data in %s\n", site.data);
        return 77;
    }
    open_summary(&site);
    occupancy(&site);
    timelines(&site);
    bandwidth(&site);
    fclose(site.summary);
    return site.broken ? 1 : 0;
}
