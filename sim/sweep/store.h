/* The stores of a sweep: SQLite databases in its folder, to which shards append the results of their points.
 *
 * Each shard on each machine writes a store of its own, K-of-N.MACHINE.db, and holds a lock on K-of-N.MACHINE.lock
 * while it runs. So a store has one writer, and no process waits for a lock that another machine has left behind.
 * Stores are only appended to. Those of others are read with read-only connections that trust nothing in them. */
#ifndef SMS_SWEEP_STORE_H
#define SMS_SWEEP_STORE_H

#include "../base/buffer.h"
#include "../results/results.h"
#include "sweep.h"

struct sqlite3;
struct sms__search;
struct sqlite3_stmt;

enum { SMS__STORE_NAME_BYTES = 280, SMS__CONTENT_BYTES = 1 << 30 };

/* A point's results, as a row of a store. */
struct sms__point_record {
    uint64_t point, name; /* the name is that of sms__point_key */
    unsigned char key[SMS__KEY_BYTES];
    bool failed;
    const char *models;  /* list of sms__point_load */
    const char *content; /* texts and numbers in the order in which point_record.c writes them; packed in a store */
    size_t size, whole;  /* of the content, bytes; what it has when it is unpacked */
};

/* point_record.c: the content of a record. It begins with the error message of a failed point, or else with the
 * warnings of its run, which its results follow. */
void sms__record_failure(struct sms__buffer *content, const char *message);
/* Adds warnings, answers, what is kept and bounds. Returns SMS_OK, or SMS_ENOMEM if a bound ran out of memory. The
 * buffer has a `failed` of its own. */
int sms__record_results(struct sms__buffer *content, const struct sms_results *results, unsigned keep,
                        struct sms_errors *errors);
/* Compresses a content into the buffer, or unpacks the record's into it, and lets the record have the result, for as
 * long as the buffer is not changed. False: out of memory, or the packed content is no such thing. */
bool sms__record_pack(struct sms__point_record *record, const struct sms__buffer *content, struct sms__buffer *packed);
bool sms__record_unpack(struct sms__point_record *record, struct sms__buffer *content);
/* The first 8 bytes of a SHA-256 of the whole record, its content packed. */
void sms__record_sum(const struct sms__point_record *record, unsigned char sum[8]);
/* What a record has of each limit under each policy: its mean, half of its interval, and whether it is met. */
enum { SMS__LIMIT_NUMBERS = 3 };
/* A position in a record's content. `failed`: something that was read is missing. */
struct sms__content {
    const char *rest;
    size_t size; /* of the rest, bytes */
    bool failed;
};
double sms__content_number(struct sms__content *content);
/* A number of items of at least one byte each that follow. It is 0 after a failure. */
uint32_t sms__content_count(struct sms__content *content);
/* Whether limits are met. It is SMS__NOT_TOLD after a failure. */
enum sms__told sms__content_told(struct sms__content *content);
/* Points into the record; "" after a failure. */
const char *sms__content_text(struct sms__content *content);

/* store_file.c: names, locks and connections of stores. */
/* Like flock, but succeeds on a file system without locks. */
bool sms__lock(int fd, int operation);
/* Reads the name of a store; false if sms__store_open did not make it. */
bool sms__store_parse(const char *name, struct sms__shard *shard);
/* Whether a process of this machine holds the store's lock, or one of another machine touched it in the last minute. */
bool sms__store_is_running(const char *folder, const char *name);
void sms__store_lock_path(char path[SMS__PATH_BYTES], const char *store);
/* Opens a connection under the checks that writers and readers need. `flags` are those of sqlite3_open_v2. `file` may
 * be open after an error, too. */
int sms__store_connect(const char *path, int flags, struct sqlite3 **file, struct sms_errors *errors);
/* Reports the connection's last error. `verb`: read or written. Returns the code of the error. */
int sms__store_fail(struct sqlite3 *file, const char *path, const char *verb, struct sms_errors *errors);
/* The only statement in the schema of a store. */
extern const char sms__store_schema[];
extern const char sms__move_away[]; /* the end of a message about a file that cannot be used */

