/* Packing: which of the programs share which of several GPUs. A group is programs on one GPU; advice on it says in
 * which way they share best. Groups that can be told without a run not to work are left out; the others are simulated,
 * the most promising first, in short runs; then GLPK picks groups, and those that it picks are simulated in longer
 * runs, then in runs of whole length, until all that it picks are. What no packing can exceed follows from what the
 * kernels demand.
 *
 * Assumed: programs that do not work together do not work with a further one beside them, and with a further one no
 * program does more. Only the choice of groups to try rests on that, not what is said of a group. */
#ifndef SMS_ADVISE_PACK_H
#define SMS_ADVISE_PACK_H

#include "advise.h"

/* By such a factor a latency that misses its target may be above it by chance in the shorter runs. */
#define SMS__MISSES_BY_CHANCE 1.5

/* GPUs of one model. */
struct sms__kind {
    const char *name; /* of the device's file */
    uint64_t gpus;
    struct sms_file *file;
    const struct sms__device *device;
};

/* How long a group runs. Groups are picked for what short runs promise, and chance helps those that are. So they run
 * longer, which unmasks most of them, before they run whole, which takes three times three times as long; those of the
 * answer then run with each program alone, and with draws. */
enum sms__length { SMS__SHORT_RUN, SMS__LONGER_RUN, SMS__WHOLE_RUN, SMS__ANSWER_RUN };

struct sms__group {
    size_t kind;
    uint64_t *copies; /* [programs] */
    uint64_t size;    /* their sum */
    uint64_t hash;    /* of kind and copies */
    bool works; /* and meets all targets, or misses them by chance in shorter runs, and does the jobs that arrive */
    enum sms__length ran;
    size_t way[SMS__ONLY]; /* numbers of the best ways in short runs, and of the one that misses least there, which
                              alone are run longer; SIZE_MAX: none */
    double misses_by; /* latency over its target, or jobs that must be done over those done; INFINITY: no job is done */
    char why[512];    /* it does not work */
    double *per_s;    /* [programs]: jobs of all copies, at the worst end of what is not known */
    double memory;    /* of all copies, with their contexts, bytes */
    double worth;     /* work that it does: 1 is that of a program that is always busy on a GPU of its own, of the kind
                         that does most */
    struct sms__arena arena;
    struct sms__programs programs; /* those that have copies */
    struct sms__advice advice;     /* of groups of the answer */
    struct sms__outlook *best;     /* of the advice: the way that is chosen; NULL: there is none */
};

/* A program alone on a kind of GPU, which groups need not run again. */
struct sms__measured {
    struct sms__program program; /* with what it takes alone */
    struct sms__buffer text[SMS__TEXTS];
    struct sms__arena arena;
};

/* A GPU of the answer. */
struct sms__packed {
    const struct sms__group *group;
    uint64_t number;  /* among those of its kind, from 1 */
    const char *name; /* "a100-80gb-2" */
};

enum sms__goal {
    SMS__MOST_WORK,  /* place as many copies as can be, then do the most work */
    SMS__FEWEST_GPUS /* for as many copies */
};

struct sms__pack {
    struct sms__programs *programs; /* `least` of each are placed; their load is of all together */
    struct sms__kind *kind;         /* [kinds] */
    size_t kinds;
    struct sms__group **group; /* [groups], simulated; the first are each program alone on each kind */
    size_t groups;
    size_t *pair; /* [kinds][programs][programs]: index of the group of the two, from 1; 0: it was not simulated */
    struct sms__measured *measured; /* [kinds * programs] */
    double *use;        /* [kinds * programs][SMS_RESOURCES_MAX]: share of the GPU's resource that a copy takes
                           which does as much as alone, or the jobs that arrive */
    double *unit_per_s; /* [programs]: jobs that a copy can do on a GPU of its own, of the kind that does most */
    size_t pairs, no_memory, too_much; /* on all kinds, of programs that work alone; left out for memory, for load, */
    size_t apart;                      /* because one is exclusive */
    bool open;                         /* groups that may do better were left because there were too many */
    struct sms__packed *gpu;           /* [gpus]: of the answer */
    size_t gpus;
    uint64_t *placed; /* [programs]: copies that are placed */
    uint64_t copies, all_placed;
    double worth;          /* work of the answer */
    double bound;          /* that no packing exceeds */
    uint64_t bound_placed; /* copies that no packing exceeds */
    uint64_t fewest;       /* GPUs of tried groups that place as many copies */
    uint64_t *fewest_of;   /* [kinds] */
    uint64_t least_gpus;   /* with fewer no packing places as many */
    size_t wholes;         /* groups that were simulated in runs of whole length */
    size_t reruns;         /* runs of groups after the first */
};

