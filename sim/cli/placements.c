/* placements.csv: where pods went and how their stay there ended, of the first replication of each policy. Rows are in
 * the order of placements and their ends come later: until the policy is through its rows are in a file of their own.
 */
#define _XOPEN_SOURCE 700
#include "cli.h"

#include "../base/escape.h"

#include <stdlib.h>
#include <string.h>

struct placement_end {
    uint64_t end_ps;
    const char *ended; /* "": not told */
};

/* Notes that the pod's row is the last, or that it has none. False without memory. */
static bool note_row(struct session *session, size_t number, uint32_t row)
{
    if (number >= session->placed_room) {
        size_t room = 2 * number + 1024;
        uint32_t *grown = row ? realloc(session->placed_at, room * sizeof *grown) : NULL;
        if (!grown)
            return row == 0;
        memset(grown + session->placed_room, 0, (room - session->placed_room) * sizeof *grown);
        session->placed_at = grown;
        session->placed_room = room;
    }
    session->placed_at[number] = row;
    return true;
}

static bool add_row(struct session *session, size_t number)
{
    if (!session->placement_end)
        session->placement_end = calloc(SPAN_ROWS, sizeof *session->placement_end);
    if (!session->placement_end || !note_row(session, number, (uint32_t)session->placement_rows + 1))
        return false;
    session->placement_end[session->placement_rows++] = (struct placement_end){.ended = ""};
    return true;
}

/* GPUs are their numbers with spaces between them. */
static void write_beginning(const struct session *session, const char *policy, const struct sms_placement *placement)
{
    FILE *to = session->beginnings;
    SMS__PRINT_CSV(to, session->running, policy);
    fprintf(to, "%.3f,%.3f,", (double)placement->time_ps / 1e3, (double)placement->wait_ps / 1e3);
    SMS__PRINT_CSV(to, placement->pod, placement->node);
    for (unsigned i = 0, n = 0; i < 64; i++)
        if (placement->gpus >> i & 1)
            fprintf(to, "%s%u", n++ ? " " : "", i);
    fprintf(to, ",%.6f,%.6f,%.6f\n", placement->arrived, placement->allocated, placement->fragments);
}

void placements_write(struct session *session, const char *policy, const struct sms_placement *placement)
{
    const struct sms__cut *last = session->cuts ? &session->cut[session->cuts - 1] : NULL;
    if (last && strcmp(last->policy, policy) != 0)
        placements_flush(session);
    if (!spans_have_room(session, policy, true)) {
        note_row(session, placement->number, 0);
        return;
    }
    if (add_row(session, placement->number))
        write_beginning(session, policy, placement);
    else
        session->spans_lost = true;
}

void placements_write_end(struct session *session, const struct sms_departure *departure)
{
    uint32_t row = departure->number < session->placed_room ? session->placed_at[departure->number] : 0;
    if (row == 0)
        return;
    session->placement_end[row - 1] = (struct placement_end){departure->end_ps, departure->ended};
    session->placed_at[departure->number] = 0;
}

void placements_flush(struct session *session)
{
    char *line = NULL;
    size_t size = 0;
    rewind(session->beginnings);
    for (size_t i = 0; i < session->placement_rows; i++) {
        const struct placement_end *end = &session->placement_end[i];
        ssize_t length = getline(&line, &size, session->beginnings);
        session->spans_lost |= length < 1;
        if (length < 1)
            break;
        fprintf(session->placements, "%.*s,%.3f,%s\n", (int)length - 1, line, (double)end->end_ps / 1e3, end->ended);
    }
    free(line);
    rewind(session->beginnings);
    session->placement_rows = 0;
    if (session->placed_at)
        memset(session->placed_at, 0, session->placed_room * sizeof *session->placed_at);
}
