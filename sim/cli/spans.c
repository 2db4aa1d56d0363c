/* spans.csv: what each process did when, as the first replication of each policy goes; gpus.csv: GPUs that pods
 * shared, at the end. */
#include "cli.h"

#include "../base/escape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char spans_name[] = "spans.csv", placements_name[] = "placements.csv", gpus_name[] = "gpus.csv";

static FILE *open_rows(struct sms__folder *folder, const char *name, const char *header, struct sms_errors *errors)
{
    FILE *file = sms__folder_open(folder, name, errors);
    if (file)
        fprintf(file, "%s\n", header);
    return file;
}

static int open_placements(struct session *session, struct sms__folder *folder, struct sms_errors *errors)
{
    session->placements = open_rows(folder, placements_name,
                                    "scenario,policy,time_ns,wait_ns,pod,node,gpus,arrived_ratio,allocated_ratio,"
                                    "fragment_ratio,end_ns,ended",
                                    errors);
    if (!session->placements)
        return SMS_EIO;
    session->beginnings = tmpfile();
    return session->beginnings
               ? SMS_OK
               : sms__fail(errors, SMS_EIO, NULL, "a temporary file cannot be made: %s", strerror(errno));
}

int spans_begin(struct session *session, struct sms__folder *folder, struct sms_errors *errors)
{
    bool shares = false, clusters = false, gpus = false;
    for (size_t i = 0; i < session->scenarios; i++) {
        shares |= session->scenario[i]->shares;
        clusters |= session->scenario[i]->cluster != NULL;
        gpus |= session->scenario[i]->cluster && session->scenario[i]->cluster->gpushare;
    }
    if (shares)
        session->spans = open_rows(folder, spans_name, "scenario,policy,process,device,state,start_ns,end_ns", errors);
    if (shares && !session->spans)
        return SMS_EIO;
    if (clusters && open_placements(session, folder, errors))
        return SMS_EIO;
    if (gpus)
        session->gpus = open_rows(
            folder, gpus_name, "scenario,policy,node,gpu,memory_bytes,allocated_bytes,used_bytes,pods_count", errors);
    return gpus && !session->gpus ? SMS_EIO : SMS_OK;
}

/* The policy's own count; NULL without memory. Policies come one after another. */
static struct sms__cut *cut_of(struct session *session, const char *policy)
{
    struct sms__cut *last = session->cuts ? &session->cut[session->cuts - 1] : NULL;
    if (last && !strcmp(last->policy, policy) && !strcmp(last->scenario, session->running))
        return last;
    struct sms__cut *grown = realloc(session->cut, (session->cuts + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    session->cut = grown;
    last = &grown[session->cuts++];
    *last = (struct sms__cut){.scenario = session->running, .policy = policy};
    return last;
}

/* A device of -1, none, is an empty field. */
static void write_row(const struct session *session, const char *policy, const struct sms_span *span)
{
    SMS__PRINT_CSV(session->spans, session->running, policy, span->name);
    if (span->device >= 0)
        fprintf(session->spans, "%ld", span->device);
    fputc(',', session->spans);
    sms__print_csv(session->spans, span->state);
    fprintf(session->spans, ",%.3f,%.3f\n", (double)span->start_ps / 1e3, (double)span->end_ps / 1e3);
}

bool spans_have_room(struct session *session, const char *policy, bool placements)
{
    struct sms__cut *cut = cut_of(session, policy);
    if (!cut) {
        session->spans_lost = true;
        return false;
    }
    cut->placements = placements;
    bool room = cut->rows < SPAN_ROWS;
    cut->rows += room;
    cut->left_out += !room;
    return room;
}

void spans_write(struct session *session, const char *policy, const struct sms_span *span)
{
    if (spans_have_room(session, policy, false))
        write_row(session, policy, span);
}

void spans_write_gpu(struct session *session, const char *policy, const struct sms_shared_gpu *gpu)
{
    SMS__PRINT_CSV(session->gpus, session->running, policy, gpu->node);
    fprintf(session->gpus, "%u,%llu,%llu,%llu,%u\n", gpu->gpu, (unsigned long long)gpu->memory_bytes,
            (unsigned long long)gpu->allocated_bytes, (unsigned long long)gpu->used_bytes, gpu->pods);
}

static int close_rows(struct sms__folder *folder, const char *name, FILE **file, struct sms_errors *errors)
{
    int code = *file ? sms__folder_close(folder, name, *file, errors) : SMS_OK;
    *file = NULL;
    return code;
}

/* Their rows are in placements.csv by now. */
static int close_beginnings(struct session *session, struct sms_errors *errors)
{
    bool lost = session->spans_lost || (session->beginnings && ferror(session->beginnings));
    if (session->beginnings)
        fclose(session->beginnings);
    session->beginnings = NULL;
    return lost ? sms__fail(errors, SMS_ENOMEM, NULL, "no room for the rows of a timeline") : SMS_OK;
}

/* The manifest names the policies whose spans are not all there. */
int spans_end(struct session *session, struct sms__folder *folder, struct sms_errors *errors)
{
    size_t cuts = 0;
    for (size_t i = 0; i < session->cuts; i++)
        if (session->cut[i].left_out)
            session->cut[cuts++] = session->cut[i];
    session->cuts = cuts;
    session->set.cut = session->cut;
    session->set.cuts = cuts;
    const int codes[] = {close_rows(folder, spans_name, &session->spans, errors), close_beginnings(session, errors),
                         close_rows(folder, placements_name, &session->placements, errors),
                         close_rows(folder, gpus_name, &session->gpus, errors)};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i])
            return codes[i];
    return SMS_OK;
}
