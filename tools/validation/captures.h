/* Captures of tools/capture: launches and what each of their blocks wrote down. docs/capture.md has the format. */
#ifndef TOOLS_VALIDATE_CAPTURES_H
#define TOOLS_VALIDATE_CAPTURES_H

#include "validate.h"

#include "sim/base/arena.h"
#include "sim/base/errors.h"

enum capture_kernel { FP32, FP64, INT, IMAD, SFU, SHARED, L1, L2, DRAM, CAPTURE_KERNELS };
enum capture_kind { SINGLE, ALONE, FULL, PAIR, CAPTURE_KINDS };

struct capture_block {
    uint64_t sm, start_ns, end_ns, cycles;
};

/* Launches of one `run` were on the GPU together, slot 0 first. */
struct capture_launch {
    uint64_t run, kind, slot, repetition, kernel, intensity_percent, blocks, threads, registers, shared_bytes, resident;
    uint64_t operations, warp_instructions; /* of a block: lane results or bytes */
    struct capture_block *block;            /* [blocks], in the order of their numbers */
    uint64_t begin_ns, end_ns;              /* of all blocks */
};

struct capture {
    const char *folder, *device, *date, *sharing, *origin, *driver;
    uint64_t sms, clock_khz, threads_per_sm, blocks_per_sm, registers_per_sm, shared_per_sm, shared_reserved,
        shared_per_block;
    size_t n;
    struct capture_launch *launch;
};

/* Reads FOLDER/launches.csv and FOLDER/blocks.csv into the arena. SMS_OK, or a code with `errors` filled: each with
 * file, line and column. */
int capture_read(struct sms__arena *arena, const char *folder, struct capture *out, struct sms_errors *errors);

extern const char *const capture_kernel_names[CAPTURE_KERNELS];

/* What a block of a shape does at full speed, from the runs alone. */
struct capture_work {
    double block_ns;
    double demand, issue; /* of an SM: of the kernel's resource, of the four schedulers */
};

struct capture_work capture_work_of(const struct capture *capture, const struct capture_launch *launch);

/* Of a launch in ns, the median of those of one kind and the same shape, beside a launch of the shape of `other` (NULL:
 * alone), in `slot`; 0: there is none. */
double capture_lasts_ns(const struct capture *capture, enum capture_kind kind, const struct capture_launch *launch,
                        const struct capture_launch *other);

/* Whether both are launches of the same kernel, of blocks of the same shape. */
bool capture_same_block(const struct capture_launch *a, const struct capture_launch *b);

/* The launches simulated, one or two; the second begins `skew_ns` after the first. */
struct capture_simulated {
    double lasts_ns[2];
    long *sm; /* NULL, or [blocks of the first launch]: where each of its blocks went; filled in */
};

void capture_simulate(const struct capture *capture, const struct capture_launch *const *launch, size_t n,
                      double skew_ns, const char *policy, const char *contention, struct capture_simulated *out);

/* Writes the page's section about the captures in a folder and below, which may be none. `synthetic`: they may be
 * simulated ones, as in tests. */
void captures(struct site *site, const char *folder, bool synthetic);

#endif
