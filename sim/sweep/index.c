/* Finds the points whose results are in the stores of a sweep's folder. A record counts for the point whose key it has.
 * That is the point that the record names, unless the plan was edited: adding values to an axis or reordering them
 * renumbers the points, but each keeps its key and so its results. */
#include "store.h"

#include "../base/room.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { STORES_MAX = 65535 };

/* Where a point is in the plan now. */
struct place {
    uint64_t name, point;
    bool shared; /* the first of a name: all of that name have a record */
};

struct scan {
    struct sms__worker_context *context;
    struct sms__index *index;
    size_t store;
    struct place *place; /* [points], by name; NULL until a record does not belong to the point that it names */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct sms__indexed_store *)a)->name, ((const struct sms__indexed_store *)b)->name);
}

static int add_store(struct sms__index *index, const char *name, struct sms__shard shard)
{
    if (index->stores == STORES_MAX)
        return SMS_EIO;
    struct sms__indexed_store *grown = sms__room(index->store, index->stores, sizeof *grown);
    if (!grown)
        return SMS_ENOMEM;
    index->store = grown;
    grown[index->stores] = (struct sms__indexed_store){.shard = shard};
    snprintf(grown[index->stores++].name, SMS__STORE_NAME_BYTES, "%s", name);
    return SMS_OK;
}

/* A missing folder has no stores. */
static int list_stores(struct sms__index *index, struct sms_errors *errors)
{
    struct sms__shard shard;
    int code = SMS_OK;
    DIR *dir = opendir(index->folder);
    if (!dir)
        return errno == ENOENT ? SMS_OK : sms__fail(errors, SMS_EIO, index->folder, "%s", strerror(errno));
    for (const struct dirent *entry = readdir(dir); entry && code == SMS_OK; entry = readdir(dir))
        if (sms__store_parse(entry->d_name, &shard))
            code = add_store(index, entry->d_name, shard);
    closedir(dir);
    if (code && !errors->count)
        sms__fail(errors, code, index->folder, code == SMS_EIO ? "more than 65535 shards" : "out of memory");
    if (index->stores)
        qsort(index->store, index->stores, sizeof *index->store, compare_names);
    return code;
}

static unsigned common_divisor(unsigned a, unsigned b) { return b ? common_divisor(b, a % b) : a; }

/* Two shards share no point if their indexes differ modulo the greatest common divisor of their counts. */
static bool may_overlap(struct sms__shard one, struct sms__shard other)
{
    const unsigned divisor = common_divisor(one.count, other.count);
    return (one.idx - 1) % divisor == (other.idx - 1) % divisor;
}

static void set_point(struct sms__index *index, uint64_t point, const struct sms__location *location)
{
    struct sms__location *entry = &index->location[point];
    index->done -= entry->state == SMS__POINT_DONE;
    index->failed -= entry->state == SMS__POINT_FAILED;
    *entry = *location;
    index->done += entry->state == SMS__POINT_DONE;
    index->failed += entry->state == SMS__POINT_FAILED;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->name > y->name) - (x->name < y->name);
}

static int find_places(struct scan *scan)
{
    const size_t points = (size_t)scan->index->plan->points;
    scan->place = calloc(points, sizeof *scan->place);
    for (size_t p = 0; p < points && scan->place; p++) {
        scan->place[p].point = p;
        if (!sms__point_key(scan->context, p, NULL, &scan->place[p].name, NULL))
            return SMS_ENOMEM;
    }
    if (!scan->place)
        return SMS_ENOMEM;
    qsort(scan->place, points, sizeof *scan->place, compare_places);
    return SMS_OK;
}

/* Gives a record to a point if it has the point's key. If a point has several records, the last one counts. */
static bool use_record(struct scan *scan, uint64_t point, const struct sms__point_record *record, int64_t id)
{
    struct sms__location location = {
        id, (uint16_t)scan->store, record->failed ? SMS__POINT_FAILED : SMS__POINT_DONE, {0}};
    unsigned char key[SMS__KEY_BYTES];
    if (point >= scan->index->plan->points || !sms__point_key(scan->context, point, record->models, NULL, key) ||
        memcmp(key, record->key, sizeof key) != 0)
        return false;
    memcpy(location.key, record->key, sizeof location.key);
    set_point(scan->index, point, &location);
    return true;
}

