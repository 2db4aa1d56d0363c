/* Tables of the keys that a mapping may have, and a function that reads a mapping into a struct by such a table.
 * `smsched list fields` and `smsched list schema` print the same tables. */
#ifndef SMS_YAML_FIELDS_H
#define SMS_YAML_FIELDS_H

#include "doc.h"

#include "../base/member.h"
#include "../base/quantity.h"

#include <stdbool.h>

/* Most bytes of a name, a label and a field, so that writers and readers of results know how long a field can be. A
 * label is made of a policy and its parameters. The longest field is the name of a kernel: its tenant's name with a
 * number, its workload's name and its own. */
enum { SMS__NAME_MAX = 100, SMS__LABEL_MAX = 200, SMS__FIELD_BYTES = 320 };

enum sms__type {
    SMS__TEXT,      /* const char * */
    SMS__NAME,      /* const char *: letters, digits, _ - . / ; a name to refer to */
    SMS__REFERENCE, /* const struct sms__node *: a name that is resolved later */
    SMS__QUANTITY,  /* double, in the unit of `dimension` */
    SMS__SPAN,      /* struct sms__quantity: like SMS__QUANTITY, but a span in cycles must be more than 0 */
    SMS__INTEGER,   /* uint64_t, rounded to the nearest, in the unit of `dimension` */
    SMS__MILLI,     /* uint64_t: thousandths, rounded to the nearest; a value below one thousandth must be 0 */
    SMS__INDEX,     /* long */
    SMS__CHOICE,    /* int: index in `choices` */
    SMS__FIELDS,    /* a struct: a mapping, read by `fields` */
    SMS__CUSTOM     /* read by `read`; `form` describes what it may contain */
};

/* The contents of a field: one value of its type, a list of values, or a mapping from names to values. */
enum sms__holds { SMS__ONE, SMS__MANY, SMS__NAMED };

/* The contents of a custom field, for the schema (sim/cli/schema.c). */
enum sms__form {
    SMS__FORM_NONE,
    SMS__FORM_TENANTS, /* a policy for the scenario's tenants, VMs or processes */
    SMS__FORM_POLICY,  /* a block policy */
    SMS__FORM_PLACE,   /* a place policy */
    SMS__FORM_CONTENTION,
    SMS__FORM_QUEUE,
    SMS__FORM_DEMAND,
    SMS__FORM_MEASURE, /* a number, a percentage or a time */
    SMS__FORM_METRIC,
    SMS__FORM_NAMES,            /* a name, or a list of names */
    SMS__FORM_NUMBER_OR_LIST,   /* a number, or a list: of mappings by `fields`, or of numbers if `fields` is NULL */
    SMS__FORM_SMS,              /* a number, or a list of numbers and ranges */
    SMS__FORM_NUMBER_OR_FIELDS, /* a number, or a mapping by `fields` */
    SMS__FORM_TIME_BY_SHARE,    /* a number, or a mapping of 2 to 16 ratios to numbers */
    SMS__FORM_LABELS,           /* a mapping of scalars to scalars */
    SMS__FORM_ROW,              /* a row of a table */
    /* Forms of sweep plans. */
    SMS__FORM_FILES,    /* a file name, or a list of file names */
    SMS__FORM_POLICIES, /* a list of policies of any kind */
    SMS__FORM_AXES,
    SMS__FORM_VARY,   /* an entry of axes that is not drawn */
    SMS__FORM_END,    /* end of a range: a number in any unit */
    SMS__FORM_SPREAD, /* a mapping of paths to ranges and lists */
    SMS__FORM_POOL,   /* a list of any values */
    SMS__FORM_PATHS,
    SMS__FORM_INSTANCE,
    SMS__FORM_MODE
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
    double min, max; /* of a number, inclusive, in the unit in which it is stored */
    bool required;
    const char *const *choices; /* terminated by NULL */
    /* Reads the value instead of the type's reader. The type still describes what the value may be. */
    void (*read)(struct sms__reader *reader, const struct sms__node *node, void *field);
    const char *help;
    const char *words;            /* what figures call it, where that is not its name */
    const char *word, *otherwise; /* for an integer or a quantity: a word that means 0, and how messages describe the
                                     number ("a number of jobs"); for fields with `read`: a word that it also reads */
    const struct sms__field *fields;
    /* Others, ends with NULL. Each replaces `fields` if the first of it is given with one of its choices. */
    const struct sms__field *const *instead;
    /* In addition to `fields`: all fields of this table except the first, none of them required. */
    const struct sms__field *overrides;
    enum sms__holds holds;
    enum sms__form form;
    size_t least, most; /* number of values in a list or a mapping from names; most 0: no limit */
    /* Exactly one of the fields with the same text here must be given; the text is the error message. */
    const char *one_of;
    const char *needs;  /* another key that must be given too */
    const char *refuse; /* set: the key is not allowed here; the text says what to do instead */
};

