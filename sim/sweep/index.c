/* Indexes the records in the journals of a sweep's folder: which points are done or failed, and where their records
 * are. A record counts only if its checksum is right and its key is that of a point of the plan. */
#define _GNU_SOURCE /* flock */
#include "sweep.h"

#include "../base/read.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A journal is given up as damaged after DAMAGE_TIMES its size plus DAMAGE_BYTES were hashed without finding a record.
 * That allows for DAMAGE_TIMES records with a wrong length, or thousands with wrong content. */
enum { JOURNALS_MAX = 65535, PATH_BYTES = 4400, DAMAGE_TIMES = 16, DAMAGE_BYTES = 16 * 1024 * 1024 };

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct sms__journal *)a)->name, ((const struct sms__journal *)b)->name);
}

static bool is_journal(const char *name)
{
    size_t length = strlen(name);
    return length > 8 && !strcmp(name + length - 8, ".journal");
}

static int add_journal(struct sms__index *index, const char *name)
{
    size_t count = index->journals;
    if (count == JOURNALS_MAX)
        return SMS_EIO;
    if ((count & (count - 1)) == 0) {
        struct sms__journal *grown = realloc(index->journal, (count ? count * 2 : 1) * sizeof *grown);
        if (!grown)
            return SMS_ENOMEM;
        index->journal = grown;
    }
    struct sms__journal *journal = &index->journal[index->journals++];
    *journal = (struct sms__journal){.fd = -1};
    snprintf(journal->name, sizeof journal->name, "%s", name);
    return SMS_OK;
}

/* A missing folder has no journals. */
static int list_journals(struct sms__index *index, struct sms_errors *errors)
{
    int code = SMS_OK;
    DIR *dir = opendir(index->folder);
    if (!dir && errno == ENOENT)
        return SMS_OK;
    if (!dir)
        return sms__fail(errors, SMS_EIO, index->folder, "%s", strerror(errno));
    for (const struct dirent *entry = readdir(dir); entry && code == SMS_OK; entry = readdir(dir))
        if (is_journal(entry->d_name))
            code = add_journal(index, entry->d_name);
    closedir(dir);
    if (code)
        return sms__fail(errors, code, index->folder, code == SMS_EIO ? "more than 65535 journals" : "out of memory");
    if (index->journals)
        qsort(index->journal, index->journals, sizeof *index->journal, compare_names);
    return SMS_OK;
}

static unsigned common_divisor(unsigned a, unsigned b) { return b ? common_divisor(b, a % b) : a; }

/* Two shards share no point if their indexes differ modulo the greatest common divisor of their counts. */
static bool may_overlap(const char *name, struct sms__shard shard)
{
    struct sms__shard other;
    const char *machine;
    if (!sms__journal_parse(name, &other, &machine))
        return true;
    unsigned divisor = common_divisor(other.count, shard.count);
    return (other.idx - 1) % divisor == (shard.idx - 1) % divisor;
}

struct scan {
    struct sms__worker_context *context;
    struct sms__index *index;
    size_t journal;
    struct sms__rekey rekey;
    bool failed; /* without memory */
};

void sms__index_set(struct sms__index *index, uint64_t point, const struct sms__record_location *location)
{
    struct sms__record_location *entry = &index->location[point];
    index->done -= entry->state == SMS__POINT_DONE;
    index->failed -= entry->state == SMS__POINT_FAILED;
    *entry = *location;
    index->done += entry->state == SMS__POINT_DONE;
    index->failed += entry->state == SMS__POINT_FAILED;
}

static bool matches_its_point(struct scan *scan, const struct sms__point_head *head)
{
    unsigned char key[SMS__KEY_BYTES];
    return head->point < scan->index->plan->points && sms__point_key(scan->context, head->point, head->models, key) &&
           !memcmp(key, head->key, sizeof key);
}

