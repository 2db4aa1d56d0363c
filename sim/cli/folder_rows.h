/* The rows of a results folder that are written while the scenarios run: timeline.csv (blocks), waits.csv (kernels),
 * spans.csv and parts.csv (processes), placements.csv (pods) and gpus.csv (shared GPUs), of the first replication of
 * each policy. The number of rows of a policy is limited, so files stay bounded. */
#ifndef SMS_CLI_FOLDER_ROWS_H
#define SMS_CLI_FOLDER_ROWS_H

#include "../report/folder.h"
#include "session.h"

/* placements.csv. Rows are in the order of placements, and their ends come later. So the rows of a policy wait in a
 * temporary file until the policy has ended. */
struct placements {
    FILE *beginnings;          /* temporary: rows of the current policy, without their ends */
    struct placement_end *end; /* of these rows */
    size_t rows;
    uint32_t *row_of; /* [pods]: by number of a pod, its current row + 1; 0: none */
    size_t pods;
    bool failed; /* out of memory, or the temporary file failed */
};

enum rows_file { ROWS_TIMELINE, ROWS_WAITS, ROWS_SPANS, ROWS_PARTS, ROWS_PLACEMENTS, ROWS_GPUS, ROWS_FILES };

struct rows {
    const struct sms_scenario *scenario; /* the one that runs */
    FILE *file[ROWS_FILES];              /* NULL: not wanted */
    struct placements placements;
    struct sms__cut *cut; /* [cuts]: a policy and kind of rows each */
    size_t cuts;
    bool brief;
    bool failed; /* out of memory */
};

/* Opens the files that the scenarios need; `brief`: the timeline gets a header only. SMS_OK or a code with `errors`
 * filled; rows_end follows in any case. */
int rows_begin(struct rows *rows, const struct session *session, bool brief, struct sms__folder *folder,
               struct sms_errors *errors);
/* Rows of this scenario follow; it must outlive the rows. */
void rows_start_scenario(struct rows *rows, const struct sms_scenario *scenario);
void rows_end_scenario(struct rows *rows);
/* The kinds of events that have rows, as a sum of enum sms_run_event_kind; and an event of such a kind. */
unsigned rows_events(const struct rows *rows);
void rows_add(struct rows *rows, const struct sms_run_event *event);
/* Closes the files. Keeps in `cut` the policies that have more rows than were written; the caller frees it. */
int rows_end(struct rows *rows, struct sms__folder *folder, struct sms_errors *errors);

#endif
