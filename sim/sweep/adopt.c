/* Records of points that have another number now: values that were added to an axis, or put into another order, number
 * points anew, and change nothing of them. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct sms__adopt *adopt)
{
    size_t capacity = adopt->capacity ? adopt->capacity * 2 : 256;
    struct sms__stale *grown = realloc(adopt->record, capacity * sizeof *grown);
    if (!grown)
        return false;
    adopt->record = grown;
    adopt->capacity = capacity;
    return true;
}

/* Long lists, or more than a few, are not tried for every point: to load a point tells its own. */
static bool note_models(struct sms__adopt *adopt, const char *models)
{
    for (unsigned i = 0; i < adopt->lists; i++)
        if (!strcmp(adopt->models[i], models))
            return true;
    adopt->many = adopt->many || adopt->lists == SMS__ADOPT_LISTS || strlen(models) > SMS__ADOPT_LIST_BYTES;
    if (adopt->many)
        return true;
    adopt->models[adopt->lists] = strdup(models);
    return adopt->models[adopt->lists] && ++adopt->lists;
}

bool sms__adopt_keep(struct sms__adopt *adopt, const struct sms__point_head *head, const struct sms__where *where)
{
    if (!note_models(adopt, head->models) || (adopt->records == adopt->capacity && !grow(adopt)))
        return false;
    struct sms__stale *record = &adopt->record[adopt->records++];
    memcpy(record->key, head->key, sizeof record->key);
    record->where = *where;
    return true;
}

/* Those of one key in the order in which they were found. */
static int by_key(const void *a, const void *b)
{
    const struct sms__stale *x = a, *y = b;
    int order = memcmp(x->key, y->key, sizeof x->key);
    if (order)
        return order;
    if (x->where.journal != y->where.journal)
        return x->where.journal < y->where.journal ? -1 : 1;
    return x->where.offset < y->where.offset ? -1 : x->where.offset > y->where.offset;
}

/* How many have no later key: the last of them is the one, if any is. */
static size_t count_until(const struct sms__adopt *adopt, const unsigned char key[SMS__KEY_BYTES])
{
    size_t from = 0, to = adopt->records;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (memcmp(adopt->record[middle].key, key, SMS__KEY_BYTES) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Points that are equal may share a record. Those before it that have its key are of the plan, too. */
static bool take(struct sms__adopt *adopt, uint64_t point, const unsigned char key[SMS__KEY_BYTES])
{
    size_t last = count_until(adopt, key);
    if (last == 0 || memcmp(adopt->record[last - 1].key, key, SMS__KEY_BYTES) != 0)
        return false;
    sms__index_take(adopt->index, point, &adopt->record[last - 1].where);
    for (size_t i = last; i > 0 && !memcmp(adopt->record[i - 1].key, key, SMS__KEY_BYTES); i--) {
        adopt->index->stale -= !adopt->record[i - 1].where.taken;
        adopt->record[i - 1].where.taken = true;
    }
    return true;
}

static bool try_models(struct sms__adopt *adopt, uint64_t point, const char *models)
{
    unsigned char key[SMS__KEY_BYTES];
    return sms__point_key(adopt->reach, point, models, key) && take(adopt, point, key);
}

static void load_and_try(struct sms__adopt *adopt, uint64_t point)
{
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    char *models = NULL;
    sms__point_load(adopt->reach, point, &file, &models, &errors); /* one that cannot be has failed, and its record */
    if (models)
        try_models(adopt, point, models);
    free(models);
    sms_file_free(file);
}

static void look_for(struct sms__adopt *adopt, uint64_t point)
{
    bool found = false;
    if (adopt->many) {
        load_and_try(adopt, point);
        return;
    }
    for (unsigned i = 0; i < adopt->lists && !found; i++)
        found = try_models(adopt, point, adopt->models[i]);
}

void sms__adopt_missing(struct sms__adopt *adopt, struct sms__shard shard)
{
    const struct sms__index *index = adopt->index;
    uint64_t points = index->plan->points;
    if (adopt->records == 0 || index->done + index->failed == points)
        return;
    qsort(adopt->record, adopt->records, sizeof *adopt->record, by_key);
    for (uint64_t p = shard.idx - 1; p < points; p += shard.count)
        if (index->where[p].state == SMS__POINT_MISSING)
            look_for(adopt, p);
}

void sms__adopt_free(struct sms__adopt *adopt)
{
    for (unsigned i = 0; i < adopt->lists; i++)
        free(adopt->models[i]);
    free(adopt->record);
    *adopt = (struct sms__adopt){0};
}
