/* spans.csv: what each process did when, as the first replication of each policy goes; gpus.csv: GPUs that pods
 * shared, at the end. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static FILE *open_rows(const char *folder, const char *name, const char *header)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    if (file)
        fprintf(file, "%s\n", header);
    return file;
}

int spans_begin(struct session *session, const char *folder)
{
    bool shares = false, clusters = false, gpus = false;
    for (size_t i = 0; i < session->scenarios; i++) {
        shares |= session->scenario[i]->shares;
        clusters |= session->scenario[i]->cluster != NULL;
        gpus |= session->scenario[i]->cluster && session->scenario[i]->cluster->gpushare;
    }
    if (shares)
        session->spans = open_rows(folder, "spans.csv", "scenario,policy,process,device,state,start_ns,end_ns");
    if (clusters) {
        session->placements = open_rows(folder, "placements.csv",
                                        "scenario,policy,time_ns,wait_ns,pod,node,gpus,arrived_ratio,allocated_ratio,"
                                        "fragment_ratio,end_ns,ended");
        session->beginnings = tmpfile();
    }
    if (gpus)
        session->gpus = open_rows(folder, "gpus.csv",
                                  "scenario,policy,node,gpu,memory_bytes,allocated_bytes,used_bytes,pods_count");
    bool lacks = (shares && !session->spans) || (gpus && !session->gpus) ||
                 (clusters && (!session->placements || !session->beginnings));
    return lacks ? EXIT_IO : EXIT_OK;
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
    *last = (struct sms__cut){.rows = 0};
    snprintf(last->scenario, sizeof last->scenario, "%s", session->running);
    snprintf(last->policy, sizeof last->policy, "%s", policy);
    return last;
}

/* A device of -1, none, is an empty field. */
static void write_row(const struct session *session, const char *policy, const struct sms_span *span)
{
    fprintf(session->spans, "%s,%s,%s,", session->running, policy, span->name);
    if (span->device >= 0)
        fprintf(session->spans, "%ld", span->device);
    fprintf(session->spans, ",%s,%.3f,%.3f\n", span->state, (double)span->start_ps / 1e3, (double)span->end_ps / 1e3);
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
    fprintf(session->gpus, "%s,%s,%s,%u,%llu,%llu,%llu,%u\n", session->running, policy, gpu->node, gpu->gpu,
            (unsigned long long)gpu->memory_bytes, (unsigned long long)gpu->allocated_bytes,
            (unsigned long long)gpu->used_bytes, gpu->pods);
}

/* Whether all of it was written; a file that is none is. */
static bool close_rows(FILE **file)
{
    bool whole = !*file || !ferror(*file);
    whole = (!*file || fclose(*file) == 0) && whole;
    *file = NULL;
    return whole;
}

/* The manifest names the policies whose spans are not all there. */
int spans_end(struct session *session)
{
    size_t cuts = 0;
    for (size_t i = 0; i < session->cuts; i++)
        if (session->cut[i].left_out)
            session->cut[cuts++] = session->cut[i];
    session->cuts = cuts;
    session->set.cut = session->cut;
    session->set.cuts = cuts;
    bool whole = close_rows(&session->spans);
    whole = close_rows(&session->beginnings) && whole;
    whole = close_rows(&session->placements) && whole && !session->spans_lost;
    whole = close_rows(&session->gpus) && whole;
    return whole ? EXIT_OK : EXIT_IO;
}
