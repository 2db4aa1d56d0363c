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

/* DAMAGE_TIMES the size of a journal and DAMAGE_BYTES are hashed in vain before it is given up: so many damaged records
 * that seem to reach to its end, and thousands whose lengths are right. */
enum { JOURNALS_MAX = 65535, PATH_BYTES = 4400, DAMAGE_TIMES = 16, DAMAGE_BYTES = 16 * 1024 * 1024 };

static int by_name(const void *a, const void *b)
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

/* A folder that is not there has no journals. */
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
        return sms__fail(errors, code, index->folder, code == SMS_EIO ? "more than 65535 journals" : "no memory");
    if (index->journals)
        qsort(index->journal, index->journals, sizeof *index->journal, by_name);
    return SMS_OK;
}

static unsigned common_divisor(unsigned a, unsigned b) { return b ? common_divisor(b, a % b) : a; }

/* Points of two shards are apart if they are so modulo what divides both counts. */
static bool may_have(const char *name, struct sms__shard shard)
{
    struct sms__shard of;
    const char *machine;
    if (!sms__journal_parse(name, &of, &machine))
        return true;
    unsigned divisor = common_divisor(of.count, shard.count);
    return (of.idx - 1) % divisor == (shard.idx - 1) % divisor;
}

struct scan {
    struct sms__reach *reach;
    struct sms__index *index;
    size_t journal;
    struct sms__adopt adopt;
    bool failed; /* without memory */
};

void sms__index_take(struct sms__index *index, uint64_t point, const struct sms__where *where)
{
    struct sms__where *had = &index->where[point];
    index->done -= had->state == SMS__POINT_DONE;
    index->failed -= had->state == SMS__POINT_FAILED;
    *had = *where;
    index->done += had->state == SMS__POINT_DONE;
    index->failed += had->state == SMS__POINT_FAILED;
}

static bool is_of_its_point(struct scan *scan, const struct sms__point_head *head)
{
    unsigned char key[SMS__KEY_BYTES];
    return head->point < scan->index->plan->points && sms__point_key(scan->reach, head->point, head->models, key) &&
           !memcmp(key, head->key, sizeof key);
}

/* The last record of a point counts. */
static void add_record(struct scan *scan, const unsigned char *at, uint64_t offset, size_t length)
{
    struct sms__index *index = scan->index;
    struct sms__bytes bytes = {.capacity = length};
    struct sms__point_head head;
    memcpy(&bytes.at, &at, sizeof at); /* it is only read */
    sms__record_head(&bytes, &head);
    struct sms__where where = {.offset = offset,
                               .length = (uint32_t)length,
                               .journal = (uint16_t)scan->journal,
                               .state = head.failed ? SMS__POINT_FAILED : SMS__POINT_DONE};
    memcpy(where.key, head.key, sizeof where.key);
    index->journal[scan->journal].records++;
    if (!bytes.failed && is_of_its_point(scan, &head)) {
        sms__index_take(index, head.point, &where);
        return;
    }
    index->stale++;
    if (!bytes.failed && !sms__adopt_keep(&scan->adopt, &head, &where))
        scan->failed = true;
}

/* Damaged bytes are skipped, and whole records behind them count. What looks like a record has to be hashed to know
 * that it is damaged, and may seem to reach to the end of the journal: a journal made of nothing else would take time
 * that is quadratic in its size. False: it has more damage than that is spent on. */
static bool scan_bytes(struct scan *scan, const unsigned char *bytes, uint64_t size)
{
    uint64_t budget = DAMAGE_BYTES + (size < UINT64_MAX / DAMAGE_TIMES ? DAMAGE_TIMES * size : UINT64_MAX / 2);
    for (uint64_t at = 0; at < size;) {
        uint64_t hashed = 0;
        size_t length = sms__record_length(bytes + at, (size_t)(size - at), &hashed);
        if (length == 0) {
            const unsigned char *next = memchr(bytes + at + 1, 's', (size_t)(size - at - 1));
            if (hashed > budget)
                return false;
            budget -= hashed;
            at = next ? (uint64_t)(next - bytes) : size;
            continue;
        }
        add_record(scan, bytes + at, at, length);
        at += length;
        scan->index->journal[scan->journal].end = at;
    }
    return true;
}

