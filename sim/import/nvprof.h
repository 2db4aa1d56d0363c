/* Between nvprof.c, which reads the lines of files, and nvprof_rows.c, which reads the rows of their tables. */
#ifndef SMS_IMPORT_NVPROF_H
#define SMS_IMPORT_NVPROF_H

#include "reader.h"

enum sms__note {
    SMS__NOTE_ERROR,
    SMS__NOTE_NOTHING,
    SMS__NOTE_PROCESS,
    SMS__NOTE_SUMMARY,
    SMS__NOTE_NCU,
    SMS__NOTE_HEADER,
    SMS__NOTES
};

/* Whose names are known by their numbers; of more, the last. */
enum { SMS__PROCESSES_MAX = 64, SMS__ANY_PROCESS = SMS__PROCESSES_MAX };

struct sms__notes {
    char text[SMS__NOTES][200]; /* of the first line of each kind */
    struct sms__mark mark[SMS__NOTES];
};

struct sms__nvprof {
    struct sms__intake reader;
    struct sms__text_report text;
    struct sms__notes notes;
    const char *process; /* whose results follow; "" */
    struct sms__nvprof_process {
        char id[24];
        const char *name;
    } seen[SMS__PROCESSES_MAX]; /* of this file */
    size_t processes, current;  /* how many were seen, and whose results follow */
    size_t rows;                /* of this file */
    struct {
        const char *kernel, *device;
        size_t process, draft;
    } last;     /* the group of the row before */
    bool plain; /* the table is a text report's */
};

/* The row of the table that has been taken apart. */
void sms__nvprof_row(struct sms__nvprof *nvprof);
/* Gives launches of traces the metrics of their kernels, once all files are read. */
void sms__nvprof_join(struct sms__nvprof *nvprof, const char *path);

#endif
