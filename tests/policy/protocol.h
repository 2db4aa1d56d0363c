/* For tests of gpushare by hand: what is told of its protocol, in milliseconds. */
#ifndef TESTS_POLICY_PROTOCOL_H
#define TESTS_POLICY_PROTOCOL_H

#include "tests/told.h"

/* A file that was run: what was told of its scenario, and its results. */
struct ran {
    struct sms_file *file;
    struct sms_results *results;
    struct told told;
};

static inline void run_file(struct ran *ran, struct sms_file *file, size_t idx)
{
    ran->file = file;
    ran->results = run_both(file, idx, 1e9, &ran->told);
}

static inline void run_scenario(struct ran *ran, const char *name, size_t idx)
{
    char path[512];
    snprintf(path, sizeof path, SOURCE_DIR "/scenarios/gpushare/%s.yaml", name);
    run_file(ran, load_path(path), idx);
}

static inline void close_ran(struct ran *ran) { discard(ran->results, ran->file); }

static inline void assert_says(const struct ran *ran, const char *line)
{
    if (!strstr(ran->told.sayings, line))
        fail_msg("it does not say '%s', but\n%s", line, ran->told.sayings);
}

#endif
