/* Files of other programs, turned into scenarios. One importer a format. */
#ifndef SMS_IMPORT_IMPORT_H
#define SMS_IMPORT_IMPORT_H

#include <smsched/smsched.h>

#include "../base/errors.h"
#include "profile.h"

#include <stdio.h>

struct sms__import_options {
    bool sane;            /* without the other program's faults */
    bool fixed;           /* simtbs: the memory demands that were meant */
    bool dump;            /* ncu, nvprof: print what was read, and make nothing of it */
    const char *profiled; /* of profiles: the device's name; NULL: the one that the profile is called like */
    const char *device;   /* of profiles: the device to write for; NULL: the same */
    const char *name;     /* of profiles: of the workload; NULL: the file's */
    const char *title;    /* of profiles: of the workload; or NULL */
    const char *source;   /* of profiles: where the numbers are from; NULL: the tool */
    bool iteration;       /* of profiles: one iteration of the launches, and no scenario */
    double inflate; /* of openb: pods are drawn until they ask for so much of the cluster's GPUs; 0: as they came */
    const struct sms_load_options *load; /* where devices are looked for */
};

struct sms__importer {
    const char *name;
    const char *help; /* one sentence, no full stop */

    size_t files; /* how many it takes; 0: one or more */

    /* Reads the files and writes YAML documents to `to`. In a guard of `arena`. SMS_OK, or a code with `errors`
     * filled, all problems of the files at once; what was written by then is no use. */
    int (*import)(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors);
};

extern const struct sms__importer sms__importers[]; /* ends with a name of NULL */

/* Runs an importer in an arena of its own. As its `import`, and SMS_ENOMEM. */
int sms__import(const struct sms__importer *importer, const char *const *paths, size_t n_paths,
                const struct sms__import_options *options, FILE *to, struct sms_errors *errors);

/* Whether `validate` accepts what was imported, `size` bytes of text: SMS_OK, or SMS_EINPUT or SMS_ENOMEM with `errors`
 * filled, which name the file `path`; NULL: it was made of several. */
int sms__import_check(const char *path, const char *text, size_t size, const struct sms__import_options *options,
                      struct sms_errors *errors);

/* profiles.c: importers. */
int sms__import_ncu(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                    const struct sms__import_options *options, FILE *to, struct sms_errors *errors);
int sms__import_nvprof(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                       const struct sms__import_options *options, FILE *to, struct sms_errors *errors);

/* A name for a scenario, from a file's: its last part without extension, what no name may hold replaced by '_'. */
const char *sms__import_name(struct sms__arena *arena, const char *path);

#endif