/* store_write.c: the writer of a shard's store. Only one process of a machine can have it open. */
struct sms__store {
    int lock;         /* descriptor */
    double touched_s; /* time of the last commit or touch, monotonic clock */
    struct sqlite3 *file;
    struct sqlite3_stmt *insert;
    char path[SMS__PATH_BYTES];
};
int sms__store_open(const char *folder, struct sms__shard shard, struct sms__store *store, struct sms_errors *errors);
/* Appends records in one transaction: all of them are on the disk, or none. */
int sms__store_add(struct sms__store *store, const struct sms__point_record *record, size_t records,
                   struct sms_errors *errors);
/* Call every few seconds: shows other machines that this process is alive. */
void sms__store_touch(struct sms__store *store);
void sms__store_close(struct sms__store *store);

/* store_read.c: reads a store that anyone may have written. */
struct sms__store_reader {
    struct sqlite3 *file; /* NULL: not open */
    struct sqlite3_stmt *get;
    unsigned gets; /* records that sms__store_get has read */
};
int sms__store_reader_open(const char *folder, const char *name, struct sms__store_reader *reader,
                           struct sms_errors *errors);
/* Calls `row` with each undamaged record, in the order of their ids, until it returns an error. */
int sms__store_scan(const struct sms__store_reader *reader, const char *path,
                    int (*row)(void *user, const struct sms__point_record *record, int64_t id), void *user,
                    struct sms_errors *errors);
/* Reads one record, which stays valid until the next call. False if it is missing or damaged. */
bool sms__store_get(struct sms__store_reader *reader, int64_t id, struct sms__point_record *record);
void sms__store_reader_close(struct sms__store_reader *reader);

/* index.c: the points whose results are in the stores of a folder. */
enum sms__point_state { SMS__POINT_MISSING, SMS__POINT_DONE, SMS__POINT_FAILED };
struct sms__indexed_store {
    char name[SMS__STORE_NAME_BYTES];
    struct sms__shard shard;
    uint64_t records; /* undamaged ones */
    bool running;
    struct sms__store_reader reader;
};
struct sms__location {
    int64_t id;
    uint16_t store;
    uint8_t state;        /* enum sms__point_state */
    unsigned char key[5]; /* its beginning */
};
struct sms__index {
    const struct sms__plan *plan;
    const char *folder;
    struct sms__indexed_store *store;
    size_t stores, max_open;        /* only the first max_open stores stay open */
    size_t passing;                 /* the store that was read last */
    struct sms__buffer content;     /* of the record that was read last */
    struct sms__location *location; /* [points] */
    struct sms__search *search;     /* NULL without `search:` (frontier.h) */
    uint64_t wanted;                /* points of the plan; with a search those that it needs so far */
    uint64_t done, failed;
    uint64_t stale; /* records whose key is that of no point */
};
/* Reads the stores that can hold points of the shard; 1/1 reads all. A missing folder counts as an empty one. */
int sms__index_open(struct sms__worker_context *context, const char *folder, struct sms__shard shard,
                    struct sms__index *index, struct sms_errors *errors);
void sms__index_close(struct sms__index *index);
/* Name of the store that holds a point; "" for a missing point. */
const char *sms__index_store(const struct sms__index *index, uint64_t point);
/* Reads the record of a point that is done or failed. It stays valid until the next call. False if it cannot be read.
 */
bool sms__index_record(struct sms__index *index, uint64_t point, struct sms__point_record *record);

/* merge.c: waits until no other process writes FOLDER/results. Returns a descriptor that the caller closes, or -1 after
 * an error or `cancel`. */
int sms__merge_lock(const char *folder, const atomic_bool *cancel, struct sms_errors *errors);
/* Writes FOLDER/results from the stores; call it under the lock. The old results stay until the new ones are complete,
 * and foreign files beside them are never removed. `warned`: number of points done with warnings. */
int sms__sweep_merge(struct sms__index *index, const atomic_bool *cancel, uint64_t *warned, struct sms_errors *errors);

/* alone.c: prints along which axes the speed of tenants alone moves, if the points ask for a metric that divides by it.
 * Reads the merged database, and prints nothing if it cannot. */
void sms__sweep_say_alone(const char *folder, FILE *to);
/* Fails if another command wrote FOLDER, or FOLDER/results exists and no merge wrote it. Call it before the points are
 * run. */
int sms__sweep_check_results(const char *folder, struct sms_errors *errors);

#endif
