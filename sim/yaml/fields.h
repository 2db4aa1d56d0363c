/* Tables that say which keys a mapping may have, and one function that reads a
 * mapping by such a table into a struct. What a table says is also what
 * `smsched list fields` prints. */
#ifndef SMS_YAML_FIELDS_H
#define SMS_YAML_FIELDS_H

#include "doc.h"

#include "../base/quantity.h"

#include <stdbool.h>

enum sms__type {
    SMS__TEXT,     /* const char * */
    SMS__NAME,     /* const char *: letters, digits, _ - . / ; a name to refer to */
    SMS__QUANTITY, /* double, in the unit of `dimension` */
    SMS__INTEGER,  /* uint64_t, rounded to the nearest, in the unit of `dimension` */
    SMS__CHOICE,   /* int: the index in `choices` */
    SMS__CUSTOM    /* whatever `read` makes of the node */
};

struct sms__reader {
    struct sms__arena *arena;
    struct sms_errors *errors;
    void *user; /* for custom fields */
};

struct sms__field {
    const char *name;
    enum sms__type type;
    enum sms__dimension dimension;
    size_t offset;
    double min, max; /* of a number, inclusive, in the unit it is kept in */
    bool required;
    const char *const *choices; /* ends with NULL */
    void (*read)(struct sms__reader *reader, const struct sms__node *node, void *field);
    const char *help;
};

/* Reads a mapping. Every problem is reported: not a mapping, unknown key (with
 * the nearest), key given twice, missing key, value of the wrong kind or out of
 * range. Fields not given keep what the struct held before. */
void sms__read_fields(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                      void *into);

/* One number. Returns whether it was one in [min, max]; reports it otherwise. */
bool sms__read_number(struct sms__reader *reader, const struct sms__node *node, enum sms__dimension dimension,
                      double min, double max, struct sms__quantity *out);

/* A text, or NULL with the problem reported. */
const char *sms__read_text(struct sms__reader *reader, const struct sms__node *node);
const char *sms__read_name(struct sms__reader *reader, const struct sms__node *node);

/* A custom reader: keeps the node of a scalar, in a const struct sms__node *. */
void sms__keep_scalar(struct sms__reader *reader, const struct sms__node *node, void *at);

/* Reports if it is not; returns whether it is. */
bool sms__expect_kind(struct sms__reader *reader, const struct sms__node *node, enum sms__node_kind kind);

/* Whether no pair before the one at `i` has its key; reports it otherwise. Keys that are no scalars pass. */
bool sms__is_first(struct sms__reader *reader, const struct sms__node *map, size_t i);

/* The same for a list of at most so many entries. */
bool sms__expect_list(struct sms__reader *reader, const struct sms__node *node, size_t most);

void sms__complain(struct sms__reader *reader, const struct sms__node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports an unknown `what` named by a scalar, with the nearest name. */
void sms__complain_unknown(struct sms__reader *reader, const struct sms__node *node, const char *what, size_t count,
                           const char *(*name)(const void *user, size_t i), const void *user);

#endif
