/* Finished runs, kept so that later ones that read the same need not be simulated. Threads share it. */
#ifndef SMS_RESULTS_MEMO_H
#define SMS_RESULTS_MEMO_H

#include "../levels/simulate.h"

struct sms__memo;

/* It may take 256 MiB. Returns NULL without memory. */
struct sms__memo *sms__memo_new(void);
void sms__memo_free(struct sms__memo *memo);
/* Copies what a run with this key left, and returns true. If there is none, returns false, and the caller has to call
 * sms__memo_put, for which other threads with the same key wait. Equal keys must come with equal sizes. */
bool sms__memo_take(struct sms__memo *memo, const char *key, void *out, size_t size);
/* `left`: copied; NULL: the run failed. */
void sms__memo_put(struct sms__memo *memo, const char *key, const void *left);

struct sms__memo_count {
    uint64_t simulated, shared; /* calls of sms__memo_take that returned false, and true */
};
struct sms__memo_count sms__memo_count(struct sms__memo *memo);

/* run_key.c: what runs of a scenario read, as text. */
struct sms__run_text {
    const char *beside;   /* what else determines the runs beside the scenario's document */
    const char *together; /* the document, without what does not change such a run */
    const char *alone;    /* the same for stand-alone runs */
};
/* Both live in the arena; call them in its guard. Runs of the scenario with equal keys have equal results. */
void sms__run_text(struct sms__arena *arena, const struct sms_scenario *scenario, struct sms__run_text *text);
const char *sms__run_key(struct sms__arena *arena, const struct sms__run_text *text, const struct sms__run_spec *spec);

#endif
