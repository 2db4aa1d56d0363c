/* Rows are in the order of placements, and their ends come later. So the rows of a policy wait in a temporary file
 * until the policy has ended. */
#define _XOPEN_SOURCE 700
#include "placements.h"

#include "../base/escape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "placements.csv";

struct placement_end {
    uint64_t end_ps;
    const char *ended; /* "": unknown */
};

int placements_begin(struct placements *placements, size_t most, struct sms__folder *folder, struct sms_errors *errors)
{
    placements->most = most;
    placements->to = sms__folder_open(folder, name, errors);
    if (!placements->to)
        return SMS_EIO;
    fputs("scenario,policy,time_ns,wait_ns,pod,node,gpus,arrived_ratio,allocated_ratio,fragment_ratio,end_ns,ended\n",
          placements->to);
    placements->beginnings = tmpfile();
    return placements->beginnings
               ? SMS_OK
               : sms__fail(errors, SMS_EIO, NULL, "a temporary file cannot be made: %s", strerror(errno));
}

/* Stores the pod's current row + 1, or 0. Returns false when out of memory. */
static bool set_row(struct placements *placements, size_t pod, uint32_t row)
{
    if (pod >= placements->pods) {
        size_t pods = 2 * pod + 1024;
        uint32_t *grown = row ? realloc(placements->row_of, pods * sizeof *grown) : NULL;
        if (!grown)
            return row == 0;
        memset(grown + placements->pods, 0, (pods - placements->pods) * sizeof *grown);
        placements->row_of = grown;
        placements->pods = pods;
    }
    placements->row_of[pod] = row;
    return true;
}

static bool add_row(struct placements *placements, size_t pod)
{
    if (!placements->end)
        placements->end = calloc(placements->most, sizeof *placements->end);
    if (!placements->end || !set_row(placements, pod, (uint32_t)placements->rows + 1))
        return false;
    placements->end[placements->rows++] = (struct placement_end){.ended = ""};
    return true;
}

void placements_add(struct placements *placements, const char *scenario, const char *policy,
                    const struct sms_placement *placement)
{
    FILE *to = placements->beginnings;
    if (!add_row(placements, placement->number)) {
        placements->failed = true;
        return;
    }
    SMS__PRINT_CSV(to, scenario, policy);
    fprintf(to, "%.3f,%.3f,", (double)placement->time_ps / 1e3, (double)placement->wait_ps / 1e3);
    SMS__PRINT_CSV(to, placement->pod, placement->node);
    for (unsigned i = 0, n = 0; i < 64; i++)
        if (placement->gpus >> i & 1)
            fprintf(to, "%s%u", n++ ? " " : "", i);
    fprintf(to, ",%.6f,%.6f,%.6f\n", placement->arrived, placement->allocated, placement->fragments);
}

void placements_leave_out(struct placements *placements, const struct sms_placement *placement)
{
    set_row(placements, placement->number, 0);
}

void placements_add_end(struct placements *placements, const struct sms_departure *departure)
{
    uint32_t row = departure->number < placements->pods ? placements->row_of[departure->number] : 0;
    if (row == 0)
        return;
    placements->end[row - 1] = (struct placement_end){departure->end_ps, departure->ended};
    placements->row_of[departure->number] = 0;
}

void placements_flush(struct placements *placements)
{
    char *line = NULL;
    size_t size = 0;
    rewind(placements->beginnings);
    for (size_t i = 0; i < placements->rows; i++) {
        const struct placement_end *end = &placements->end[i];
        ssize_t length = getline(&line, &size, placements->beginnings);
        placements->failed |= length < 1;
        if (length < 1)
            break;
        fprintf(placements->to, "%.*s,%.3f,%s\n", (int)length - 1, line, (double)end->end_ps / 1e3, end->ended);
    }
    free(line);
    rewind(placements->beginnings);
    placements->rows = 0;
    if (placements->row_of)
        memset(placements->row_of, 0, placements->pods * sizeof *placements->row_of);
}

int placements_end(struct placements *placements, struct sms__folder *folder, struct sms_errors *errors)
{
    bool failed = placements->failed || (placements->beginnings && ferror(placements->beginnings));
    if (placements->beginnings)
        fclose(placements->beginnings);
    int code = placements->to ? sms__folder_close(folder, name, placements->to, errors) : SMS_OK;
    free(placements->end);
    free(placements->row_of);
    *placements = (struct placements){0};
    return failed ? sms__fail(errors, SMS_ENOMEM, NULL, "no room for the rows of a timeline") : code;
}
