/* Files and folders that appear whole or not at all.
 *
 * What is written has a temporary name beside its target until it is complete and on the disk; only then does it take
 * the target's name. Temporary names are made with O_EXCL, so that no link is followed, and with the modes that the
 * umask leaves. They are locked while their writer lives: what a killed writer has left behind is removed by the next
 * one that writes the same target on the same machine. */
#ifndef SMS_BASE_WRITE_H
#define SMS_BASE_WRITE_H

#include "errors.h"

#include <stdbool.h>
#include <stdio.h>

enum { SMS__PATH_BYTES = 4096, SMS__TARGET_BYTES = SMS__PATH_BYTES - 64, SMS__MACHINE_BYTES = 80 };

/* A temporary name: "TARGET.partial-MACHINE-XXXXXXXX". */
struct sms__partial {
    char target[SMS__TARGET_BYTES];
    char name[SMS__PATH_BYTES]; /* "": nothing has been made */
    int lock;                   /* a descriptor, if something has */
};

/* One file. Zero it before its first use. */
struct sms__write {
    FILE *to; /* write here; NULL: not open */
    struct sms__partial partial;
    bool through; /* the target is a device or a pipe, and written directly */
};

/* Opens a stream that becomes the file at `path` by sms__write_end. An older regular file stays as it is until then. A
 * device or a pipe with a reader is written directly. A folder, a link, or anything else is refused. SMS_OK or SMS_EIO,
 * having said why. */
int sms__write_begin(struct sms__write *write, const char *path, struct sms_errors *errors);

/* Flushes, synchronizes, closes and renames. Without success, nothing is left but the older file. SMS_OK or SMS_EIO,
 * having said why. */
int sms__write_end(struct sms__write *write, struct sms_errors *errors);

/* Gives up what was begun; does nothing after sms__write_end, or to a zeroed one. */
void sms__write_abandon(struct sms__write *write);

/* The path without slashes at its end; false if it is empty or too long. */
bool sms__target_of(const char *path, char target[SMS__TARGET_BYTES]);

/* Closes a stream with all of it on the disk: SMS_OK, or SMS_EIO, having said that `path` cannot be written and why. */
int sms__close_whole(FILE *file, const char *path, struct sms_errors *errors);

/* A folder under a temporary name beside `target`, empty; its mode is `mode` less the umask. The caller removes it or
 * renames it, and then closes the lock. What others have left behind of the same target is given to `recover` first,
 * one folder after another. SMS_OK or SMS_EIO, having said why. */
int sms__partial_folder(struct sms__partial *partial, const char *target, unsigned mode,
                        void (*recover)(const char *left_over, const char *target), struct sms_errors *errors);
void sms__partial_unlock(struct sms__partial *partial);

/* Makes the entries of the folder that holds `path` durable, as far as its file system can. */
void sms__sync_folder_of(const char *path);

/* This machine's name: Slurm's for the node, or the host's; letters, digits, '.', '-' and '_'. */
void sms__machine_name(char out[SMS__MACHINE_BYTES]);

#endif
