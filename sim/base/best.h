/* The policies that cannot be told apart from the best: one verdict for tables, pages, databases and figures
 * (docs/explanation/statistics.md). */
#ifndef SMS_BASE_BEST_H
#define SMS_BASE_BEST_H

#include <smsched/smsched.h>

/* The values of some policies in some replications, in which all policies saw the same random numbers. Draws of what is
 * not known pair values in the same way. */
struct sms__samples {
    const double *value; /* [policies][replications]; NAN: no value */
    size_t policies, replications;
    int better; /* +1 if more is better, -1 if less is */
    bool exact; /* nothing is drawn, so that any difference counts */
};

enum sms__best_verdict {
    SMS__BEST_NONE,    /* no policy has a value */
    SMS__BEST_SAME,    /* all policies have the same value in all replications */
    SMS__BEST_ONCE,    /* one replication says nothing of chance: the group has equal values only */
    SMS__BEST_CHANCE,  /* every policy with a value is in the group */
    SMS__BEST_DIFFERS, /* some policy is told apart from the best */
};

struct sms__best {
    enum sms__best_verdict verdict;
    size_t best;  /* has the best mean */
    size_t group; /* how many are not told apart from it, itself included */
    size_t next;  /* has the best mean outside of the group; SIZE_MAX: all that have a value are in it */
    bool equal;   /* all of the group have the best one's values */
};

/* Compares each policy with the one that has the best mean, pair by pair, with Holm's correction for their number. Sets
 * in_group[policies], and adjusted[policies], unless it is NULL, to the p-values after the correction (NAN: none). The
 * truly best policy is left out of the group with a probability of at most 5 %. Among equal means `first` counts as the
 * best, then the one of least index. Changes over `first` are tested as such, also if it is the best, so that the
 * verdict is that of a table of such changes. Returns false when out of memory. */
bool sms__find_best(const struct sms__samples *samples, size_t first, struct sms__best *best, bool *in_group,
                    double *adjusted);

/* Compares each policy with `first`, by the same rule, and sets change[policies]: 1 if it is better, -1 if it is worse,
 * 0 if they are not told apart. Returns false when out of memory. */
bool sms__find_changes(const struct sms__samples *samples, size_t first, int *change);

#endif
