/* Importers turn files of other programs into scenarios. There is one importer for each format. */
#ifndef SMS_IMPORT_IMPORT_H
#define SMS_IMPORT_IMPORT_H

#include <smsched/smsched.h>

#include "../base/errors.h"
#include "profile.h"

#include <stdio.h>
#include <string.h>

struct sms__import_options {
    bool dump;            /* ncu, nvprof: print the profile instead of deriving workloads */
    const char *profiled; /* profilers: name of the profiled device; NULL: it is found from the profile */
    const char *device;   /* profilers: name of the target device; NULL: the profiled device */
    double clock_hz;      /* profilers: SM clock to write for; 0: the device's, or as profiled */
    const char *name;     /* ncu, nvprof: of the workload; pods: of the scenario; NULL: from the file's name */
    const char *title;    /* ncu, nvprof: of the workload; or NULL */
    const char *source;   /* ncu, nvprof: where the numbers come from; NULL: the tool's name */
    bool iteration;       /* ncu, nvprof: one iteration of the launches, and no scenario */
    const char *with;     /* traces: a file of Nsight Compute whose counters kernels take; or NULL */
    double alone_ps;      /* traces: what a job takes without the profiler; 0: as in the trace */
    uint64_t most;        /* bytes of text of a file, as of sms__gzip_open; 0: SMS__TEXT_MOST */
    const char *columns;  /* pods: which column is what; or the name of a preset */
    bool times;           /* pods: the times of arrival instead of a scenario */
    const struct sms_load_options *load;   /* where devices are looked for */
    const struct sms__import_watch *watch; /* kineto, nsys: is told of progress; or NULL */
    FILE *notes;                           /* is told what was found, a line each; NULL: nobody is */
};

/* A format. Each is a file of formats/ that defines one, named after the file: sms__importer_NAME. CMake lists them. */
struct sms__importer {
    const char *name;
    const char *help;  /* what files it recognises: a phrase without a full stop */
    const char *files; /* how messages describe the files that it takes: "one file" */
    size_t n_files;    /* 0: one or more */

    /* Reads the files and writes YAML documents to `to`. Runs in a guard of `arena`. Returns SMS_OK; or a code with
     * `errors` filled with all problems of the files, and then the caller discards what was written. NULL: `read` is
     * set. */
    int (*import)(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors);

    /* For a profiler: reads the files, which together make one profile, from which workloads are derived. Runs in a
     * guard of `arena`, which owns what `out` points to. Returns SMS_OK, or a code with `errors` filled (except for
     * SMS_ENOMEM). */
    int (*read)(struct sms__arena *arena, const char *const *paths, size_t n_paths, struct sms__profile *out,
                struct sms_errors *errors);
};

extern const struct sms__importer *const sms__importers[]; /* sorted by name, NULL last */

/* Returns the importer of that name, or NULL. */
static inline const struct sms__importer *sms__importer_called(const char *name)
{
    size_t i = 0;
    while (sms__importers[i] && strcmp(sms__importers[i]->name, name) != 0)
        i++;
    return sms__importers[i];
}

/* Finds the importer of a profile or a trace by the file's name, or by how it begins; NULL: it is none. In a guard of
 * `arena`. Returns SMS_OK; or SMS_EINPUT with an error for a report that another tool must export first. */
int sms__importer_of(struct sms__arena *arena, const char *path, const struct sms__importer **out,
                     struct sms_errors *errors);

/* Runs an importer in an arena of its own. Returns what its `import` returns, or SMS_ENOMEM. */
int sms__import(const struct sms__importer *importer, const char *const *paths, size_t n_paths,
                const struct sms__import_options *options, FILE *to, struct sms_errors *errors);

/* Checks that `validate` would accept the `size` bytes of text that were imported. Returns SMS_OK; or SMS_EINPUT or
 * SMS_ENOMEM with `errors` filled, which name the file `path` (NULL: several files were imported). */
int sms__import_check(const char *path, const char *text, size_t size, const struct sms__import_options *options,
                      struct sms_errors *errors);

#endif
