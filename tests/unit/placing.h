/* Checks the placements of a cluster run, with times in seconds. */
#ifndef TESTS_UNIT_PLACING_H
#define TESTS_UNIT_PLACING_H

#include "tests/event_log.h"

#define SECOND_PS 1e12

/* Runs the first scenario on both engines. The caller frees the results and the file. */
static inline struct sms_results *run_logged(struct sms_file *file, const char *expected)
{
    static struct event_log log;
    struct sms_results *results = run_both(file, 0, SECOND_PS, &log);
    assert_string_equal(log.placements, expected);
    return results;
}

static inline void assert_placements(struct sms_file *file, const char *expected)
{
    discard(run_logged(file, expected), file);
}

#endif
