/* placements.csv: where pods were placed, and when and how their stay there ended, in the first replication of each
 * policy. */
#ifndef SMS_CLI_PLACEMENTS_H
#define SMS_CLI_PLACEMENTS_H

#include "../report/folder.h"

#include <smsched/smsched.h>

struct placements {
    FILE *to;                  /* NULL: no scenario has pods */
    FILE *beginnings;          /* temporary: rows of the current policy, without their ends */
    struct placement_end *end; /* [most]: of these rows */
    size_t rows, most;
    uint32_t *row_of; /* [pods]: by number of a pod, its current row + 1; 0: none */
    size_t pods;
    bool failed; /* out of memory, or the temporary file failed */
};

/* Opens the file for at most `most` rows of a policy. SMS_OK or a code with `errors` filled; placements_end follows in
 * any case. */
int placements_begin(struct placements *placements, size_t most, struct sms__folder *folder, struct sms_errors *errors);
void placements_add(struct placements *placements, const char *scenario, const char *policy,
                    const struct sms_placement *placement);
/* Forgets the pod's row: its new placement has none. */
void placements_leave_out(struct placements *placements, const struct sms_placement *placement);
void placements_add_end(struct placements *placements, const struct sms_departure *departure);
/* Writes the rows of a policy that has ended. */
void placements_flush(struct placements *placements);
int placements_end(struct placements *placements, struct sms__folder *folder, struct sms_errors *errors);

#endif
