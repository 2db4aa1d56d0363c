/* Files of other programs, turned into scenarios. One importer a format. */
#ifndef SMS_IMPORT_IMPORT_H
#define SMS_IMPORT_IMPORT_H

#include "../model/model.h"

struct sms__import_options {
    bool sane;  /* without the other program's faults */
    bool fixed; /* simtbs: the memory demands that were meant */
};

struct sms__importer {
    const char *name;
    const char *help; /* one sentence, no full stop */

    /* Reads the file at `path` and writes YAML documents to `to`. In a guard of `arena`. SMS_OK, or a code
     * with `errors` filled, all problems of the file at once; what was written by then is no use. */
    int (*import)(struct sms__arena *arena, const char *path, const struct sms__import_options *options, FILE *to,
                  struct sms_errors *errors);
};

extern const struct sms__importer sms__importers[]; /* ends with a name of NULL */

/* Runs an importer in an arena of its own. As its `import`, and SMS_ENOMEM. */
int sms__import(const struct sms__importer *importer, const char *path, const struct sms__import_options *options,
                FILE *to, struct sms_errors *errors);

/* A name for a scenario, from a file's: its last part without extension, what no name may hold replaced by '_'. */
const char *sms__import_name(struct sms__arena *arena, const char *path);

#endif
