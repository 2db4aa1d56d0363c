/* For tests of the place level by hand: placements in seconds. */
#ifndef TESTS_UNIT_PLACING_H
#define TESTS_UNIT_PLACING_H

#include "tests/told.h"

#define SECOND_PS 1e12

/* The caller frees the results and the file. */
static inline struct sms_results *run_told(struct sms_file *file, const char *expected)
{
    static struct told told;
    struct sms_results *results = run_both(file, 0, SECOND_PS, &told);
    assert_string_equal(told.placements, expected);
    return results;
}

static inline void assert_told(struct sms_file *file, const char *expected) { discard(run_told(file, expected), file); }

#endif
