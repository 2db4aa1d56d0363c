/* A YAML file as a tree in which every node knows its line and column. libyaml parses. An alias points at the anchored
 * node, so nothing is copied. */
#ifndef SMS_YAML_DOC_H
#define SMS_YAML_DOC_H

#include "../base/arena.h"
#include "../base/errors.h"

#include <stdbool.h>
#include <stdint.h>

enum sms__node_kind { SMS__SCALAR, SMS__LIST, SMS__MAP };

struct sms__node {
    enum sms__node_kind kind;
    struct sms__mark mark;
    const char *text;        /* of a scalar */
    struct sms__node **item; /* of a list; of a map: key, value, key, value, ... */
    size_t items;
    uint64_t expanded; /* nodes below and including this one, with an alias counted each time */
    int open;          /* the node is being read, so an alias to it would be endless */
    int by; /* in a tree that a sweep has changed: number of the path that put this node here, from 1; 0: none */
};

struct sms__doc {
    const char *path;
    const char *text;
    struct sms__node **root;
    size_t roots;
};

/* Limits that keep memory and time for a file bounded. base/read.h limits its size. */
enum { SMS__DEPTH_MAX = 32, SMS__NODES_MAX = 2000000, SMS__ANCHORS_MAX = 1000 };

/* Reads the file at `path`. Must run in a guard of `arena`. Returns SMS_OK, SMS_EIO or SMS_EINPUT with `errors` filled,
 * or SMS_ENOMEM. */
int sms__doc_load(struct sms__arena *arena, const char *path, struct sms__doc *doc, struct sms_errors *errors);

/* Like sms__doc_load, for `size` bytes in memory, which are copied. Messages name them `path`. */
int sms__doc_load_text(struct sms__arena *arena, const char *path, const char *text, size_t size, struct sms__doc *doc,
                       struct sms_errors *errors);

/* The value of `key` in a map, or NULL. */
const struct sms__node *sms__node_get(const struct sms__node *map, const char *key);
/* The first key of a map that is among `keys`, which end with NULL; or NULL. */
const struct sms__node *sms__find_key(const struct sms__node *map, const char *const *keys);
/* A copy of a list or a map that has the same items, and room for `more`. */
struct sms__node *sms__node_copy(struct sms__arena *arena, const struct sms__node *node, size_t more);
/* A copy of a map with the pairs whose keys are among `keys`, which end with NULL, or with all others; it has room for
 * all pairs, in their order. */
struct sms__node *sms__node_pick(struct sms__arena *arena, const struct sms__node *map, const char *const *keys,
                                 bool among);
/* The value of `key` in a map, or if there is none the map itself: a place to report. */
const struct sms__node *sms__at_key(const struct sms__node *map, const char *key);
/* A scalar in the arena that errors place at another node. `text` must outlive it. */
struct sms__node *sms__new_scalar(struct sms__arena *arena, const struct sms__node *at, const char *text);
/* flow.c: writes a node as one line of YAML. Equal content gives equal text. */
char *sms__node_flow(struct sms__arena *arena, const struct sms__node *node);

#endif
