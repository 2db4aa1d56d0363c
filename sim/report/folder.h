/* A folder of results. It appears whole or not at all, and its manifest lists the files that are its own. When it is
 * replaced, only files on the old manifest's list are removed; files that somebody else put there are kept. */
#ifndef SMS_REPORT_FOLDER_H
#define SMS_REPORT_FOLDER_H

#include "../base/write.h"

struct json_t;

struct sms__file_names {
    char **name;
    size_t count;
    bool failed; /* out of memory */
};

enum sms__folder_kind {
    SMS__FOLDER_NEW,     /* nothing may exist under its name */
    SMS__FOLDER_REPLACE, /* replaces an older one */
    SMS__FOLDER_ADD      /* the same, but files of the older one that are not written again stay */
};

struct sms__folder {
    struct sms__partial partial; /* partial.name: the folder of its files until the end */
    enum sms__folder_kind kind;
    struct sms__file_names names; /* its files */
};

/* Begins a folder that sms__folder_end renames to `path`. Zero it before, so that sms__folder_abandon may always
 * follow. Refuses what the end would refuse. Returns SMS_OK; or SMS_EIO or SMS_ENOMEM with an error. */
int sms__folder_begin(struct sms__folder *folder, const char *path, enum sms__folder_kind kind,
                      struct sms_errors *errors);

/* Returns what sms__folder_begin would, to know it before a long run. */
int sms__folder_check(const char *path, enum sms__folder_kind kind, struct sms_errors *errors);

/* Whether the file is the manifest of its folder, or on that manifest's list. */
bool sms__folder_lists(const char *path);

/* Opens a new file of the folder; NULL with an error. Closes it once all of it is on the disk: SMS_OK or SMS_EIO. */
FILE *sms__folder_open(struct sms__folder *folder, const char *name, struct sms_errors *errors);
int sms__folder_close(struct sms__folder *folder, const char *name, FILE *file, struct sms_errors *errors);

/* Adds a file to the list that is written by other means. */
void sms__folder_add(struct sms__folder *folder, const char *name);

/* Writes `manifest`, which it releases, with the list of files, and renames the folder. Files that are not on the list
 * are removed. After a failure the older folder is as it was; call
 * sms__folder_abandon. */
int sms__folder_end(struct sms__folder *folder, struct json_t *manifest, struct sms_errors *errors);

/* Removes a folder that was begun. Does nothing after a successful end, or to a zeroed folder. */
void sms__folder_abandon(struct sms__folder *folder);

#endif
