/* A device, as `device:` documents say: its SMs, resources, link, power, and the instances that it can be split into.
 * Times are picoseconds, sizes bytes, ratios 1.0 for 100 %. All of it lives in the arena of the struct sms_file that it
 * was read for, and never changes. */
#ifndef SMS_MODEL_DEVICE_MODEL_H
#define SMS_MODEL_DEVICE_MODEL_H

#include <smsched/policy.h>

#include "../yaml/fields.h"

/* A demand above this many SMs is a mistake, not a measurement. */
#define SMS__DEMAND_MAX 16.0

/* Sizes of shared memory that a file may list. */
enum { SMS__CARVEOUTS_MAX = 32 };

/* Slices of memory of a device that is split into instances. */
enum { SMS__SLICES_MAX = 8 };

/* Written as a share of an SM, or, of a resource with a capacity, as a count of its units. */
struct sms__demand {
    const char *resource;
    double ratio;
    bool bare; /* a number without %: a count where the resource has a capacity */
    const struct sms__node *node, *value;
};

/* Load that is always there, on one SM (worked examples, other tenants). */
struct sms__background {
    uint64_t sm;
    struct sms__demand *demand;
    size_t demands;
    const struct sms__node *node;
};

struct sms__resource {
    const char *name;
    int cls, scope;    /* enum sms_class, enum sms_scope */
    int hard;          /* never used beyond 100 %, whatever the policy */
    uint64_t capacity; /* in units of its own: of one SM, or of the device for scope device; 0: it has none */
    double knee;       /* exponent of the contention model knee; 0: not known */
    double warps;      /* of an SM that fill it, where each waits for its last result; 0: not known */
    double lanes;      /* results per cycle and SM; 0: not known */
    double bandwidth;  /* bytes/s; 0: not known */
    double reached;    /* share of the bandwidth that kernels bound by it get; 0: not known */
};

struct sms__sm {
    uint64_t warp; /* threads of a warp (AMD: wavefront) */
    uint64_t threads, warps, blocks, registers, shared_memory;
    uint64_t threads_per_block, registers_per_thread, register_unit, register_partitions;
    uint64_t shared_memory_unit, shared_memory_reserved, shared_memory_per_block;
};

/* One kind of instance that a device can be split into. */
struct sms__mig_profile {
    const char *name;
    uint64_t sms, memory; /* SMs, bytes */
    uint64_t slices;      /* of memory and bandwidth, out of those of the device */
    uint64_t start;       /* bit s: an instance may begin at slice s */
};

struct sms__mig {
    uint64_t slices; /* of memory */
    struct sms__mig_profile *profile;
    size_t profiles;
};

/* A device that can be split into instances, or an instance. */
struct sms__mig_role {
    struct sms__mig *sheet;                 /* NULL: it has no instances */
    const struct sms__device *board;        /* of an instance: the device that it is a part of; else NULL */
    const struct sms__mig_profile *profile; /* of an instance: its own there; else NULL */
};

/* How blocks come to the SMs. All 0: at once. */
struct sms__dispatch {
    double launch_ps;  /* of a launch, until its first block may start */
    uint64_t block_ps; /* least time between the starts of two blocks on the device */
};

/* What a context waits for that comes to one that had the device alone: a whole slice of that one, or the rest of the
 * slice under way, where slices are counted from when that one got the device. */
enum sms__newcomer { SMS__WHOLE_SLICE, SMS__REST_OF_SLICE };

/* How its contexts take turns, where the device says it. */
struct sms__turns {
    double slice_ps;  /* 0: not known */
    double switch_ps; /* below 0: not known */
    int newcomer;     /* enum sms__newcomer; below 0: not known */
};

/* MPS on the device: processes at most, with drivers of today and before, and SMs of a chunk, of which static
 * partitions are made; and SMs of the least green context, and by which larger ones grow. 0: not known. */
struct sms__mps_limits {
    uint64_t clients, clients_before, chunk;
    uint64_t green_least, green_step;
};

