/* Runs gpushare with its protocol logged, with times in milliseconds. */
#ifndef TESTS_POLICY_PROTOCOL_H
#define TESTS_POLICY_PROTOCOL_H

#include "tests/event_log.h"

/* A finished run of a scenario of the file, with its log and results. */
struct run {
    struct sms_file *file;
    struct sms_results *results;
    struct event_log log;
};

static inline void run_file(struct run *run, struct sms_file *file, size_t idx)
{
    run->file = file;
    run->results = run_both(file, idx, 1e9, &run->log);
}

static inline void run_scenario(struct run *run, const char *name, size_t idx)
{
    char path[512];
    snprintf(path, sizeof path, SOURCE_DIR "/scenarios/gpushare/%s.yaml", name);
    run_file(run, load_path(path), idx);
}

static inline void discard_run(struct run *run) { discard(run->results, run->file); }

static inline void assert_logged(const struct run *run, const char *line)
{
    if (!strstr(run->log.messages, line))
        fail_msg("there is no message '%s', but\n%s", line, run->log.messages);
}

#endif
