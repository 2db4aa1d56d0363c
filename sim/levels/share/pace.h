/* How fast kernels run side by side on a device, of which is known what they demand of it on average and how much room
 * on its SMs their blocks take. */
#ifndef SMS_LEVELS_PACE_H
#define SMS_LEVELS_PACE_H

#include "../../model/scenario.h"

struct sms__paced {
    const double *demand; /* [resources], of one SM if it were all on each, in parts of SMS_FULL */
    double room;          /* part of the SMs' limits, 0..1; 0: not known, it takes none */
    int cls;              /* as of struct sms_group */
    double *speed;        /* the answer, 0..1 */
};

struct sms__pacer {
    const struct sms_contention *contention;
    const struct sms_contention_view *view;
    struct sms__arena *arena;
    struct sms_group *group;             /* [most], scratch */
    double (*demand)[SMS_RESOURCES_MAX]; /* the same */
    size_t most;
};

/* Where there is not room for all, each has its part of it, as when the blocks of all take turns to be dispatched:
 * fewer of its blocks at a time slow a kernel, and it presses the less. The rest the contention model says. */
void sms__pace(struct sms__pacer *pacer, const struct sms__paced *paced, size_t count);

#endif
