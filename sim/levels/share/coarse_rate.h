/* How fast coarse kernels run side by side on a device, by their mean demand and the room that their blocks take on its
 * SMs. */
#ifndef SMS_LEVELS_SHARE_COARSE_RATE_H
#define SMS_LEVELS_SHARE_COARSE_RATE_H

#include "../../model/scenario.h"
#include "../../record/record.h"
#include "../filling.h"

struct sms__rated {
    const double *demand; /* [resources], at no load; parts of SMS_FULL of one SM, if the kernel is spread over all */
    double room;          /* part of the SMs' limits, 0..1; 0: not known, it takes none */
    int cls;              /* as of struct sms_group */
    double *speed;        /* the result, 0..1 */
    size_t process;       /* its index; of no matter without launch_wait_ps */
    double launches;      /* that it stands for, per ps of its time alone */
    double power_w;       /* what it adds to the power of an idle device, alone; 0: not known */
    double *present;      /* the result, 0..1: the part of its blocks that finds room on the SMs; or NULL */
};

struct sms__rater {
    const struct sms_contention *contention;
    const struct sms_contention_view *view;
    struct sms__arena *arena;
    struct sms__record *record;          /* of the run, which gets a `why` if an answer is out of its range; or NULL */
    double launch_wait_ps;               /* by which each other process lengthens a launch */
    const struct sms__device *limited;   /* that has a power limit; or NULL */
    double other_w;                      /* what others add on the same GPU, on other instances */
    double power_w;                      /* the result: what these kernels add */
    struct sms_group *group;             /* [most], scratch, like the next two */
    struct sms__user *user;              /* [most] */
    double (*demand)[SMS_RESOURCES_MAX]; /* [most] */
    size_t most;
};

/* Sets the speeds. If the kernels take more room than there is, each gets its part of it, as when the blocks of all
 * take turns to be dispatched. It then runs slower and demands less. The rest follows from the contention model,
 * from what launches wait for those of other processes, and from the clock, which falls at the power limit. */
void sms__rate_coarse(struct sms__rater *rater, const struct sms__rated *rated, size_t count);

#endif
