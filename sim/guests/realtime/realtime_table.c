/* The table of a node's monitor. Its sums over pods are kept up to date with each change; sms__tasks_sums adds them up
 * anew to check that. */
#include "table.h"

struct sms__monitored_pod *sms__tasks_add(struct sms__task_pool *pool, struct sms__task_table *table)
{
    struct sms__monitored_pod *pod = pool->pods;
    if (pod)
        pool->pods = pod->next;
    else
        pod = SMS__NEW(pool->arena, struct sms__monitored_pod, 1);
    *pod = (struct sms__monitored_pod){.next = table->pods, .link = &table->pods, .table = table};
    if (pod->next)
        pod->next->link = &pod->next;
    table->pods = pod;
    return pod;
}

struct sms__task *sms__tasks_add_task(struct sms__task_pool *pool, struct sms__monitored_pod *pod, uint64_t number)
{
    struct sms__task *task = pool->task;
    if (task)
        pool->task = task->next;
    else
        task = SMS__NEW(pool->arena, struct sms__task, 1);
    *task = (struct sms__task){.next = pod->task, .info = {.task = number}};
    pod->task = task;
    return task;
}

struct sms__task **sms__tasks_find_task(struct sms__monitored_pod *pod, uint64_t number)
{
    struct sms__task **at = &pod->task;
    while (*at && (*at)->info.task != number)
        at = &(*at)->next;
    return at;
}

void sms__tasks_drop_task(struct sms__task_pool *pool, struct sms__task **at)
{
    struct sms__task *task = *at;
    *at = task->next;
    task->next = pool->task;
    pool->task = task;
}

static void note(struct sms__spread_record *spread, sms__integral value)
{
    spread->least = spread->count == 0 || value < spread->least ? value : spread->least;
    spread->greatest = spread->count == 0 || value > spread->greatest ? value : spread->greatest;
    spread->sum += value;
    spread->count++;
}

void sms__note_float(struct sms__float_record *record, sms__integral float_ps)
{
    record->tasks++;
    record->missed += float_ps < 0;
    note(&record->spread, float_ps);
    if (float_ps < 0)
        sms__histogram_add(&record->late, (uint64_t)-float_ps);
    else
        sms__histogram_add(&record->early, (uint64_t)float_ps);
}

void sms__tasks_begin(struct sms__monitored_pod *pod, struct sms__task *task, uint64_t stamp,
                      struct sms__monitor_record *record)
{
    struct sms__task_info *info = &task->info;
    task->seen = true;
    info->start_ps = stamp;
    info->deadline_ps = (sms__integral)stamp + pod->deadline_ps;
    info->running = true;
    info->timed = pod->deadline_ps > 0;
    note(&record->start, (sms__integral)stamp - task->begin_ps);
    pod->table->known += info->timed && !pod->known;
    pod->known |= info->timed;
}

/* The latest result of a container leaves the node's sums. */
static void forget_latest(struct sms__monitored_pod *pod)
{
    if (pod->has_latest && pod->latest.timed) {
        pod->table->floats_ps -= pod->latest.float_ps;
        pod->table->misses -= !pod->latest.hit;
    }
    pod->has_latest = false;
}

static void keep_latest(struct sms__monitored_pod *pod, const struct sms__task_info *info)
{
    forget_latest(pod);
    pod->latest = *info;
    pod->has_latest = true;
    if (info->timed) {
        pod->table->floats_ps += info->float_ps;
        pod->table->misses += !info->hit;
    }
}

void sms__tasks_end(struct sms__task_pool *pool, struct sms__monitored_pod *pod, struct sms__task **at, uint64_t stamp,
                    struct sms__monitor_record *record)
{
    struct sms__task *task = *at;
    struct sms__task_info *info = &task->info;
    uint64_t lasted = task->end_ps - task->begin_ps, seen = stamp - info->start_ps;
    info->running = false;
    info->end_ps = stamp;
    info->float_ps = info->timed ? info->deadline_ps - stamp : 0;
    info->hit = info->float_ps >= 0; /* lines 28 to 31: 0 is a hit */
    note(&record->end, (sms__integral)stamp - task->end_ps);
    note(&record->run, (sms__integral)seen - lasted);
    if (info->timed)
        sms__note_float(&record->observed, info->float_ps);
    keep_latest(pod, info);
    sms__tasks_drop_task(pool, at);
}

void sms__tasks_remove(struct sms__task_pool *pool, struct sms__monitored_pod *pod)
{
    forget_latest(pod);
    pod->table->known -= pod->known;
    while (pod->task)
        sms__tasks_drop_task(pool, &pod->task);
    *pod->link = pod->next;
    if (pod->next)
        pod->next->link = pod->link;
    pod->next = pool->pods;
    pool->pods = pod;
}

struct sms__task_table sms__tasks_sums(const struct sms__task_table *table)
{
    struct sms__task_table sum = {.pods = table->pods};
    for (const struct sms__monitored_pod *pod = table->pods; pod; pod = pod->next) {
        bool counts = pod->has_latest && pod->latest.timed;
        sum.known += pod->known;
        sum.floats_ps += counts ? pod->latest.float_ps : 0;
        sum.misses += counts && !pod->latest.hit;
    }
    return sum;
}

static bool is_overdue(const struct sms__monitored_pod *pod, uint64_t now)
{
    bool late = false;
    for (const struct sms__task *task = pod->task; task; task = task->next)
        late |= task->seen && task->info.timed && task->info.deadline_ps < now;
    return late && !(pod->has_latest && !pod->latest.hit);
}

uint32_t sms__tasks_overdue(const struct sms__task_table *table, uint64_t now)
{
    uint32_t count = 0;
    for (const struct sms__monitored_pod *pod = table->pods; pod; pod = pod->next)
        count += is_overdue(pod, now);
    return count;
}