/* What its sheet needs beside the values of the model (sheet.h). */
struct sms__about {
    const char *inherits;                             /* the name of its base; "" */
    const struct sms__device *base;                   /* whose values it takes where it gives none; NULL */
    const char *family;                               /* of models/families.yaml; "" */
    const struct sms__node *family_node;              /* its document; NULL */
    const char *process;                              /* in which the chip is made, as "12 nm"; "" */
    const struct sms__node *sources, *family_sources; /* maps of rows of the sheet to texts; NULL */
    const struct sms__node *carveouts;                /* list of sizes of shared memory to choose from; NULL */
    unsigned v100s; /* the values of its SM that nobody gave, so that they are a V100's: bits of sms__sm_fields */
    double fp32_pj; /* energy of an fp32 result at the power limit, of the whole device; 0: not known */
};

struct sms__device {
    const char *name, *title, *source;
    const char *capability; /* "7.0"; "" */
    struct sms__about about;
    const struct sms__node *node;
    uint64_t grids; /* that it has at once; 0: no limit */
    struct sms__mps_limits mps;
    double clock_hz;
    uint64_t sms, memory;
    double link_bandwidth;  /* of each direction; 0: copies take no time */
    double copy_in_most;    /* bytes/s of one copy; 0: as much as the link has */
    double copy_out_most;   /* the same, device to host */
    double copy_out_spread; /* by which part each further copy out under way lengthens all of them */
    double idle_w, busy_w;
    double limit_w;    /* at which the clock falls; 0: none */
    double shared_w;   /* while two or more processes are on it; 0: as busy_w says */
    double compute_hz; /* of the SMs while their fp32 units are full, under the power limit; 0: not known; sheet.h */
    struct sms__turns turns;
    struct sms__mig_role mig;
    struct sms__sm sm;
    struct sms__dispatch dispatch;
    struct sms__resource resource[SMS_RESOURCES_MAX];
    size_t resources;
    struct sms__background *background;
    size_t backgrounds;
    struct sms_device_view view; /* what policies see */
    struct sms_resource_view resource_view[SMS_RESOURCES_MAX];
};

/* The device that it is a part of, or the device itself. */
static inline const struct sms__device *sms__whole_device(const struct sms__device *device)
{
    return device->mig.board ? device->mig.board : device;
}

/* How much it has of the device-wide resources of the device that it is a part of; 1: it is whole. */
static inline double sms__share_of_board(const struct sms__device *device)
{
    return device->mig.board ? (double)device->mig.profile->slices / (double)device->mig.board->mig.sheet->slices : 1;
}

/* device_model.c: reads one document, whose `inherits` names `base`; NULL: none. In a guard; problems go to
 * reader->errors. */
void sms__read_device(struct sms__reader *reader, const struct sms__node *node, const struct sms__device *base,
                      struct sms__device *device);
/* Changes the device, a copy of another, by the keys of an entry `node` that are not its name. */
void sms__override_device(struct sms__reader *reader, const struct sms__node *node, const struct sms__node *keys,
                          struct sms__device *device);
/* Checks the device, and fills in what policies see of it. */
void sms__finish_device(struct sms__reader *reader, struct sms__device *device);
/* The index of a resource on a device, or -1. */
int sms__resource_index(const struct sms__device *device, const char *name);
extern const struct sms__field sms__device_fields[], sms__sm_fields[];
/* Choices of `newcomer`, for a device and for a mode. */
extern const char *const sms__newcomers[];
/* For `smsched list fields`; ends with a title of NULL. */
const struct sms__table *sms__device_tables(void);

/* demand.c: returns whether a demand is at most this share, and reports otherwise. */
bool sms__expect_share(struct sms__reader *reader, const struct sms__demand *demand, double most);

/* Its capacity of resource `r`, in what one SM of a whole device has: its SMs, unless it is an instance, which may have
 * more or less of a device-wide resource. */
static inline double sms__capacity_sms(const struct sms__device *device, size_t r)
{
    bool has_share = device->mig.board && device->resource[r].scope == SMS_SCOPE_DEVICE;
    return has_share ? (double)device->mig.board->sms * sms__share_of_board(device) : (double)device->sms;
}

/* workload.c: a demand of a block, or of a background. */
void sms__read_demand(struct sms__reader *reader, const struct sms__node *node, struct sms__demand **demand,
                      size_t *count);

/* mig.c: a device's `mig:`. */
void sms__read_mig(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__mig_fields[];
extern const struct sms__table sms__mig_tables[3]; /* ends with a title of NULL */

#endif
