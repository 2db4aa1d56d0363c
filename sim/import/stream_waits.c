/* Calls of the host count up (correlations), and a stream does what the host has called in that order. So an event is
 * recorded after the last operation of its stream that was called before the record, and the first operation that was
 * called after a wait is the one that waits. */
#include "stream_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct operation {
    double start_s, end_s, called_s; /* called_s: NAN: unknown */
    int64_t correlation;
    size_t round, idx; /* round: SIZE_MAX: it is in no iteration that is kept */
};

/* The operations of a stream, by start. */
struct lane {
    struct operation *operation;
    size_t operations;
    size_t *first; /* [rounds] of each round */
    size_t length; /* operations of a round */
};

/* Operation `at` of a stream waits for operation `record` of another one, `ago` iterations before. */
struct edge {
    size_t waiter, at, recorder, record, ago, round;
};

struct finder {
    struct sms__arena *arena;
    const struct sms__profile *trace;
    const struct sms__iterations *found;
    const struct sms__waiting_stream *stream;
    struct lane *lane; /* [streams] */
    size_t streams;
    struct edge *edge;
    size_t edges;
};

static int by_start(const void *left, const void *right)
{
    const struct operation *a = left, *b = right;
    if (a->start_s != b->start_s)
        return a->start_s < b->start_s ? -1 : 1;
    return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static void number_rounds(const struct finder *finder, struct lane *lane)
{
    const struct sms__iterations *found = finder->found;
    lane->first = SMS__NEW(finder->arena, size_t, found->rounds);
    for (size_t i = 0, round = 0; i < lane->operations; i++) {
        struct operation *operation = &lane->operation[i];
        while (round < found->rounds && operation->start_s >= found->end_s[round])
            round++;
        bool inside = round < found->rounds && operation->start_s >= found->begin_s[round];
        bool begins = i == 0 || operation[-1].round != round;
        operation->round = inside ? round : SIZE_MAX;
        operation->idx = inside && !begins ? operation[-1].idx + 1 : 0;
        if (inside && begins)
            lane->first[round] = i;
        if (inside && round == 0)
            lane->length = operation->idx + 1;
    }
}

static void read_lane(const struct finder *finder, const struct sms__profile *all, struct lane *lane)
{
    lane->operation = SMS__NEW(finder->arena, struct operation, all->launches + all->copies + 1);
    for (size_t l = 0; l < all->launches; l++) {
        const struct sms__profile_launch *launch = &all->launch[l];
        lane->operation[lane->operations++] = (struct operation){launch->start_s, launch->start_s + launch->duration_s,
                                                                 launch->called_s, .correlation = launch->correlation};
    }
    for (size_t c = 0; c < all->copies; c++) {
        const struct sms__profile_copy *copy = &all->copy[c];
        if (copy->bytes >= 0.5) /* otherwise it becomes no step */
            lane->operation[lane->operations++] = (struct operation){copy->start_s, copy->start_s + copy->duration_s,
                                                                     NAN, .correlation = copy->correlation};
    }
    qsort(lane->operation, lane->operations, sizeof *lane->operation, by_start);
    number_rounds(finder, lane);
}

/* How many operations of the stream were called before the call. */
static size_t count_before(const struct lane *lane, int64_t correlation)
{
    size_t low = 0, high = lane->operations;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = lane->operation[middle].correlation < correlation;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static size_t find_stream(const struct finder *finder, const char *context, const char *stream)
{
    size_t s = 0;
    while (s < finder->streams &&
           (strcmp(finder->stream[s].stream, stream) != 0 || strcmp(finder->stream[s].context, context) != 0))
        s++;
    return s;
}

/* Adds what an event held back, if both operations are in iterations that are kept. */
static void add_edge(struct finder *finder, const struct sms__profile_wait *wait)
{
    size_t waiter = find_stream(finder, wait->place->context, wait->place->stream);
    size_t recorder = find_stream(finder, wait->record_context, wait->record_stream);
    if (waiter == finder->streams || recorder == finder->streams || waiter == recorder)
        return;
    const struct lane *waits = &finder->lane[waiter], *records = &finder->lane[recorder];
    size_t at = count_before(waits, wait->correlation), record = count_before(records, wait->record_correlation);
    if (at == waits->operations || record == 0)
        return;
    const struct operation *held = &waits->operation[at], *done = &records->operation[record - 1];
    if (held->round == SIZE_MAX || done->round == SIZE_MAX || done->round > held->round ||
        done->start_s >= held->start_s)
        return;
    *SMS__APPEND(finder->arena, finder->edge, finder->edges) =
        (struct edge){waiter, held->idx, recorder, done->idx, held->round - done->round, held->round};
}

static int by_place(const void *left, const void *right)
{
    const size_t *a = left, *b = right; /* an edge is six numbers */
    for (size_t i = 0; i < sizeof(struct edge) / sizeof *a; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* In the first round, what is recorded must come first there too, so that streams cannot wait for each other. */
static bool is_in_order(const struct finder *finder, const struct edge *edge)
{
    const struct lane *waits = &finder->lane[edge->waiter], *records = &finder->lane[edge->recorder];
    if (edge->at >= waits->length || edge->record >= records->length)
        return false;
    return edge->ago > 0 || records->operation[records->first[0] + edge->record].start_s <
                                waits->operation[waits->first[0] + edge->at].start_s;
}

/* Keeps one edge of those that come in more than half of the rounds. */
static void keep_frequent(struct finder *finder)
{
    size_t kept = 0;
    if (finder->edges)
        qsort(finder->edge, finder->edges, sizeof *finder->edge, by_place);
    for (size_t i = 0, next; i < finder->edges; i = next) {
        size_t rounds = 0;
        for (next = i;
             next < finder->edges && !memcmp(&finder->edge[next], &finder->edge[i], offsetof(struct edge, round));
             next++)
            rounds += next == i || finder->edge[next].round != finder->edge[next - 1].round;
        if (2 * rounds > finder->found->rounds - finder->edge[i].ago && is_in_order(finder, &finder->edge[i]))
            finder->edge[kept++] = finder->edge[i];
    }
    finder->edges = kept;
}

/* Whether what `a` waits for is over when `b` is, and `b` comes no later. */
static bool is_implied(const struct finder *finder, const struct edge *a, const struct edge *b)
{
    const size_t length = finder->lane[a->recorder].length;
    return a != b && a->waiter == b->waiter && a->recorder == b->recorder && b->at <= a->at &&
           b->record + a->ago * length >= a->record + b->ago * length;
}

static void drop_implied(struct finder *finder)
{
    struct edge *kept = SMS__NEW(finder->arena, struct edge, finder->edges + 1);
    size_t count = 0;
    for (size_t i = 0; i < finder->edges; i++) {
        bool implied = false;
        for (size_t j = 0; j < finder->edges && !implied; j++)
            implied = is_implied(finder, &finder->edge[i], &finder->edge[j]);
        if (!implied)
            kept[count++] = finder->edge[i];
    }
    finder->edge = kept;
    finder->edges = count;
}

/* The operation in this round, or NULL. */
static const struct operation *operation_at(const struct lane *lane, size_t round, size_t idx)
{
    const struct operation *operation = &lane->operation[lane->first[round] + idx];
    bool there = lane->first[round] + idx < lane->operations && operation->round == round && operation->idx == idx;
    return there ? operation : NULL;
}

/* When the last of `count` events of one operation was recorded; 0 events: it waited for none of this trace. */
static double recorded_s(const struct finder *finder, const struct edge *edge, size_t count, size_t round)
{
    double last = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const struct operation *done =
            round < edge[i].ago ? NULL
                                : operation_at(&finder->lane[edge[i].recorder], round - edge[i].ago, edge[i].record);
        last = done ? fmax(last, done->end_s) : last;
    }
    return last;
}

/* Splits the time before an operation that waits for `count` events: the host's until its call, then the wait. */
static void split_gap(const struct finder *finder, const struct edge *edge, size_t count,
                      struct sms__profile_sync *sync)
{
    const struct lane *lane = &finder->lane[edge->waiter];
    double rounds = 0;
    for (size_t r = 0; r < finder->found->rounds; r++) {
        const struct operation *held = operation_at(lane, r, edge->at);
        double last = recorded_s(finder, edge, count, r);
        if (!held || held == lane->operation || last == -INFINITY)
            continue;
        double gap = fmax(held->start_s - held[-1].end_s, 0);
        double host = fmin(fmax(isnan(held->called_s) ? 0 : held->called_s - held[-1].end_s, 0), gap);
        sync->host_s += host;
        sync->waited_s += fmax(fmin(last - held[-1].end_s, gap) - host, 0);
        rounds++;
    }
    sync->host_s /= fmax(rounds, 1);
    sync->waited_s /= fmax(rounds, 1);
}

static void add_sync(const struct finder *finder, size_t stream, size_t idx, struct sms__profile_sync sync)
{
    const struct lane *lane = &finder->lane[stream];
    struct sms__profile *part = finder->stream[stream].part;
    sync.at_s = lane->operation[lane->first[0] + idx].start_s + (0 - finder->found->begin_s[0]);
    *SMS__APPEND(finder->arena, part->sync, part->syncs) = sync;
}

/* The number of the event that an operation records, from 1. */
static size_t number_event(const struct finder *finder, const struct edge *edge)
{
    size_t first = 0;
    while (finder->edge[first].recorder != edge->recorder || finder->edge[first].record != edge->record)
        first++;
    if (&finder->edge[first] == edge)
        add_sync(finder, edge->recorder, edge->record, (struct sms__profile_sync){.event = first + 1});
    return first + 1;
}

static int by_time(const void *left, const void *right)
{
    const struct sms__profile_sync *a = left, *b = right;
    if (a->at_s != b->at_s)
        return a->at_s < b->at_s ? -1 : 1;
    if (a->waits != b->waits)
        return a->waits ? -1 : 1;
    return (a->event > b->event) - (a->event < b->event);
}

static void write_syncs(struct finder *finder)
{
    for (size_t i = 0, next; i < finder->edges; i = next) {
        const struct edge *edge = &finder->edge[i];
        struct sms__profile_sync sync = {.waits = true};
        for (next = i;
             next < finder->edges && finder->edge[next].waiter == edge->waiter && finder->edge[next].at == edge->at;)
            next++;
        split_gap(finder, edge, next - i, &sync);
        for (size_t e = i; e < next; e++) {
            sync.event = number_event(finder, &finder->edge[e]);
            sync.jobs_ago = finder->edge[e].ago;
            add_sync(finder, edge->waiter, edge->at, sync);
        }
    }
    for (size_t s = 0; s < finder->streams; s++) {
        struct sms__profile *part = finder->stream[s].part;
        if (part->syncs)
            qsort(part->sync, part->syncs, sizeof *part->sync, by_time);
    }
}

size_t sms__stream_waits_find(struct sms__arena *arena, const struct sms__profile *trace,
                              const struct sms__iterations *found, struct sms__waiting_stream *stream, size_t streams,
                              size_t most)
{
    struct finder finder = {arena, trace, found, stream, SMS__NEW(arena, struct lane, streams + 1), streams, NULL, 0};
    size_t longest = 0;
    if (trace->waits == 0)
        return 0;
    for (size_t s = 0; s < streams; s++) {
        read_lane(&finder, &stream[s].all, &finder.lane[s]);
        longest = finder.lane[s].length > longest ? finder.lane[s].length : longest;
    }
    for (size_t w = 0; w < trace->waits; w++)
        add_edge(&finder, &trace->wait[w]);
    keep_frequent(&finder);
    if (finder.edges + longest > most)
        return 0;
    drop_implied(&finder);
    write_syncs(&finder);
    return finder.edges;
}
