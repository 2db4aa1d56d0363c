/* Between trace_write.c, which writes the events of a trace, and trace_tracks.c, which says where they are shown. */
#ifndef SMS_REPORT_TRACE_WRITER_H
#define SMS_REPORT_TRACE_WRITER_H

#include "trace.h"
#include "trace_text.h"

/* Events of one track never overlap, as viewers demand; an SM has as many lanes as it needs. */
struct sms__lanes {
    uint64_t *end;
    size_t count;
};

struct sms__trace_writer {
    const struct sms__trace *trace;
    const struct sms__trace_part *part;
    struct sms__lanes *lanes;      /* [tracks] */
    char *file;                    /* the scenario's, as sms__path_text */
    uint64_t first_pid, first_tid; /* of this part */
    uint64_t events;
    struct sms__text text;
};

/* Where a record is shown. */
struct sms__trace_place {
    uint64_t pid, tid;
    bool is_kernel;
};

/* Turns to a policy; the "processes" of one are numbered after those of the one before. */
void sms__trace_go_to(struct sms__trace_writer *writer, size_t part);
/* Names the tracks of the part, but for SMs and streams, which are named when something comes to be shown on them. */
void sms__trace_name_tracks(struct sms__trace_writer *writer);
/* SMS_OK, or SMS_ENOMEM. Of a record of a device. */
int sms__trace_place(struct sms__trace_writer *writer, const struct sms__trace_record *record,
                     struct sms__trace_place *place);
/* The device of a track that is no process's. */
size_t sms__trace_device(const struct sms__trace *trace, uint32_t track);
/* The first track of processes of this part. */
uint64_t sms__trace_process_tid(const struct sms__trace_writer *writer);

/* trace_pods.c: the events of a cluster. SMS_OK or SMS_ENOMEM. */
int sms__trace_put_pods(struct sms__trace_writer *writer);
/* Of one part. */
uint64_t sms__trace_pod_tids(const struct sms__trace *trace);
/* The lane that the record takes on its track, by rising end; -1: there is none and are `most`, or no memory. */
long sms__trace_lane(struct sms__lanes *lanes, const struct sms__trace_record *record, size_t most, bool *is_new);
/* Begins the event that names a process or thread; its place among the others. */
void sms__trace_name(struct sms__trace_writer *writer, const char *what, uint64_t pid, uint64_t tid);
void sms__trace_sort_index(struct sms__trace_writer *writer, const char *what, uint64_t pid, uint64_t tid,
                           uint64_t idx);

/* Begins an event of a phase: "M", "X", "C". */
void sms__trace_event(struct sms__trace_writer *writer, const char *phase);

#endif
