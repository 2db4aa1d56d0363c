/* What a node's monitor knows: Algorithm 1 of Kang 2022. For monitor.c and observations.c alone. */
#ifndef SMS_GUESTS_REALTIME_TABLE_H
#define SMS_GUESTS_REALTIME_TABLE_H

#include "monitor.h"

struct sms__task {
    struct sms__task *next; /* of its pod, or for reuse */
    uint64_t begin_ps, end_ps;
    uint64_t seen_ps; /* when its begin is observed */
    bool over;        /* it has ended, at end_ps, observed or not */
    bool seen;
    struct sms__task_info info;
};

/* A pod on a node; to the monitor it is a container. */
struct sms__monitored_pod {
    struct sms__monitored_pod *next; /* of its node, or for reuse */
    struct sms__monitored_pod **link;
    struct sms__task_table *table;
    size_t container, node;
    uint64_t deadline_ps;
    uint64_t last_at; /* when its latest event is observed */
    struct sms__task *task;
    bool known; /* it has a record, and counts */
    bool has_latest;
    struct sms__task_info latest;
};

/* The table of a node. */
struct sms__task_table {
    struct sms__monitored_pod *pods;
    sms__integral floats_ps; /* sum over the latest results */
    uint32_t known, misses;  /* pods with a deadline: with a record, with a miss as latest result */
};

/* Pods and tasks for reuse. */
struct sms__task_pool {
    struct sms__arena *arena;
    struct sms__monitored_pod *pods;
    struct sms__task *task;
};

/* Adds a pod, of which nothing is known yet. */
struct sms__monitored_pod *sms__tasks_add(struct sms__task_pool *pool, struct sms__task_table *table);
/* Adds a task of it that has not been observed. */
struct sms__task *sms__tasks_add_task(struct sms__task_pool *pool, struct sms__monitored_pod *pod, uint64_t number);

/* The link to the task; the link's target is NULL if it has none of that number. */
struct sms__task **sms__tasks_find_task(struct sms__monitored_pod *pod, uint64_t number);
void sms__tasks_drop_task(struct sms__task_pool *pool, struct sms__task **at);

/* Algorithm 1: a process is new, at the time that the monitor stamps it with. */
void sms__tasks_begin(struct sms__monitored_pod *pod, struct sms__task *task, uint64_t stamp,
                      struct sms__monitor_record *record);
/* A process has vanished. */
void sms__tasks_end(struct sms__task_pool *pool, struct sms__monitored_pod *pod, struct sms__task **at, uint64_t stamp,
                    struct sms__monitor_record *record);
/* A pod was removed: its records are freed. */
void sms__tasks_remove(struct sms__task_pool *pool, struct sms__monitored_pod *pod);

/* The sums of the table, added up anew, for --check. */
struct sms__task_table sms__tasks_sums(const struct sms__task_table *table);

/* Notes how much time a job left until its deadline. */
void sms__note_float(struct sms__float_record *record, sms__integral float_ps);

/* The number of pods with a task that runs beyond its deadline and without a miss as latest result. */
uint32_t sms__tasks_overdue(const struct sms__task_table *table, uint64_t now);

#endif
