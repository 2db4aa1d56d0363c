/* Finds the points whose results are in the stores of a sweep's folder. A record counts for the point whose key it has.
 * That is the point that the record names, unless the plan was edited: adding values to an axis or reordering them
 * renumbers the points, but each keeps its key and so its results. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Trying more lists of models than LISTS for each point, or long ones, costs more than loading each point. */
enum { STORES_MAX = 65535, LISTS = 8, LIST_BYTES = 65536 };

/* A record whose key is not that of the point it names. */
struct stale {
    unsigned char key[SMS__KEY_BYTES];
    struct sms__location location;
    bool used; /* by a point */
};

struct scan {
    struct sms__worker_context *context;
    struct sms__index *index;
    size_t store;
    struct stale *stale;
    size_t stales;
    char *models[LISTS]; /* distinct lists of models in the stale records */
    unsigned lists;
    bool many; /* the records have more lists, or a long one */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct sms__indexed_store *)a)->name, ((const struct sms__indexed_store *)b)->name);
}

/* Makes room for one more item. Returns NULL without memory; the old list then stays valid. */
static void *grow(void *list, size_t count, size_t size)
{
    bool full = (count & (count - 1)) == 0; /* at each power of two */
    return full ? realloc(list, (count ? count * 2 : 1) * size) : list;
}

static int add_store(struct sms__index *index, const char *name)
{
    if (index->stores == STORES_MAX)
        return SMS_EIO;
    struct sms__indexed_store *grown = grow(index->store, index->stores, sizeof *grown);
    if (!grown)
        return SMS_ENOMEM;
    index->store = grown;
    grown[index->stores] = (struct sms__indexed_store){0};
    snprintf(grown[index->stores++].name, SMS__STORE_NAME_BYTES, "%s", name);
    return SMS_OK;
}

/* Versions before 2 kept the points in files of their own format. */
static bool is_old_journal(const char *name)
{
    const char *end = strrchr(name, '.');
    return name[0] >= '0' && name[0] <= '9' && strstr(name, "-of-") && end && !strcmp(end, ".journal");
}

