/* What a node's monitor knows: Algorithm 1 of Kang 2022. For monitor.c and sights.c alone. */
#ifndef SMS_LEVELS_CLUSTER_REALTIME_TABLE_H
#define SMS_LEVELS_CLUSTER_REALTIME_TABLE_H

#include "monitor.h"

struct sms__task {
    struct sms__task *next; /* of its container, or among those to use again */
    uint64_t begin_ps, end_ps;
    uint64_t seen_ps; /* when it is seen to begin */
    bool over;        /* it has ended, at end_ps, whether that was seen or not */
    bool seen;
    struct sms__task_info info;
};

/* A container on a node. */
struct sms__watched {
    struct sms__watched *next; /* of its node, or among those to use again */
    struct sms__watched **link;
    struct sms__task_table *table;
    size_t container, node;
    uint64_t deadline_ps;
    uint64_t last_at; /* when the latest of what it has done is seen */
    struct sms__task *task;
    bool known; /* it has a record, and counts */
    bool has_latest;
    struct sms__task_info latest;
};

/* Of a node. */
struct sms__task_table {
    struct sms__watched *watched;
    sms__integral floats_ps; /* of the latest results, added up */
    uint32_t known, misses;  /* containers with a deadline: with a record, with a miss as latest result */
};

/* What is used again. */
struct sms__task_pool {
    struct sms__arena *arena;
    struct sms__watched *watched;
    struct sms__task *task;
};

/* A container on the node, of which nothing is known yet. */
struct sms__watched *sms__watch(struct sms__task_pool *pool, struct sms__task_table *table);
/* A task of it that nobody has seen. */
struct sms__task *sms__watch_task(struct sms__task_pool *pool, struct sms__watched *watched, uint64_t number);

/* The link to the task; the link's target is NULL if it has none of that number. */
struct sms__task **sms__find_task(struct sms__watched *watched, uint64_t number);
void sms__drop_task(struct sms__task_pool *pool, struct sms__task **at);

/* Algorithm 1: a process that is new, at the time that the monitor stamps it with: its record is made, once. */
void sms__see_begin(struct sms__watched *watched, struct sms__task *task, uint64_t stamp,
                    struct sms__monitor_record *record);
/* One that has vanished. */
void sms__see_end(struct sms__task_pool *pool, struct sms__watched *watched, struct sms__task **at, uint64_t stamp,
                  struct sms__monitor_record *record);
/* A container that was removed: its records are freed. */
void sms__see_removal(struct sms__task_pool *pool, struct sms__watched *watched);

/* What the table has added up, anew from its containers: for --check. */
struct sms__task_table sms__add_up(const struct sms__task_table *table);

/* Notes how much time a job left until its deadline. */
void sms__note_float(struct sms__float_record *record, sms__integral float_ps);

/* Containers with a task that runs beyond its deadline, and with no miss as latest result anyway. */
uint32_t sms__count_overdue(const struct sms__task_table *table, uint64_t now);

#endif
