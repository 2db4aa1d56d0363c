/* Simulated against measured: writes the tables and the figures' numbers of docs/validation-old.md.
 *
 *     build/bin/validate OUT [DATA]
 *     build/bin/validate --captures FOLDER OUT
 *
 * OUT is a folder that exists; DATA the folder of measured data, by default
 * SMSCHED_DATA or ../shared/data. Exits with 1 if an error is beyond its bound,
 * with 77 without data. tools/validation/old calls it, and draws the figures.
 * --captures compares with the captures of tools/capture in a folder and no
 * other data; they may be synthetic. Else those in results/measured count. */
#include "captures.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void open_summary(struct site *site)
{
    site->summary = open_out(site, "summary.md");
    fprintf(site->summary, "| what | measured by | values | error of | median | maximum | verdict |\n"
                           "|---|---|--:|---|--:|--:|---|\n");
}

static int captures_only(const char *folder, const char *out)
{
    struct site site = {.out = out};
    open_summary(&site);
    captures(&site, folder, true);
    fclose(site.summary);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--captures"))
        return captures_only(argv[2], argv[3]);
    const char *found = getenv("SMSCHED_DATA");
    struct site site = {.data = found ? found : SOURCE_DIR "/../shared/data"};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: validate OUT [DATA]\n       validate --captures FOLDER OUT\n");
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
    captures(&site, SOURCE_DIR "/results/measured", false);
    fclose(site.summary);
    return site.broken ? 1 : 0;
}
