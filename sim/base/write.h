/* Files and folders that appear complete or not at all.
 *
 * A file has a temporary name beside its target until it is complete and on the disk. Only then is it renamed to the
 * target. Temporary files are created with O_EXCL, so that no link is followed, and with the modes that the umask
 * leaves. Their writer locks them while it lives. If it is killed, the next process that writes the same target on the
 * same machine removes the left-over. */
#ifndef SMS_BASE_WRITE_H
#define SMS_BASE_WRITE_H

#include "errors.h"

#include <stdbool.h>
#include <stdio.h>

enum { SMS__PATH_BYTES = 4096, SMS__TARGET_BYTES = SMS__PATH_BYTES - 64, SMS__MACHINE_BYTES = 80 };

/* A temporary name: "TARGET.partial-MACHINE-XXXXXXXX". */
struct sms__partial {
    char target[SMS__TARGET_BYTES];
    char name[SMS__PATH_BYTES]; /* "" if nothing was created */
    int lock;                   /* a locked descriptor, if something was */
};

/* One file. Zero it before its first use. */
struct sms__write {
    FILE *to; /* write here; NULL if not open */
    struct sms__partial partial;
    bool direct; /* the target is a device or a pipe, and is written directly */
};

/* Opens a stream for the file at `path`, which appears with sms__write_end. An older regular file stays as it is until
 * then. A device, or a pipe with a reader, is written directly. Anything else, such as a folder, a link or a
 * write-protected file, is refused. Returns SMS_OK, or SMS_EIO with an error that says why. */
int sms__write_begin(struct sms__write *write, const char *path, struct sms_errors *errors);

/* Flushes, syncs, closes and renames. On failure only the older file remains. Returns SMS_OK, or SMS_EIO with an error
 * that says why. */
int sms__write_end(struct sms__write *write, struct sms_errors *errors);

/* Closes and removes an unfinished file. Does nothing after sms__write_end, or to a zeroed struct. */
void sms__write_abandon(struct sms__write *write);

/* Copies the path without its trailing slashes. False if it is empty or too long. */
bool sms__target_of(const char *path, char target[SMS__TARGET_BYTES]);

/* Closes a stream once all of it is on the disk. Returns SMS_OK, or SMS_EIO with an error that names `path`. */
int sms__close_whole(FILE *file, const char *path, struct sms_errors *errors);

/* Creates an empty folder under a temporary name beside `target`. Calls `recover` first for
 * each left-over of the same target. The caller removes or renames the folder and then calls sms__partial_unlock.
 * Returns SMS_OK, or SMS_EIO with an error that says why. */
int sms__partial_folder(struct sms__partial *partial, const char *target,
                        void (*recover)(const char *left_over, const char *target), struct sms_errors *errors);
void sms__partial_unlock(struct sms__partial *partial);

/* Syncs the folder that holds `path`, as far as its file system can. */
void sms__sync_folder_of(const char *path);

/* Writes this machine's name: Slurm's node name, or the host name. Characters other than letters, digits, '.', '-' and
 * '_' become '_'. */
void sms__machine_name(char out[SMS__MACHINE_BYTES]);

#endif