/* If a point has several records, the last one counts. */
static void add_record(struct scan *scan, const unsigned char *record, uint64_t offset, size_t length)
{
    struct sms__index *index = scan->index;
    struct sms__bytes bytes = {.capacity = length};
    struct sms__point_head head;
    memcpy(&bytes.data, &record, sizeof record); /* drops the const: the bytes are only read */
    sms__record_head(&bytes, &head);
    struct sms__record_location location = {.offset = offset,
                                            .length = (uint32_t)length,
                                            .journal = (uint16_t)scan->journal,
                                            .state = head.failed ? SMS__POINT_FAILED : SMS__POINT_DONE};
    memcpy(location.key, head.key, sizeof location.key);
    index->journal[scan->journal].records++;
    if (!bytes.failed && matches_its_point(scan, &head)) {
        sms__index_set(index, head.point, &location);
        return;
    }
    index->stale++;
    if (!bytes.failed && !sms__rekey_add(&scan->rekey, &head, &location))
        scan->failed = true;
}

/* Skips damaged bytes and uses the intact records after them. Only hashing tells whether a record is damaged, and a
 * wrong length can make it span the rest of the journal. The budget keeps the time from growing with the square of the
 * size. Returns false when the budget is spent. */
static bool scan_bytes(struct scan *scan, const unsigned char *bytes, uint64_t size)
{
    uint64_t budget = DAMAGE_BYTES + (size < UINT64_MAX / DAMAGE_TIMES ? DAMAGE_TIMES * size : UINT64_MAX / 2);
    for (uint64_t offset = 0; offset < size;) {
        uint64_t hashed = 0;
        size_t length = sms__record_length(bytes + offset, (size_t)(size - offset), &hashed);
        if (length == 0) {
            const unsigned char *next = memchr(bytes + offset + 1, 's', (size_t)(size - offset - 1));
            if (hashed > budget)
                return false;
            budget -= hashed;
            offset = next ? (uint64_t)(next - bytes) : size;
            continue;
        }
        add_record(scan, bytes + offset, offset, length);
        offset += length;
        scan->index->journal[scan->journal].end = offset;
    }
    return true;
}

/* Whether a process of another machine is writing the journal. Locks show only processes of this machine; those of
 * others write to their journal or touch it. */
static bool is_alive(const char *name, time_t written)
{
    char this_machine[SMS__MACHINE_BYTES];
    struct sms__shard shard;
    const char *machine;
    sms__machine_name(this_machine);
    if (!sms__journal_parse(name, &shard, &machine))
        return false;
    size_t length = strlen(this_machine);
    bool is_local = !strncmp(machine, this_machine, length) && !strcmp(machine + length, ".journal");
    return !is_local && time(NULL) - written < SMS__SILENCE_S;
}

static int open_journal(const struct sms__index *index, struct sms__journal *journal, char path[PATH_BYTES],
                        struct sms_errors *errors)
{
    struct sms__input input;
    snprintf(path, PATH_BYTES, "%s/%s", index->folder, journal->name);
    int code = sms__input_open(path, INT64_MAX, &input, errors);
    journal->fd = input.fd;
    return code;
}

/* There may be more journals than a process may have open files. */
static void close_journal(struct sms__journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    journal->fd = -1;
}

static int scan_journal(struct scan *scan, struct sms_errors *errors)
{
    struct sms__journal *journal = &scan->index->journal[scan->journal];
    struct stat st;
    char path[PATH_BYTES];
    int code = open_journal(scan->index, journal, path, errors);
    if (code)
        return code;
    if (fstat(journal->fd, &st))
        return sms__fail(errors, SMS_EIO, path, "%s", strerror(errno));
    journal->running = !sms__lock(journal->fd, LOCK_SH | LOCK_NB);
    if (!journal->running) {
        flock(journal->fd, LOCK_UN);
        journal->running = is_alive(journal->name, st.st_mtime);
    }
    if (st.st_size == 0)
        return SMS_OK;
    unsigned char *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, journal->fd, 0);
    if (bytes == MAP_FAILED)
        return sms__fail(errors, SMS_EIO, path, "%s", strerror(errno));
    posix_madvise(bytes, (size_t)st.st_size, POSIX_MADV_SEQUENTIAL);
    const bool readable = scan_bytes(scan, bytes, (uint64_t)st.st_size);
    munmap(bytes, (size_t)st.st_size);
    if (!readable)
        return sms__fail(errors, SMS_EINPUT, path,
                         "is damaged in too many places to recover its records; move it away to run its points "
                         "again");
    return scan->failed ? sms__fail(errors, SMS_ENOMEM, path, "out of memory") : SMS_OK;
}