/* One of the tables that `smsched list fields` prints. */
struct sms__table {
    const char *title;
    const struct sms__field *fields;
};

/* Reads a mapping. Reports every problem: not a mapping, an unknown key (with the nearest one), a repeated key, a
 * missing key, a value of the wrong kind or out of range. Fields that are not given keep their previous values. */
void sms__read_fields(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                      void *into);

/* The field of a key. Reports a key that is unknown or refused, and returns NULL. */
const struct sms__field *sms__expect_key(struct sms__reader *reader, const struct sms__node *key,
                                         const struct sms__field *fields);

/* For custom fields that are read later: stores the node in a const struct sms__node *. */
void sms__keep(struct sms__reader *reader, const struct sms__node *node, void *at);
/* For fields that are read elsewhere. */
void sms__skip(struct sms__reader *reader, const struct sms__node *node, void *at);

/* Choices of a truth value: "false", "true". */
extern const char *const sms__truths[];

/* Reads one number. Returns whether it is one in [min, max], and reports otherwise. */
bool sms__read_number(struct sms__reader *reader, const struct sms__node *node, enum sms__dimension dimension,
                      double min, double max, struct sms__quantity *out);
#define SMS__CYCLES_MAX 1e18
/* Returns whether a number that was read from `node` is in [min, max], and reports otherwise. A number of cycles is in
 * [0, SMS__CYCLES_MAX] instead. */
bool sms__expect_range(struct sms__reader *reader, const struct sms__node *node, enum sms__dimension dimension,
                       double min, double max, const struct sms__quantity *number);
/* Returns whether the ratio of `node` is above 1 and written without %, and reports it: a percentage is meant. */
bool sms__is_bare_percentage(struct sms__reader *reader, const struct sms__node *node, double ratio);

/* A bound as a user could write it, such as "50 %", "2500 h" or "16", to be printed in the same statement. */
struct sms__bound_text {
    char text[64];
};
struct sms__bound_text sms__bound(enum sms__dimension dimension, double bound);

/* Returns the index of the node's text in a list that NULL ends, or -1 with the problem reported. */
int sms__read_choice(struct sms__reader *reader, const struct sms__node *node, const char *what,
                     const char *const *choices);

/* The node's text, or NULL with the problem reported. */
const char *sms__read_text(struct sms__reader *reader, const struct sms__node *node);
/* The node's text as a name of at most SMS__NAME_MAX characters, or NULL with the problem reported. */
const char *sms__read_name(struct sms__reader *reader, const struct sms__node *node);
bool sms__is_name(const char *text);

/* Returns whether the node is of this kind, and reports otherwise. */
bool sms__expect_kind(struct sms__reader *reader, const struct sms__node *node, enum sms__node_kind kind);

/* Returns whether the key of the pair at `i` differs from all keys before it, and reports otherwise. Keys that are not
 * scalars pass. */
bool sms__is_first(struct sms__reader *reader, const struct sms__node *map, size_t i);

/* Returns whether the node is a list of at most `most` entries, and reports otherwise. */
bool sms__expect_list(struct sms__reader *reader, const struct sms__node *node, size_t most);
/* The same of a map. */
bool sms__expect_map(struct sms__reader *reader, const struct sms__node *node, size_t most);

/* Whether the value of a key has been complained of, or a key that is near and not known. What follows from its default
 * is then no problem of the file. */
bool sms__is_wrong(const struct sms__reader *reader, const struct sms__node *map, const char *key);

void sms__complain(struct sms__reader *reader, const struct sms__node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports the unknown `what` that a scalar names, with the nearest of the known names. */
void sms__complain_unknown(struct sms__reader *reader, const struct sms__node *node, const char *what, size_t count,
                           const char *(*name)(const void *user, size_t i), const void *user);

#endif