/* A missing folder has no stores. */
static int list_stores(struct sms__index *index, struct sms_errors *errors)
{
    struct sms__shard shard;
    const char *machine;
    char path[SMS__PATH_BYTES];
    int code = SMS_OK;
    DIR *dir = opendir(index->folder);
    if (!dir)
        return errno == ENOENT ? SMS_OK : sms__fail(errors, SMS_EIO, index->folder, "%s", strerror(errno));
    for (const struct dirent *entry = readdir(dir); entry && code == SMS_OK; entry = readdir(dir)) {
        if (sms__store_parse(entry->d_name, &shard, &machine))
            code = add_store(index, entry->d_name);
        if (!is_old_journal(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", index->folder, entry->d_name);
        code = sms__fail(errors, SMS_EINPUT, path,
                         "is the journal of an earlier version, which this one cannot read; move it away to run its "
                         "points again");
    }
    closedir(dir);
    if (code && !errors->count)
        sms__fail(errors, code, index->folder, code == SMS_EIO ? "more than 65535 shards" : "out of memory");
    if (index->stores)
        qsort(index->store, index->stores, sizeof *index->store, compare_names);
    return code;
}

static unsigned common_divisor(unsigned a, unsigned b) { return b ? common_divisor(b, a % b) : a; }

/* Two shards share no point if their indexes differ modulo the greatest common divisor of their counts. */
static bool may_overlap(const char *name, struct sms__shard shard)
{
    struct sms__shard other;
    const char *machine;
    if (!sms__store_parse(name, &other, &machine))
        return false;
    unsigned divisor = common_divisor(other.count, shard.count);
    return (other.idx - 1) % divisor == (shard.idx - 1) % divisor;
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

static bool add_models(struct scan *scan, const char *models)
{
    for (unsigned i = 0; i < scan->lists; i++)
        if (!strcmp(scan->models[i], models))
            return true;
    scan->many = scan->many || scan->lists == LISTS || strlen(models) > LIST_BYTES;
    if (scan->many)
        return true;
    scan->models[scan->lists] = strdup(models);
    return scan->models[scan->lists] && ++scan->lists;
}

/* If a point has several records, the last one counts. */
static int add_record(void *user, const struct sms__point_record *record, int64_t id)
{
    struct scan *scan = user;
    struct sms__index *index = scan->index;
    unsigned char key[SMS__KEY_BYTES];
    struct sms__location location = {
        id, (uint16_t)scan->store, record->failed ? SMS__POINT_FAILED : SMS__POINT_DONE, {0}};
    memcpy(location.key, record->key, sizeof location.key);
    index->store[scan->store].records++;
    if (record->point < index->plan->points && sms__point_key(scan->context, record->point, record->models, key) &&
        !memcmp(key, record->key, sizeof key)) {
        set_point(index, record->point, &location);
        return SMS_OK;
    }
    struct stale *grown = grow(scan->stale, scan->stales, sizeof *grown);
    if (!grown || !add_models(scan, record->models)) {
        scan->stale = grown ? grown : scan->stale;
        return SMS_ENOMEM;
    }
    scan->stale = grown;
    grown[scan->stales] = (struct stale){.location = location};
    memcpy(grown[scan->stales++].key, record->key, SMS__KEY_BYTES);
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

/* Orders records by key, then in the order in which they were found. */
static int compare_stales(const void *a, const void *b)
{
    const struct stale *x = a, *y = b;
    int order = memcmp(x->key, y->key, sizeof x->key);
    if (order)
        return order;
    if (x->location.store != y->location.store)
        return x->location.store < y->location.store ? -1 : 1;
    return x->location.id < y->location.id ? -1 : x->location.id > y->location.id;
}

/* Gives a point the last record with its key. Equal points share a record. */
static bool use_record(struct scan *scan, uint64_t point, const char *models)
{
    unsigned char key[SMS__KEY_BYTES];
    size_t from = 0, to = scan->stales;
    if (!sms__point_key(scan->context, point, models, key))
        return false;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (memcmp(scan->stale[middle].key, key, sizeof key) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0 || memcmp(scan->stale[from - 1].key, key, sizeof key) != 0)
        return false;
    set_point(scan->index, point, &scan->stale[from - 1].location);
    scan->stale[from - 1].used = true;
    return true;
}

static void find_record(struct scan *scan, uint64_t point)
{
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    char *models = NULL;
    bool found = false;
    for (unsigned i = 0; i < scan->lists && !found && !scan->many; i++)
        found = use_record(scan, point, scan->models[i]);
    if (!scan->many)
        return;
    sms__point_load(scan->context, point, &file, &models, &errors); /* a point that fails to load has a record, too */
    if (models)
        use_record(scan, point, models);
    free(models);
    sms_file_free(file);
}

/* Finds the missing points of a shard among the stale records, and counts the records that remain stale. A record that
 * was replaced by a later one of the same key counts as that one does. */
static void find_records(struct scan *scan, struct sms__shard shard)
{
    struct sms__index *index = scan->index;
    const uint64_t points = index->plan->points;
    bool used = false;
    if (scan->stales == 0)
        return;
    qsort(scan->stale, scan->stales, sizeof *scan->stale, compare_stales);
    for (uint64_t p = shard.idx - 1; p < points && index->done + index->failed < points; p += shard.count)
        if (index->location[p].state == SMS__POINT_MISSING)
            find_record(scan, p);
    for (size_t i = scan->stales; i-- > 0;) {
        bool is_last = i + 1 == scan->stales || memcmp(scan->stale[i].key, scan->stale[i + 1].key, SMS__KEY_BYTES) != 0;
        used = is_last ? scan->stale[i].used : used;
        index->stale += !used;
    }
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
    for (size_t i = 0; i < index->stores; i++) {
        struct sms__shard shard;
        const char *machine;
        if (index->store[i].running && sms__store_parse(index->store[i].name, &shard, &machine))
            index->store[i].running = is_missing(index, shard);
    }
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
    *index = (struct sms__index){.plan = context->plan, .folder = folder, .max_open = half_of_file_limit()};
    index->location = calloc((size_t)context->plan->points + 1, sizeof *index->location);
    if (!index->location)
        return sms__fail(errors, SMS_ENOMEM, folder, "out of memory");
    int code = list_stores(index, errors);
    struct scan scan = {.context = context, .index = index};
    for (; code == SMS_OK && scan.store < index->stores; scan.store++)
        if (may_overlap(index->store[scan.store].name, shard))
            code = scan_store(&scan, errors);
    if (code == SMS_OK)
        find_records(&scan, shard);
    find_finished(index);
    for (unsigned i = 0; i < scan.lists; i++)
        free(scan.models[i]);
    free(scan.stale);
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
           !memcmp(record->key, location->key, sizeof location->key);
}
