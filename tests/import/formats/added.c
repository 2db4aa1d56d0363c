/* A format from outside of the tree, for tests/import/added.sh: a kernel a line, as "NAME BLOCKS MICROSECONDS". */
#include "sim/import/import.h"

#include <inttypes.h>

static int import(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    char name[64];
    uint64_t blocks;
    double us;
    FILE *from = fopen(paths[0], "re");
    (void)arena, (void)n_paths;
    if (!from)
        return sms__fail(errors, SMS_EIO, paths[0], "cannot be read");
    fprintf(to, "workload: %s\nkernels:\n", options->name ? options->name : "added");
    int read;
    while ((read = fscanf(from, "%63s %19" SCNu64 " %lf", name, &blocks, &us)) == 3)
        fprintf(to, "  - {name: %s, blocks: %" PRIu64 ", threads: 128, block_time: %g us}\n", name, blocks, us);
    const bool failed = ferror(from);
    fclose(from);
    if (failed)
        return sms__fail(errors, SMS_EIO, paths[0], "cannot be read");
    return read == EOF ? SMS_OK : sms__fail(errors, SMS_EINPUT, paths[0], "a line is no NAME BLOCKS MICROSECONDS");
}

const struct sms__importer sms__importer_added = {
    .name = "added",
    .help = "a list of kernels",
    .files = "one file",
    .n_files = 1,
    .import = import,
};