/* The lock tells of this machine's processes; those of others write to their journal, or touch it. */
static bool is_alive(const char *name, time_t written)
{
    char here[SMS__MACHINE_BYTES];
    struct sms__shard shard;
    const char *machine;
    sms__machine_name(here);
    if (!sms__journal_parse(name, &shard, &machine))
        return false;
    size_t length = strlen(here);
    bool is_here = !strncmp(machine, here, length) && !strcmp(machine + length, ".journal");
    return !is_here && time(NULL) - written < SMS__SILENCE_S;
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

/* A process may not have as many files open as there may be journals. */
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
                         "is damaged in too many places to look for whole records; move it away, and its points are "
                         "run again");
    return scan->failed ? sms__fail(errors, SMS_ENOMEM, path, "no memory") : SMS_OK;
}

static bool is_missing(const struct sms__index *index, struct sms__shard shard)
{
    for (uint64_t p = shard.idx - 1; p < index->plan->points; p += shard.count)
        if (index->where[p].state == SMS__POINT_MISSING)
            return true;
    return false;
}

/* Who has nothing left to run is done, however short a time ago. Journals of a shard come one after the other. */
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

/* The other half is for what the process does besides. */
static size_t half_of_files(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : (size_t)limit.rlim_cur / 2;
}

int sms__index_open(struct sms__reach *reach, const char *folder, struct sms__shard shard, struct sms__index *index,
                    struct sms_errors *errors)
{
    *index = (struct sms__index){.plan = reach->plan, .folder = folder, .kept = half_of_files()};
    index->where = calloc((size_t)reach->plan->points + 1, sizeof *index->where);
    if (!index->where)
        return sms__fail(errors, SMS_ENOMEM, folder, "no memory");
    int code = list_journals(index, errors);
    struct scan scan = {.reach = reach, .index = index, .adopt = {.reach = reach, .index = index}};
    for (; code == SMS_OK && scan.journal < index->journals; scan.journal++)
        if (may_have(index->journal[scan.journal].name, shard)) {
            code = scan_journal(&scan, errors);
            close_journal(&index->journal[scan.journal]);
        }
    if (code == SMS_OK)
        sms__adopt_missing(&scan.adopt, shard);
    sms__adopt_free(&scan.adopt);
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
    free(index->where);
    *index = (struct sms__index){0};
}

const char *sms__index_journal(const struct sms__index *index, uint64_t point)
{
    return index->where[point].state ? index->journal[index->where[point].journal].name : "";
}

/* Points go around the journals of shards: of more than may be open, to close the one that was read longest ago would
 * be to close the one that is read next. */
static bool read_record(const struct sms__index *index, const struct sms__where *where, unsigned char *to)
{
    struct sms__journal *journal = &index->journal[where->journal];
    char path[PATH_BYTES];
    struct sms_errors unsaid = {0};
    if (journal->fd < 0)
        open_journal(index, journal, path, &unsaid);
    ssize_t got = journal->fd < 0 ? -1 : pread(journal->fd, to, where->length, (off_t)where->offset);
    if (where->journal >= index->kept)
        close_journal(journal);
    return got == (ssize_t)where->length;
}

bool sms__index_record(const struct sms__index *index, uint64_t point, struct sms__bytes *bytes,
                       struct sms__point_head *head)
{
    const struct sms__where *where = &index->where[point];
    unsigned char *grown = realloc(bytes->at, where->length);
    if (!grown)
        return false;
    *bytes = (struct sms__bytes){.at = grown, .capacity = where->length};
    /* The file may have become another one since it was looked through. */
    if (!read_record(index, where, grown) || sms__record_length(grown, where->length, NULL) != where->length)
        return false;
    sms__record_head(bytes, head);
    return !bytes->failed && !memcmp(head->key, where->key, sizeof where->key);
}
