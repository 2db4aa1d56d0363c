/* A folder of results: it appears whole or not at all, and its manifest lists the files that are its own. When it is
 * replaced, only what the old manifest lists may go; whatever else somebody has put there is kept. */
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
    SMS__FOLDER_NEW,     /* there must be nothing of its name */
    SMS__FOLDER_REPLACE, /* an older one gives way */
    SMS__FOLDER_ADD,     /* the same, and files of the older one that are not written again stay */
    SMS__FOLDER_SCRATCH  /* never gets its name; readable by this user only */
};

struct sms__folder {
    struct sms__partial partial; /* partial.name: where its files are until the end */
    enum sms__folder_kind kind;
    struct sms__file_names names; /* of those it is to have */
};

/* Starts a folder that sms__folder_end gives the name `path`. Zero it before, so that sms__folder_abandon may always
 * follow. Refuses what the end would refuse. SMS_OK or SMS_EIO or SMS_ENOMEM, having said why. */
int sms__folder_begin(struct sms__folder *folder, const char *path, enum sms__folder_kind kind,
                      struct sms_errors *errors);

/* Whether sms__folder_begin would refuse: to know it before a long run. */
int sms__folder_check(const char *path, enum sms__folder_kind kind, struct sms_errors *errors);

/* A stream to a new file of it, NULL having said why; and its end, with all of it on the disk: SMS_OK or SMS_EIO. */
FILE *sms__folder_open(struct sms__folder *folder, const char *name, struct sms_errors *errors);
int sms__folder_close(struct sms__folder *folder, const char *name, FILE *file, struct sms_errors *errors);

/* Counts a file as its own that somebody else writes there. */
void sms__folder_add(struct sms__folder *folder, const char *name);

/* Writes `manifest`, which it releases, with the list of files, and gives the folder its name; files that are not on
 * the list are scratch and go (a scratch folder stays as it is). Without success the older folder is as it was, and
 * sms__folder_abandon does the rest. */
int sms__folder_end(struct sms__folder *folder, struct json_t *manifest, struct sms_errors *errors);

/* Removes what was begun; does nothing after a successful end, or to a zeroed one. */
void sms__folder_abandon(struct sms__folder *folder);

#endif
