/* Fits what cannot be known otherwise.
 *
 *     build/bin/calibrate fine-grained-2022 [FOLDER]
 *     build/bin/calibrate fine-grained-2022-limited SLOPE [FOLDER]
 *
 * Each program's file says what it fits, to what, and by which method of gsl. */
#include "calibrate.h"

#include <stdio.h>
#include <string.h>

static const char usage[] = "usage: calibrate fine-grained-2022 [FOLDER]\n"
                            "           the paper's workload vectors to its gains, written to FOLDER\n"
                            "           (models/workloads/fine-grained-2022); minutes\n"
                            "       calibrate fine-grained-2022-limited SLOPE [FOLDER]\n"
                            "           the same, but a kernel alone wants at most 100 % of a resource;\n"
                            "           SLOPE is that of contention (models/workloads/fine-grained-2022-limited)\n";

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *folder = argc == 3 ? argv[2] : NULL;
    if (argc == 2 && !strcmp(what, "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc <= 3 && !strcmp(what, "fine-grained-2022"))
        return calibrate_fine_grained(folder);
    if ((argc == 3 || argc == 4) && !strcmp(what, "fine-grained-2022-limited"))
        return calibrate_fine_grained_limited(argv[2], argc == 4 ? argv[3] : NULL);
    fputs(usage, stderr);
    return 2;
}
