/* State of a merge. merge.c writes the folder and its points, merge_rows.c their results. */
#ifndef SMS_SWEEP_MERGE_H
#define SMS_SWEEP_MERGE_H

#include "../base/buffer.h"
#include "database.h"

#include "../report/folder.h"

struct sms__merge {
    struct sms__index *index;
    struct sms__folder *folder;
    const atomic_bool *cancel;
    struct sms_errors *errors;
    FILE *points, *file[SMS_SUBJECTS + 1]; /* file: by subject, then the bounds; NULL before its first row */
    struct sms__database database;
    struct sms__arena arena; /* holds data of one point at a time */
    uint64_t point;
    struct sms__content content;   /* rest of the point's record */
    struct sms__buffer row_prefix; /* "point,scenario,values...", as CSV */
    const char **policy;
    uint32_t policies, replications, own; /* own: numbers of each policy that only a search reads */
    uint64_t warned;                      /* points that were done with warnings */
};

/* merge_rows.c: creates a CSV file and begins its header: "point,scenario,contention.slope". NULL after an error. */
FILE *sms__merge_open(struct sms__merge *merge, const char *name);
/* Writes the results in merge->content. False: they cannot be understood, or a write failed. */
bool sms__merge_results(struct sms__merge *merge);
/* Closes the files of results. True if all of them were written and are on the disk. */
bool sms__merge_close_rows(struct sms__merge *merge);

#endif
