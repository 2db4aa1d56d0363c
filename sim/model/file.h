/* A file, and the devices and workloads that its scenarios name, wherever they are. Everything lives in its arena. */
#ifndef SMS_MODEL_FILE_H
#define SMS_MODEL_FILE_H

#include <smsched/smsched.h>

#include "../base/intern.h"
#include "../yaml/fields.h"
#include "device_model.h"
#include "workload.h"

enum sms__document { SMS__DOCUMENT_DEVICE, SMS__DOCUMENT_WORKLOAD, SMS__DOCUMENT_SCENARIO, SMS__DOCUMENT_PLAN };

struct sms_file {
    struct sms__arena arena;
    const struct sms_load_options *options;
    struct sms_errors *errors; /* only while loading */
    struct sms_errors warnings;
    struct sms__doc *doc; /* the file itself */
    const struct sms__device **device;
    size_t devices;
    const struct sms__workload **workload;
    size_t workloads;
    struct sms_scenario **scenario;
    size_t scenarios;
    /* [kind]: the names of its documents, each with its number in their list. */
    struct sms__string_pool names[SMS__DOCUMENT_PLAN];
    size_t drawn_kernels;       /* of the workloads that processes may draw */
    struct sms__plugin *plugin; /* [plugins]: open until the file is freed (policy/plugins.h) */
    size_t plugins;
    bool borrows_plugins;            /* they are the library's */
    bool lacks_plugin;               /* one was refused, which is reported: what it has is not known */
    const struct sms__doc *families; /* models/families.yaml; NULL: not read yet */
    bool inherits;                   /* a device that inherits from another is being read */
    struct sms_file *library;        /* NULL, or where devices and workloads are looked up instead of in folders */
};

enum { SMS__MODELS_BYTES = 4096 };
/* installed.c: the folder of the installed models: ../share/smsched/models from where the library was loaded, or if
 * there is none, that fixed at build time. */
void sms__installed_models(char out[SMS__MODELS_BYTES]);
/* Finds the file of that name in the folders of models, of which a user's comes first. Returns false if there is none;
 * `path` is then the last that was looked for, or the name. */
bool sms__find_in_models(const struct sms_load_options *options, const char *name, char path[SMS__MODELS_BYTES]);
/* The table written by the build: the folder fixed then, and its path relative to the library's. */
const char *sms__models_as_built(void);
const char *sms__models_from_library(void);

/* Finds a device or workload in the file, then in the folders. Returns NULL, and complains at `node`, if it is nowhere.
 */
const struct sms__device *sms__find_device(struct sms_file *file, const char *name, const struct sms__node *node);
/* The same of a device that a workload was measured on; NULL, without a complaint, if there is no such document. */
const struct sms__device *sms__find_profiled(struct sms_file *file, const char *name);
const struct sms__workload *sms__find_workload(struct sms_file *file, const char *name, const struct sms__node *node);
/* families.c: the document of a device's family, from the first of the folders of models that has a file of them. The
 * reader's user is the file. NULL, with a complaint at `name`, if there is none. */
const struct sms__node *sms__find_family(struct sms__reader *reader, const struct sms__node *name);

/* A scenario document as a file of its own, such as a point of a plan. Devices and workloads are looked up in
 * `library`, a loaded file, which reads what it does not have yet. Those that the scenario uses are then in *out, too.
 * `options` are those of the library. `make` returns the document, in the reader's arena, or NULL if it has complained;
 * reader->user is what becomes *out. *out lives no longer than the library, and two threads may not share a library. */
struct sms__variation {
    struct sms_file *library;
    const struct sms_load_options *options;
    const struct sms__node *(*make)(struct sms__reader *reader, void *user);
    void (*failed)(const struct sms_file *file, void *user); /* NULL, or told of a file that is given up */
    void *user;
};
int sms__file_vary(const struct sms__variation *variation, struct sms_file **out, struct sms_errors *errors);

/* The document of a device or workload as sms__file_vary would find it, and then those that a device takes values from:
 * of its family, of its base and of that one's family. Returns their number; 0 if there is none. */
enum { SMS__SOURCE_DOCUMENTS = 4 };
size_t sms__library_documents(struct sms_file *library, const struct sms_load_options *options, bool device,
                              const char *name, const struct sms__node *out[SMS__SOURCE_DOCUMENTS]);

/* suggest.c: complains of a name that is in no file and no folder, with the nearest that is. */
void sms__complain_unknown_model(struct sms_file *file, enum sms__document kind, const struct sms__node *node);
enum { SMS__MODEL_NAME_BYTES = 104 };
/* Copies the nearest name of a model to `near`, of those in two folders of models, each of which may be NULL. `kind`:
 * "devices" or "workloads". False: no name is near, or there is no memory. */
bool sms__nearest_model(const char *const folder[2], const char *kind, const char *word,
                        char near[SMS__MODEL_NAME_BYTES]);

/* library.c: the kind of a document; -1: none. */
int sms__document_kind(const struct sms__node *root);
/* Keeps the name of the next document of a kind. False: there is one of that name. */
bool sms__file_remember(struct sms_file *file, enum sms__document kind, const char *name);
/* Reads a document of a device or workload into the file. */
void sms__file_define(struct sms_file *file, enum sms__document kind, const struct sms__node *node);

static inline struct sms__reader sms__file_reader(struct sms_file *file)
{
    return (struct sms__reader){.arena = &file->arena, .errors = file->errors};
}

/* The options of the file that is being read, which is reader->user. */
static inline const struct sms_load_options *sms__load_options(const struct sms__reader *reader)
{
    return ((const struct sms_file *)reader->user)->options;
}

#endif