static bool is_missing(const struct sms__index *index, struct sms__shard shard)
{
    for (uint64_t p = shard.idx - 1; p < index->plan->points; p += shard.count)
        if (index->location[p].state == SMS__POINT_MISSING)
            return true;
    return false;
}

/* A shard without missing points is finished, even if its journal was just touched. Journals are sorted by name, so
 * those of one shard are adjacent. */
static void find_finished(struct sms__index *index)
{
    struct sms__shard last = {0, 0};
    bool missing = false;
    for (size_t i = 0; i < index->journals; i++) {
        struct sms__journal *journal = &index->journal[i];
        struct sms__shard shard;
        const char *machine;
        if (!journal->running || !sms__journal_parse(journal->name, &shard, &machine))
            continue;
        if (shard.idx != last.idx || shard.count != last.count)
            missing = is_missing(index, shard);
        last = shard;
        journal->running = missing;
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
    int code = list_journals(index, errors);
    struct scan scan = {.context = context, .index = index, .rekey = {.context = context, .index = index}};
    for (; code == SMS_OK && scan.journal < index->journals; scan.journal++)
        if (may_overlap(index->journal[scan.journal].name, shard)) {
            code = scan_journal(&scan, errors);
            close_journal(&index->journal[scan.journal]);
        }
    if (code == SMS_OK)
        sms__rekey_missing(&scan.rekey, shard);
    sms__rekey_free(&scan.rekey);
    find_finished(index);
    if (code)
        sms__index_close(index);
    return code;
}

void sms__index_close(struct sms__index *index)
{
    for (size_t i = 0; i < index->journals; i++)
        close_journal(&index->journal[i]);
    free(index->journal);
    free(index->location);
    *index = (struct sms__index){0};
}

const char *sms__index_journal(const struct sms__index *index, uint64_t point)
{
    return index->location[point].state ? index->journal[index->location[point].journal].name : "";
}

/* Consecutive points are in the journals of consecutive shards. Closing the least recently used journal would close the
 * one that is needed next, so the first max_open journals stay open instead. */
static bool read_record(const struct sms__index *index, const struct sms__record_location *location, unsigned char *to)
{
    struct sms__journal *journal = &index->journal[location->journal];
    char path[PATH_BYTES];
    struct sms_errors ignored = {0};
    if (journal->fd < 0)
        open_journal(index, journal, path, &ignored);
    ssize_t bytes_read = journal->fd < 0 ? -1 : pread(journal->fd, to, location->length, (off_t)location->offset);
    if (location->journal >= index->max_open)
        close_journal(journal);
    return bytes_read == (ssize_t)location->length;
}

bool sms__index_record(const struct sms__index *index, uint64_t point, struct sms__bytes *bytes,
                       struct sms__point_head *head)
{
    const struct sms__record_location *location = &index->location[point];
    unsigned char *grown = realloc(bytes->data, location->length);
    if (!grown)
        return false;
    *bytes = (struct sms__bytes){.data = grown, .capacity = location->length};
    /* The file may have changed since it was scanned. */
    if (!read_record(index, location, grown) || sms__record_length(grown, location->length, NULL) != location->length)
        return false;
    sms__record_head(bytes, head);
    return !bytes->failed && !memcmp(head->key, location->key, sizeof location->key);
}
