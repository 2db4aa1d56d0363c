/* Shared by nvprof.c, which reads lines, and nvprof_rows.c, which reads the rows of tables. */
#ifndef SMS_IMPORT_NVPROF_H
#define SMS_IMPORT_NVPROF_H

#include "reader.h"

enum sms__nvprof_hint {
    SMS__HINT_ERROR,
    SMS__HINT_NOTHING,
    SMS__HINT_PROCESS,
    SMS__HINT_SUMMARY,
    SMS__HINT_NCU,
    SMS__HINT_HEADER,
    SMS__HINTS
};

/* Processes that are told apart by index; all further ones share the last index. */
enum { SMS__PROCESSES_MAX = 64, SMS__ANY_PROCESS = SMS__PROCESSES_MAX };

struct sms__nvprof_hints {
    char text[SMS__HINTS][200]; /* the first line of each kind */
    struct sms__mark mark[SMS__HINTS];
};

struct sms__nvprof {
    struct sms__profile_reader reader;
    struct sms__text_report text;
    struct sms__nvprof_hints hints;
    const char *process; /* the process whose results follow; "" */
    struct sms__nvprof_process {
        char id[24];
        const char *name;
    } process_seen[SMS__PROCESSES_MAX]; /* of this file */
    size_t processes, current;          /* processes: number seen; current: index of the one whose results follow */
    size_t rows;                        /* of this file */
    struct {
        const char *kernel, *device;
        size_t process, draft;
    } last;              /* the group of the previous row */
    bool is_text_report; /* the table is part of a text report */
};

/* Reads the row that was parsed last. */
void sms__nvprof_row(struct sms__nvprof *nvprof);
/* Assigns the metrics of kernels to the launches of traces. Call it once, after all files are read. */
void sms__nvprof_join_metrics(struct sms__nvprof *nvprof, const char *path);

#endif
