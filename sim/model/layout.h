/* Layouts: which instances a device is split into, and where each lies. `mode: {mig: ...}` of processes and the nodes
 * of clusters have the same. */
#ifndef SMS_MODEL_LAYOUT_H
#define SMS_MODEL_LAYOUT_H

#include "device_model.h"

/* Most instances of a device. */
enum { SMS__INSTANCES_MAX = SMS__SLICES_MAX };

/* The instances of one device, as they are listed. */
struct sms__layout {
    const struct sms__mig_profile *profile[SMS__INSTANCES_MAX];
    uint8_t start[SMS__INSTANCES_MAX]; /* its first slice: of all ways to place the list, the first in order */
    size_t count;
};

/* layout.c: reads a list of profiles' names, of which each must find free slices on the device beside the others
 * (NVIDIA MIG User Guide, "placements"; a sheet's `starts`). Returns false with the problem reported. */
bool sms__read_layout(struct sms__reader *reader, const struct sms__node *list, const struct sms__device *device,
                      struct sms__layout *layout);
/* Sets where the layout's instances lie. False: they find no places beside each other. */
bool sms__place_layout(struct sms__layout *layout);
/* The profile of that name, or NULL. */
const struct sms__mig_profile *sms__find_profile(const struct sms__mig *mig, const char *name);
/* An instance as a device of its own: bandwidths and capacities that the whole device shares are split by slices; SMs
 * are the profile's. It lives in the reader's arena. */
const struct sms__device *sms__make_instance(struct sms__reader *reader, const struct sms__device *board,
                                             const struct sms__mig_profile *profile);

#endif