/* Equal points share a record: the first one, because there may be as many records as points. */
static int add_record(void *user, const struct sms__point_record *record, int64_t id)
{
    struct scan *scan = user;
    const size_t points = (size_t)scan->index->plan->points;
    size_t from = 0, to = points;
    scan->index->store[scan->store].records++;
    if (use_record(scan, record->point, record, id) && !scan->place)
        return SMS_OK;
    if (!scan->place && find_places(scan))
        return SMS_ENOMEM;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (scan->place[middle].name < record->name)
            from = middle + 1;
        else
            to = middle;
    }
    const size_t first = from;
    bool used = false;
    while (from < points && scan->place[from].name == record->name && !(used && scan->place[first].shared))
        used = use_record(scan, scan->place[from++].point, record, id) || used;
    if (used)
        scan->place[first].shared = true;
    scan->index->stale += !used;
    return SMS_OK;
}

static int scan_store(struct scan *scan, struct sms_errors *errors)
{
    struct sms__indexed_store *store = &scan->index->store[scan->store];
    char path[SMS__PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", scan->index->folder, store->name);
    store->running = sms__store_is_running(scan->index->folder, store->name);
    int code = sms__store_reader_open(scan->index->folder, store->name, &store->reader, errors);
    if (code == SMS_OK)
        code = sms__store_scan(&store->reader, path, add_record, scan, errors);
    sms__store_reader_close(&store->reader);
    return code;
}

static bool is_missing(const struct sms__index *index, struct sms__shard shard)
{
    for (uint64_t p = shard.idx - 1; p < index->plan->points; p += shard.count)
        if (index->location[p].state == SMS__POINT_MISSING)
            return true;
    return false;
}

/* A shard without missing points is finished, even if its lock was just touched. */
static void find_finished(struct sms__index *index)
{
    for (size_t i = 0; i < index->stores; i++)
        index->store[i].running = index->store[i].running && is_missing(index, index->store[i].shard);
}

/* The rest of the process needs the other half. */
static size_t half_of_file_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : (size_t)limit.rlim_cur / 2;
}

int sms__index_open(struct sms__worker_context *context, const char *folder, struct sms__shard shard,
                    struct sms__index *index, struct sms_errors *errors)
{
    *index = (struct sms__index){
        .plan = context->plan, .folder = folder, .max_open = half_of_file_limit(), .wanted = context->plan->points};
    index->location = calloc((size_t)context->plan->points + 1, sizeof *index->location);
    if (!index->location)
        return sms__fail(errors, SMS_ENOMEM, folder, "out of memory");
    int code = list_stores(index, errors);
    struct scan scan = {.context = context, .index = index};
    for (; code == SMS_OK && scan.store < index->stores; scan.store++)
        if (may_overlap(index->store[scan.store].shard, shard))
            code = scan_store(&scan, errors);
    find_finished(index);
    free(scan.place);
    if (code)
        sms__index_close(index);
    return code;
}

void sms__index_close(struct sms__index *index)
{
    for (size_t i = 0; i < index->stores; i++)
        sms__store_reader_close(&index->store[i].reader);
    free(index->store);
    free(index->location);
    free(index->content.bytes);
    *index = (struct sms__index){0};
}

const char *sms__index_store(const struct sms__index *index, uint64_t point)
{
    return index->location[point].state ? index->store[index->location[point].store].name : "";
}

/* Consecutive points are in the stores of consecutive shards. Closing the least recently used store would close the one
 * that is needed next, so the first max_open stores stay open instead. */
bool sms__index_record(struct sms__index *index, uint64_t point, struct sms__point_record *record)
{
    const struct sms__location *location = &index->location[point];
    struct sms__indexed_store *store = &index->store[location->store];
    struct sms_errors ignored = {0};
    if (index->passing != location->store && index->passing >= index->max_open)
        sms__store_reader_close(&index->store[index->passing].reader);
    index->passing = location->store;
    if (!store->reader.file && sms__store_reader_open(index->folder, store->name, &store->reader, &ignored))
        return false;
    /* The file may have been replaced since it was scanned. */
    return sms__store_get(&store->reader, location->id, record) &&
           !memcmp(record->key, location->key, sizeof location->key) && sms__record_unpack(record, &index->content);
}
