/* Folds the decisions of `smsched explain` into lines. A stretch is a line: decisions about blocks of one launch that
 * differ only in time, block and SM. */
#ifndef SMS_CLI_STRETCHES_H
#define SMS_CLI_STRETCHES_H

#include "cli.h"

#include "../yaml/fields.h"

#include <stdio.h>

enum { STRETCHES_MAX = 32, STRETCH_TEXT = 1024 };

struct stretch {
    char vm[SMS__FIELD_BYTES]; /* a pod's name is gone after its run */
    const char *kernel;        /* of the scenario */
    size_t device;
    bool ended; /* no decision is added any more */
    uint64_t from_ps, to_ps;
    size_t starts, waits;             /* blocks that started; answers that a block fits nowhere */
    uint64_t first_block, last_block; /* that started, or that wait */
    long last_sm, least_sm, most_sm;
    bool in_turn;                /* each block went to a higher SM than the one before, or to the lowest again */
    uint64_t started_ps, gap_ps; /* time of the latest start; between starts, UINT64_MAX if it differs */
    size_t passed;               /* the most SMs that refused a block */
    char cause[64];              /* for which SMs refused blocks; "": none did */
    char reasons[STRETCH_TEXT];  /* of the first decision */
    char dispatcher[128];        /* what a block waited for that fits; "": nothing */
};

/* Stretches that are not printed yet, in order of their start. */
struct stretches {
    struct stretch at[STRETCHES_MAX];
    size_t count;
    bool dispatcher_said; /* its rate was printed */
};

struct moment {
    char text[48];
};

/* A moment to the ns, without its unit: s or ms. */
struct moment moment_in(bool in_s, uint64_t time_ps);
/* Adds a decision. Returns false if there is no room before the first stretch is printed. */
bool stretches_add(struct stretches *all, const struct sms_decision *decision);
/* Prints the first stretch as a line without its time, and removes it. Moments are in s or in ms. */
void stretches_print(struct stretches *all, bool in_s, FILE *to);

#endif
