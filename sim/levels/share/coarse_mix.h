/* Mixes: which coarse kernels run at once in a context, and what follows from that alone. Programs launch the same few
 * kernels again and again, so the answers of the contention model are kept. */
#ifndef SMS_LEVELS_SHARE_COARSE_MIX_H
#define SMS_LEVELS_SHARE_COARSE_MIX_H

#include "coarse_kernel.h"

struct sms__mixes;

/* The table of a run, which takes memory when it is first needed. The reference engine works everything out: `is_off`.
 */
struct sms__mixes *sms__mixes_new(struct sms__arena *arena, bool is_off);
/* Sets what the kernels have in their mix: rates, parts present, power, and use of SMs and resources. False if that is
 * not known; then the caller works it out, and keeps it. */
bool sms__mix_take(struct sms__mixes *mixes, struct sms__coarse_kernels *kernels);
void sms__mix_keep(struct sms__mixes *mixes, const struct sms__coarse_kernels *kernels);

#endif
