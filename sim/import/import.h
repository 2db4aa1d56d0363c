/* Importers turn files of other programs into scenarios. There is one importer for each format. */
#ifndef SMS_IMPORT_IMPORT_H
#define SMS_IMPORT_IMPORT_H

#include <smsched/smsched.h>

#include "../base/errors.h"
#include "profile.h"

#include <stdio.h>

struct sms__import_options {
    bool sane;            /* without the faults of the other program */
    bool fixed;           /* simtbs: the intended memory demands */
    bool dump;            /* ncu, nvprof: print the profile instead of deriving workloads */
    const char *profiled; /* ncu, nvprof: name of the profiled device; NULL: it is found from the profile */
    const char *device;   /* ncu, nvprof: name of the target device; NULL: the profiled device */
    const char *name;     /* ncu, nvprof: of the workload; openb: of the scenario; NULL: from the file's name */
    const char *title;    /* ncu, nvprof: of the workload; or NULL */
    const char *source;   /* ncu, nvprof: where the numbers come from; NULL: the tool's name */
    bool iteration;       /* ncu, nvprof: one iteration of the launches, and no scenario */
    double inflate; /* openb: pods are drawn until they request this share of the cluster's GPUs, a ratio; 0: the pods
                       of the list */
    const struct sms_load_options *load; /* where devices are looked for */
};

struct sms__importer {
    const char *name;
    const char *help; /* one sentence without a full stop */

    size_t files; /* how many it takes; 0: one or more */

    /* Reads the files and writes YAML documents to `to`. Runs in a guard of `arena`. Returns SMS_OK; or a code with
     * `errors` filled with all problems of the files, and then the caller discards what was written. */
    int (*import)(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors);
};

extern const struct sms__importer sms__importers[]; /* terminated by an entry whose name is NULL */

/* Runs an importer in an arena of its own. Returns what its `import` returns, or SMS_ENOMEM. */
int sms__import(const struct sms__importer *importer, const char *const *paths, size_t n_paths,
                const struct sms__import_options *options, FILE *to, struct sms_errors *errors);

/* Checks that `validate` would accept the `size` bytes of text that were imported. Returns SMS_OK; or SMS_EINPUT or
 * SMS_ENOMEM with `errors` filled, which name the file `path` (NULL: several files were imported). */
int sms__import_check(const char *path, const char *text, size_t size, const struct sms__import_options *options,
                      struct sms_errors *errors);

/* profiles.c: the importers of profiles. */
int sms__import_ncu(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                    const struct sms__import_options *options, FILE *to, struct sms_errors *errors);
int sms__import_nvprof(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                       const struct sms__import_options *options, FILE *to, struct sms_errors *errors);

/* A name for a scenario, from a path: its last part without the extension. '_' replaces what a name cannot contain. */
const char *sms__import_name(struct sms__arena *arena, const char *path);

#endif
