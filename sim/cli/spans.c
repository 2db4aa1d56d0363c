/* spans.csv: what each process did when, as the first replication of each policy goes. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Of one policy; of what comes after, only the number is kept. */
enum { SPAN_ROWS = 200000 };

int spans_begin(struct session *session, const char *folder)
{
    char path[4200];
    bool shares = false;
    for (size_t i = 0; i < session->scenarios; i++)
        shares |= session->scenario[i]->shares;
    if (!shares)
        return EXIT_OK;
    snprintf(path, sizeof path, "%s/spans.csv", folder);
    session->spans = fopen(path, "we");
    if (!session->spans)
        return EXIT_IO;
    fputs("scenario,policy,process,device,state,start_ns,end_ns\n", session->spans);
    return EXIT_OK;
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

void spans_write(struct session *session, const char *policy, const struct sms_span *span)
{
    struct sms__cut *cut = cut_of(session, policy);
    if (!cut) {
        session->spans_lost = true;
        return;
    }
    if (cut->rows == SPAN_ROWS) {
        cut->left_out++;
        return;
    }
    cut->rows++;
    write_row(session, policy, span);
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
    if (!session->spans)
        return EXIT_OK;
    bool whole = !ferror(session->spans) && !session->spans_lost;
    whole = fclose(session->spans) == 0 && whole;
    session->spans = NULL;
    return whole ? EXIT_OK : EXIT_IO;
}
