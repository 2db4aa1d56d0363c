/* Finds records again after the plan was edited. Adding values to an axis or reordering them renumbers the points, but
 * each point keeps its key and so its results. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

static bool grow_records(struct sms__rekey *rekey)
{
    size_t capacity = rekey->capacity ? rekey->capacity * 2 : 256;
    struct sms__stale_record *grown = realloc(rekey->record, capacity * sizeof *grown);
    if (!grown)
        return false;
    rekey->record = grown;
    rekey->capacity = capacity;
    return true;
}

/* Trying many lists, or long ones, for every point costs more than loading each point to learn its own list. */
static bool add_models(struct sms__rekey *rekey, const char *models)
{
    for (unsigned i = 0; i < rekey->lists; i++)
        if (!strcmp(rekey->models[i], models))
            return true;
    rekey->many = rekey->many || rekey->lists == SMS__REKEY_LISTS || strlen(models) > SMS__REKEY_LIST_BYTES;
    if (rekey->many)
        return true;
    rekey->models[rekey->lists] = strdup(models);
    return rekey->models[rekey->lists] && ++rekey->lists;
}

bool sms__rekey_add(struct sms__rekey *rekey, const struct sms__point_head *head,
                    const struct sms__record_location *location)
{
    if (!add_models(rekey, head->models) || (rekey->records == rekey->capacity && !grow_records(rekey)))
        return false;
    struct sms__stale_record *record = &rekey->record[rekey->records++];
    memcpy(record->key, head->key, sizeof record->key);
    record->location = *location;
    return true;
}

/* Orders records by key, then in the order in which they were found. */
static int compare_records(const void *a, const void *b)
{
    const struct sms__stale_record *x = a, *y = b;
    int order = memcmp(x->key, y->key, sizeof x->key);
    if (order)
        return order;
    if (x->location.journal != y->location.journal)
        return x->location.journal < y->location.journal ? -1 : 1;
    return x->location.offset < y->location.offset ? -1 : x->location.offset > y->location.offset;
}

/* Number of records whose key is not greater. If any record has this key, the last of them does. */
static size_t upper_bound(const struct sms__rekey *rekey, const unsigned char key[SMS__KEY_BYTES])
{
    size_t from = 0, to = rekey->records;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (memcmp(rekey->record[middle].key, key, SMS__KEY_BYTES) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Equal points may share a record. All records with this key then belong to the plan and are no longer stale. */
static bool claim_record(struct sms__rekey *rekey, uint64_t point, const unsigned char key[SMS__KEY_BYTES])
{
    size_t last = upper_bound(rekey, key);
    if (last == 0 || memcmp(rekey->record[last - 1].key, key, SMS__KEY_BYTES) != 0)
        return false;
    sms__index_set(rekey->index, point, &rekey->record[last - 1].location);
    for (size_t i = last; i > 0 && !memcmp(rekey->record[i - 1].key, key, SMS__KEY_BYTES); i--) {
        rekey->index->stale -= !rekey->record[i - 1].location.matched;
        rekey->record[i - 1].location.matched = true;
    }
    return true;
}

static bool try_models(struct sms__rekey *rekey, uint64_t point, const char *models)
{
    unsigned char key[SMS__KEY_BYTES];
    return sms__point_key(rekey->context, point, models, key) && claim_record(rekey, point, key);
}

static void try_own_models(struct sms__rekey *rekey, uint64_t point)
{
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    char *models = NULL;
    sms__point_load(rekey->context, point, &file, &models, &errors); /* a point that fails to load has a record, too */
    if (models)
        try_models(rekey, point, models);
    free(models);
    sms_file_free(file);
}

static void find_record(struct sms__rekey *rekey, uint64_t point)
{
    bool found = false;
    if (rekey->many) {
        try_own_models(rekey, point);
        return;
    }
    for (unsigned i = 0; i < rekey->lists && !found; i++)
        found = try_models(rekey, point, rekey->models[i]);
}

void sms__rekey_missing(struct sms__rekey *rekey, struct sms__shard shard)
{
    const struct sms__index *index = rekey->index;
    uint64_t points = index->plan->points;
    if (rekey->records == 0 || index->done + index->failed == points)
        return;
    qsort(rekey->record, rekey->records, sizeof *rekey->record, compare_records);
    for (uint64_t p = shard.idx - 1; p < points; p += shard.count)
        if (index->location[p].state == SMS__POINT_MISSING)
            find_record(rekey, p);
}

void sms__rekey_free(struct sms__rekey *rekey)
{
    for (unsigned i = 0; i < rekey->lists; i++)
        free(rekey->models[i]);
    free(rekey->record);
    *rekey = (struct sms__rekey){0};
}
