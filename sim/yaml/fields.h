/* Tables that say which keys a mapping may have, and one function that reads a
 * mapping by such a table into a struct. What a table says is also what
 * `smsched list fields` and `smsched list schema` print. */
#ifndef SMS_YAML_FIELDS_H
#define SMS_YAML_FIELDS_H

#include "doc.h"

#include "../base/quantity.h"

#include <stdbool.h>

/* Bytes of names, so that writers and readers of results know how long a field gets: names in files, labels that the
 * program makes of a policy and its parameters, and any field with a name in it. The longest of those is a kernel's:
 * its tenant's with a number, its workload's and its own. */
enum { SMS__NAME_MAX = 100, SMS__LABEL_MAX = 200, SMS__FIELD_BYTES = 320 };

enum sms__type {
    SMS__TEXT,      /* const char * */
    SMS__NAME,      /* const char *: letters, digits, _ - . / ; a name to refer to */
    SMS__REFERENCE, /* const struct sms__node *: a name that is looked up later */
    SMS__QUANTITY,  /* double, in the unit of `dimension` */
    SMS__SPAN,      /* struct sms__quantity: the same, and a span in cycles is more than 0 */
    SMS__INTEGER,   /* uint64_t, rounded to the nearest, in the unit of `dimension` */
    SMS__MILLI,     /* uint64_t: in thousandths of it, rounded to the nearest; below one only 0 */
    SMS__INDEX,     /* long */
    SMS__CHOICE,    /* int: the index in `choices` */
    SMS__FIELDS,    /* a struct: a mapping, by `fields` */
    SMS__CUSTOM     /* what `read` makes of it; `form` says what that may be */
};

/* What a field holds: one value of its type, a list of them, or a mapping of names to them. */
enum sms__holds { SMS__ONE, SMS__MANY, SMS__NAMED };

/* Custom fields by what may be in them (sim/cli/schema_forms.c). */
enum sms__form {
    SMS__FORM_NONE,
    SMS__FORM_TENANTS, /* a policy of what the scenario has: VMs or processes */
    SMS__FORM_POLICY,  /* a block policy */
    SMS__FORM_PLACE,   /* a place policy */
    SMS__FORM_CONTENTION,
    SMS__FORM_DEMAND,
    SMS__FORM_MEASURE, /* a number, a percentage or a time */
    SMS__FORM_METRIC,
    SMS__FORM_NAMES,            /* a name, or a list of them */
    SMS__FORM_NUMBER_OR_LIST,   /* a number, or a list of mappings by `fields`, or if there are none of numbers */
    SMS__FORM_NUMBER_OR_FIELDS, /* a number, or a mapping by `fields` */
    SMS__FORM_LABELS,           /* a mapping of any scalars to scalars */
    SMS__FORM_ROW,              /* of a table */
    /* Of plans. */
    SMS__FORM_FILES,    /* a name of a file, or a list of them */
    SMS__FORM_POLICIES, /* a list of policies of any kind */
    SMS__FORM_AXES,
    SMS__FORM_END,    /* of a range: a number in any unit */
    SMS__FORM_SPREAD, /* a mapping of paths to ranges and lists */
    SMS__FORM_POOL,   /* a list of anything */
    SMS__FORM_PATHS
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
    /* Reads the value, instead of the type's own way; that still says what it may be. */
    void (*read)(struct sms__reader *reader, const struct sms__node *node, void *field);
    const char *help;
    const char *word, *otherwise; /* of an integer or a quantity: a word that means 0; "a number of jobs" */
    const struct sms__field *fields;
    const struct sms__field *instead;   /* of `fields`, where the first of these is given with one of its choices */
    const struct sms__field *overrides; /* beside them, of this table all but the first, none required */
    enum sms__holds holds;
    enum sms__form form;
    size_t least, most; /* values that a list or a mapping by names holds; most 0: no limit of its own */
    const char *one_of; /* of the fields with these words exactly one is given; the complaint if not */
    const char *needs;  /* a key that must stand beside it */
    const char *refuse; /* no key here: what to do instead */
};

/* One of the tables of `smsched list fields`. */
struct sms__table {
    const char *title;
    const struct sms__field *fields;
};

/* Reads a mapping. Every problem is reported: not a mapping, unknown key (with
 * the nearest), key given twice, missing key, value of the wrong kind or out of
 * range. Fields not given keep what the struct held before. */
void sms__read_fields(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                      void *into);

/* The field of a key; reports a key that has none, or that is refused, and returns NULL. */
const struct sms__field *sms__expect_key(struct sms__reader *reader, const struct sms__node *key,
                                         const struct sms__field *fields);

/* For custom fields that are read later: the node itself, into a const struct sms__node *. */
void sms__keep(struct sms__reader *reader, const struct sms__node *node, void *at);

/* Choices: "false", "true". */
extern const char *const sms__truths[];

/* One number. Returns whether it was one in [min, max]; reports it otherwise. */
bool sms__read_number(struct sms__reader *reader, const struct sms__node *node, enum sms__dimension dimension,
                      double min, double max, struct sms__quantity *out);
/* Whether the ratio of `node` is above 1 and written without %, where a percentage is meant: then it is complained of.
 */
bool sms__is_bare_percentage(struct sms__reader *reader, const struct sms__node *node, double ratio);

/* A bound of a number as it could be written: "50 %", "2500 h", "16". */
void sms__print_bound(char *out, size_t size, enum sms__dimension dimension, double bound);

/* A text, or NULL with the problem reported. */
const char *sms__read_text(struct sms__reader *reader, const struct sms__node *node);
/* A name of at most SMS__NAME_MAX characters, or NULL with the problem reported. */
const char *sms__read_name(struct sms__reader *reader, const struct sms__node *node);
bool sms__is_name(const char *text);

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
