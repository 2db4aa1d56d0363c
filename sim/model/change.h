/* Changes of documents: fields set by a path, as a plan, the command line or a caller of the library does. */
#ifndef SMS_MODEL_CHANGE_H
#define SMS_MODEL_CHANGE_H

#include "file.h"

/* Where a plan gives one of its paths, for messages. */
struct sms__told_path {
    const char *text;
    unsigned line;
};

/* path.c: one node of a tree to be replaced or added. */
struct sms__change {
    const struct sms__node *path;  /* for error locations */
    const char *rest;              /* the path's text from `root` on */
    const struct sms__node *value; /* new node */
    /* NULL: what is given later holds. Otherwise no two changes may be of one node, and this finds the path of another
     * change by its `source`. */
    struct sms__told_path (*told)(const void *plan, int source);
    const void *plan;
    int source; /* which of the plan's paths this is, from 0 */
};
/* Returns a changed copy that shares with `root` all nodes beside the path. If the path leads nowhere, or another of
 * the plan's paths has already changed that node, reports an error at the path and returns `root`. */
const struct sms__node *sms__node_replace(struct sms__reader *reader, const struct sms__node *root,
                                          const struct sms__change *change);
/* The part of the path after its first name, if that is `name`; otherwise NULL. */
const char *sms__path_after(const char *rest, const char *name);
/* The part of a path after `workloads.`; NULL if the path does not begin so. */
const char *sms__workload_path(const struct sms__node *path);

/* workload_path.c: the document of the workload whose name begins the change's `rest`, from which it takes the name
 * off. Returns NULL after an error. */
const struct sms__node *sms__take_workload(struct sms__reader *reader, struct sms_file *library,
                                           const struct sms_load_options *options, struct sms__change *change,
                                           const char **name);

#endif
