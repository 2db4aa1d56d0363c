/* What the files of a merge are written by: merge.c has points and the folder, merge_rows.c what came of them. */
#ifndef SMS_SWEEP_MERGE_H
#define SMS_SWEEP_MERGE_H

#include "../base/buffer.h"
#include "database.h"

#include "../report/folder.h"

struct sms__merge {
    const struct sms__index *index;
    struct sms__folder *folder;
    const atomic_bool *cancel;
    struct sms_errors *errors;
    FILE *points, *of[SMS_SUBJECTS], *bounds;
    struct sms__database *database;
    struct sms__bytes record;
    struct sms__point_head head;
    struct sms__arena arena; /* of one point */
    struct sms__merged_point point;
    struct sms__buffer place; /* "point,scenario,values...", as CSV */
    const char **policy;
    uint32_t policies, replications;
    uint64_t warned; /* points that were done with warnings */
};

FILE *sms__merge_open(struct sms__merge *merge, const char *name);
/* The first columns of every file: "point,scenario,contention.slope". */
void sms__merge_columns(const struct sms__merge *merge, FILE *to);

/* merge_rows.c: the results of the record at hand. False: it cannot be understood, or something cannot be written. */
bool sms__merge_results(struct sms__merge *merge);
/* Whether all its files were written and are on the disk. */
bool sms__merge_close_rows(struct sms__merge *merge);
/* merge.c: the same of one file. */
bool sms__merge_close(struct sms__merge *merge, const char *name, FILE *file);

#endif