/* pack.c: finds the answer. `settings` are those of advice on one GPU; its device is not read. Runs in a guard of
 * `arena`. Each kind's file is loaded here. Returns SMS_OK; or a code with `errors`. sms__pack_free follows in any
 * case. */
int sms__pack(struct sms__arena *arena, const struct sms__advise_settings *settings, struct sms__pack *pack,
              struct sms_errors *errors);
void sms__pack_free(struct sms__pack *pack);

/* pack_group.c: the group of one copy of a program alone. */
struct sms__group *sms__pack_alone(const struct sms__pack *pack, size_t kind, size_t p);
/* The group of one copy of each of the two; NULL: it was not simulated. */
const struct sms__group *sms__pack_pair(const struct sms__pack *pack, size_t kind, size_t p, size_t q);
/* What the goal gives for a group of so many copies that does so much work: what is sought is most of it. */
double sms__pack_value(const struct sms__pack *pack, enum sms__goal goal, uint64_t size, double worth);
/* Adds a group that is to be simulated. In a guard of `arena`. */
void sms__pack_add(struct sms__arena *arena, struct sms__pack *pack, size_t kind, const uint64_t *copies);
/* What keeps copies from one GPU, without a run. */
enum sms__prune { SMS__MAY_WORK, SMS__APART, SMS__NO_MEMORY, SMS__TOO_MUCH };
enum sms__prune sms__pack_prune(const struct sms__pack *pack, size_t kind, const uint64_t *copies);

enum { SMS__PACK_ROUND = 16 }; /* groups of each kind that are tried between two prices */

struct sms__candidate {
    const struct sms__group *parent;
    size_t p;       /* one more copy of this */
    double promise; /* by which the group may be worth more than its price, as it is expected */
    uint64_t hash;
};

/* What the goal asks, and what copies and GPUs are worth to it. */
struct sms__prices {
    enum sms__goal goal;
    size_t most; /* groups that there may be */
    double *price;
    struct sms__candidate top[SMS__PACK_ROUND + 1]; /* [count] */
    size_t count;
};

/* Adds the most promising groups of the kind, until there are as many as there may be; then the pack is open. In a
 * guard of `arena`. */
void sms__pack_grow(struct sms__arena *arena, struct sms__pack *pack, size_t kind, struct sms__prices *prices);

/* Adds what each picked group is with one more copy that no GPU has yet, until there are as many groups as there may
 * be. `times` [groups]: how many GPUs have each. In a guard of `arena`. */
void sms__pack_extend(struct sms__arena *arena, struct sms__pack *pack, const uint64_t *times, size_t most);

/* pack_solve.c: a group or a set of programs that a GPU may have, as often as there are GPUs. */
struct sms__pack_choice {
    size_t kind;
    const uint64_t *copies; /* [programs] */
    uint64_t size;          /* their sum */
    double value;           /* of which most is sought */
    bool usable;            /* otherwise no GPU has it */
};
/* Picks choices. `times` [count]: how many GPUs have each; NULL: the relaxed program, with `price`,
 * [programs + kinds + 1]: what one more copy of each, one more GPU, and one more copy that must be placed would add.
 * `placed`: copies that must be placed, which some choices can. Returns SMS_OK, SMS_ENOMEM, or SMS_EBUG, where GLPK
 * does not solve it. */
int sms__pack_solve(const struct sms__pack *pack, const struct sms__pack_choice *choice, size_t count, uint64_t placed,
                    uint64_t *times, double *price);
/* pack_bound.c: what no packing can exceed, because memory and what kernels demand of each resource add up, and because
 * a program does no more in a group than in a pair of it: sets `bound`, `bound_placed` and `least_gpus`. In a guard of
 * `arena`. Returns what sms__pack_solve does. */
int sms__pack_bound(struct sms__arena *arena, struct sms__pack *pack);

/* pack_text.c: a table GPU by GPU, and what it says; pack_json.c: the same for programs, NULL when out of memory. In a
 * guard of `arena`. */
void sms__pack_print(const struct sms__pack *pack, struct sms__arena *arena, struct sms__trust *trust,
                     const struct sms__screen *screen);
struct json_t *sms__pack_json(const struct sms__pack *pack, struct sms__arena *arena);
/* Why copies of a program are not placed, for each kind. */
const char *sms__pack_why(struct sms__arena *arena, const struct sms__pack *pack, size_t p);

#endif
