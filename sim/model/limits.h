/* Limits of what files may say, on which several documents agree. */
#ifndef SMS_MODEL_LIMITS_H
#define SMS_MODEL_LIMITS_H

/* The clock's range: 2^64 ps are 213 days; a duration may take half of it. */
#define SMS__TIME_MAX_PS 9.0e18
#define SMS__CLOCK_PS 18446744073709551616.0

/* Cost of a launch, and least time between the starts of two blocks: a second. */
#define SMS__DISPATCH_MAX_PS 1e12

/* Jobs of a tenant; numbers of devices. */
enum { SMS__INDEX_MAX = 1000000, SMS__REPLICATIONS_MAX = 100000, SMS__CLUSTER_NODES_MAX = 1000000 };

/* Jobs of a tenant that may wait; more are rejected and counted. It may list as many arrivals, so that none of a list
 * is ever rejected. */
enum { SMS__BACKLOG_MAX = 65536, SMS__TIMES_MAX = SMS__BACKLOG_MAX };

/* The least precision that replications may be asked to reach: half of an interval over the mean. */
#define SMS__PRECISION_LEAST 1e-6

/* The least share of the SMs that active_threads may ask for. */
#define SMS__THREADS_LEAST 0.01

/* The most units that a double counts exactly. */
#define SMS__UNITS_MAX 9007199254740992.0
#define SMS__REPEAT_MAX 1e15
#define SMS__CPUS_MAX 1e6
#define SMS__HOST_BYTES_MAX 1e18

/* Jobs that are simulated to find how long more of them take by themselves. */
#define SMS__ALONE_JOBS 1024

#endif
