#include "table.h"

struct sms__watched *sms__watch(struct sms__task_pool *pool, struct sms__task_table *table)
{
    struct sms__watched *watched = pool->watched;
    if (watched)
        pool->watched = watched->next;
    else
        watched = SMS__NEW(pool->arena, struct sms__watched, 1);
    *watched = (struct sms__watched){.next = table->watched, .link = &table->watched, .table = table};
    if (watched->next)
        watched->next->link = &watched->next;
    table->watched = watched;
    return watched;
}

struct sms__task *sms__watch_task(struct sms__task_pool *pool, struct sms__watched *watched, uint64_t number)
{
    struct sms__task *task = pool->task;
    if (task)
        pool->task = task->next;
    else
        task = SMS__NEW(pool->arena, struct sms__task, 1);
    *task = (struct sms__task){.next = watched->task, .info = {.task = number}};
    watched->task = task;
    return task;
}

struct sms__task **sms__find_task(struct sms__watched *watched, uint64_t number)
{
    struct sms__task **at = &watched->task;
    while (*at && (*at)->info.task != number)
        at = &(*at)->next;
    return at;
}

void sms__drop_task(struct sms__task_pool *pool, struct sms__task **at)
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

void sms__see_begin(struct sms__watched *watched, struct sms__task *task, uint64_t stamp,
                    struct sms__monitor_record *record)
{
    struct sms__task_info *info = &task->info;
    task->seen = true;
    info->start_ps = stamp;
    info->deadline_ps = (sms__integral)stamp + watched->deadline_ps;
    info->running = true;
    info->timed = watched->deadline_ps > 0;
    note(&record->start, (sms__integral)stamp - task->begin_ps);
    watched->table->known += info->timed && !watched->known;
    watched->known |= info->timed;
}

/* The latest result of a container leaves the node's sums. */
static void forget_latest(struct sms__watched *watched)
{
    if (watched->has_latest && watched->latest.timed) {
        watched->table->floats_ps -= watched->latest.float_ps;
        watched->table->misses -= !watched->latest.hit;
    }
    watched->has_latest = false;
}

static void keep_latest(struct sms__watched *watched, const struct sms__task_info *info)
{
    forget_latest(watched);
    watched->latest = *info;
    watched->has_latest = true;
    if (info->timed) {
        watched->table->floats_ps += info->float_ps;
        watched->table->misses += !info->hit;
    }
}

void sms__see_end(struct sms__task_pool *pool, struct sms__watched *watched, struct sms__task **at, uint64_t stamp,
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
    keep_latest(watched, info);
    sms__drop_task(pool, at);
}

void sms__see_removal(struct sms__task_pool *pool, struct sms__watched *watched)
{
    forget_latest(watched);
    watched->table->known -= watched->known;
    while (watched->task)
        sms__drop_task(pool, &watched->task);
    *watched->link = watched->next;
    if (watched->next)
        watched->next->link = watched->link;
    watched->next = pool->watched;
    pool->watched = watched;
}

struct sms__task_table sms__add_up(const struct sms__task_table *table)
{
    struct sms__task_table sum = {.watched = table->watched};
    for (const struct sms__watched *watched = table->watched; watched; watched = watched->next) {
        bool counts = watched->has_latest && watched->latest.timed;
        sum.known += watched->known;
        sum.floats_ps += counts ? watched->latest.float_ps : 0;
        sum.misses += counts && !watched->latest.hit;
    }
    return sum;
}

static bool is_overdue(const struct sms__watched *watched, uint64_t now)
{
    bool late = false;
    for (const struct sms__task *task = watched->task; task; task = task->next)
        late |= task->seen && task->info.timed && task->info.deadline_ps < now;
    return late && !(watched->has_latest && !watched->latest.hit);
}

uint32_t sms__count_overdue(const struct sms__task_table *table, uint64_t now)
{
    uint32_t count = 0;
    for (const struct sms__watched *watched = table->watched; watched; watched = watched->next)
        count += is_overdue(watched, now);
    return count;
}
