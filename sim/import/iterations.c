/* Finds iterations in a trace. Prefix hashes make each window between two anchors comparable in constant time, so all
 * anchors together take n log n steps. */
#include "iterations.h"

#include "../base/hash.h"
#include "../base/intern.h"
#include "../base/sort.h"

#include <smsched/error.h>

#include <math.h>
#include <string.h>

enum { ROUNDS_LEAST = 3, STREAMS_MAX = 64, COPY_IN = 1, COPY_OUT = 2, COPY_EMPTY = 4 };

static const double COVERED_LEAST = 0.5, TIE = 0.005;
static const double LIKER = 0.25; /* by which a looser likeness must cover more */
static const uint64_t HASH_START = 14695981039346656037u, HASH_FACTOR = 6364136223846793005u;

/* How operations are told apart. */
struct likeness {
    bool by_name;   /* kernels are equal if their names are, whatever their geometry */
    bool by_stream; /* an order on each stream, and none between streams */
};

struct operation {
    double start, end;
    uint64_t code;  /* equal for equal kernels and geometries, and for copies of one direction */
    uint32_t place; /* its number */
    uint32_t launch : 1, index : 31;
};

/* The operations between an anchor and the next. */
struct window {
    uint64_t hash;
    uint32_t from, length;
};

/* The windows of one code. `from` and `count` are those that are equal, in `window`. */
struct anchor {
    size_t from, count, windows, first;
    double score, pause_s;
};

struct search {
    struct sms__arena *scratch;
    const struct sms__profile *profile;
    struct likeness likeness;
    struct operation *operation;
    size_t operations;
    uint64_t *place_code, *shape_code; /* [places], of context and stream; [shapes], of the likeness */
    uint64_t *hash, *power;            /* [operations + 1] of the operations before; of the factor */
    double *busy_s, *latest_end;       /* [operations + 1] of the operations before */
    uint32_t *by_code, *number;        /* [operations]: operations by code and time; from 1 of an operation's code */
    struct window *window;             /* [operations], grouped by anchor */
    struct anchor best;
};

/* A text that is missing is an empty one. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return sms__hash_text(hash, text ? text : "", text ? strlen(text) : 0);
}

static uint64_t code_of_shape(const struct sms__profile_shape *shape, bool by_name)
{
    uint64_t hash = hash_text(HASH_START, shape->kernel);
    if (by_name)
        return hash | 8;
    for (int i = 0; i < 3; i++)
        hash = sms__hash(sms__hash(hash, shape->grid[i]), shape->block[i]);
    hash = sms__hash(hash, shape->registers);
    return sms__hash(sms__hash(hash, (uint64_t)shape->static_shared), (uint64_t)shape->dynamic_shared) | 8;
}

static uint64_t code_of_copy(const struct sms__profile_copy *copy)
{
    return (copy->to_device ? COPY_IN : COPY_OUT) | (copy->bytes >= 0.5 ? 0 : COPY_EMPTY);
}

static void add_operation(struct search *search, const struct sms__trace_place *place, struct operation operation)
{
    if (!search->place_code[place->number])
        search->place_code[place->number] = hash_text(hash_text(HASH_START, place->context), place->stream);
    operation.place = (uint32_t)place->number;
    search->operation[search->operations++] = operation;
}

static void add_copies(struct search *search, bool to_device)
{
    const struct sms__profile *profile = search->profile;
    for (size_t c = 0; c < profile->copies; c++) {
        const struct sms__profile_copy *copy = &profile->copy[c];
        if (copy->to_device == to_device)
            add_operation(
                search, copy->place,
                (struct operation){copy->start_s, copy->start_s + copy->duration_s, .index = (uint32_t)c & INT32_MAX});
    }
}

/* Operations that start at once are in the order in which derive_steps.c has them. */
static void collect(struct search *search)
{
    const struct sms__profile *profile = search->profile;
    add_copies(search, true);
    for (size_t l = 0; l < profile->launches; l++) {
        const struct sms__profile_launch *launch = &profile->launch[l];
        add_operation(search, launch->place,
                      (struct operation){launch->start_s, launch->start_s + launch->duration_s, .launch = 1,
                                         .index = (uint32_t)l & INT32_MAX});
    }
    add_copies(search, false);
    sms__sort(search->scratch, search->operation, search->operations, sizeof *search->operation, sms__by_double);
}

/* Sets the codes of a likeness: those of shapes once, because many operations share one. */
static void set_codes(struct search *search)
{
    const struct sms__profile *profile = search->profile;
    memset(search->shape_code, 0, profile->shapes * sizeof *search->shape_code);
    for (size_t i = 0; i < search->operations; i++) {
        struct operation *operation = &search->operation[i];
        const struct sms__profile_shape *shape = operation->launch ? profile->launch[operation->index].shape : NULL;
        if (shape && !search->shape_code[shape->number])
            search->shape_code[shape->number] = code_of_shape(shape, search->likeness.by_name);
        operation->code = shape ? search->shape_code[shape->number] : code_of_copy(&profile->copy[operation->index]);
        if (search->likeness.by_stream)
            operation->code = sms__hash(operation->code, search->place_code[operation->place]);
    }
}

/* Puts operations of equal codes together, in the order of time: a counting sort by the number of the code. */
static void order_by_code(struct search *search)
{
    struct sms__string_pool codes = {.arena = search->scratch};
    size_t numbers = 0;
    for (size_t i = 0; i < search->operations; i++) {
        const uint64_t *code = &search->operation[i].code;
        struct sms__pooled_string *entry = sms__intern(&codes, (const char *)code, sizeof *code);
        entry->value = entry->value ? entry->value : ++numbers;
        search->number[i] = (uint32_t)entry->value;
    }
    uint32_t *end = SMS__NEW(search->scratch, uint32_t, numbers + 1); /* of each number, so far */
    for (size_t i = 0; i < search->operations; i++)
        end[search->number[i]]++;
    for (size_t n = 1; n <= numbers; n++)
        end[n] += end[n - 1];
    for (size_t i = 0; i < search->operations; i++)
        search->by_code[end[search->number[i] - 1]++] = (uint32_t)i;
}

static void prepare(struct search *search)
{
    const size_t count = search->operations;
    const uint64_t factor = search->likeness.by_stream ? 1 : HASH_FACTOR; /* 1: whatever their order */
    search->power[0] = 1;
    search->latest_end[0] = search->operation[0].start;
    for (size_t i = 0; i < count; i++) {
        const struct operation *operation = &search->operation[i];
        search->hash[i + 1] = search->hash[i] * factor + operation->code;
        search->power[i + 1] = search->power[i] * factor;
        search->busy_s[i + 1] = search->busy_s[i] + operation->end - operation->start;
        search->latest_end[i + 1] = fmax(search->latest_end[i], operation->end);
    }
}

static int by_hash(const void *left, const void *right)
{
    const struct window *a = left, *b = right;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

static bool is_equal(const struct window *a, const struct window *b)
{
    return a->hash == b->hash && a->length == b->length;
}

static double busy_of(const struct search *search, const struct window *window)
{
    return search->busy_s[window->from + window->length] - search->busy_s[window->from];
}

/* Rates the equal windows that take the most time, of the windows [from, from + count). The last anchor opens no
 * window, because nobody knows where it ends; the others stand for it. */
static struct anchor rate(const struct search *search, size_t from, size_t count, size_t first)
{
    struct anchor best = {.windows = count, .first = first};
    double most = 0;
    for (size_t i = from, next; i < from + count; i = next) {
        double busy = 0, pause = 0;
        for (next = i; next < from + count && is_equal(&search->window[next], &search->window[i]); next++) {
            size_t at = search->window[next].from;
            busy += busy_of(search, &search->window[next]);
            pause += fmax(search->operation[at].start - search->latest_end[at], 0);
        }
        if (busy > most) {
            most = busy;
            best.from = i;
            best.count = next - i;
            best.pause_s = pause / (double)(next - i);
        }
    }
    best.score = most / search->busy_s[search->operations] * (double)(count + 1) / (double)count;
    return best;
}

static bool is_better(const struct anchor *a, const struct anchor *b)
{
    if (fabs(a->score - b->score) > TIE)
        return a->score > b->score;
    if (a->pause_s != b->pause_s)
        return a->pause_s > b->pause_s;
    return a->first < b->first;
}

/* The operations of a window in the order that they have, or that they have on each stream. */
static uint64_t hash_of_order(const struct search *search, const struct window *window)
{
    uint64_t stream[STREAMS_MAX], order[STREAMS_MAX], sum = window->length;
    size_t streams = 0;
    for (size_t i = window->from; i < (size_t)window->from + window->length; i++) {
        const struct operation *operation = &search->operation[i];
        uint64_t of = search->likeness.by_stream ? search->place_code[operation->place] : 0;
        size_t s = 0;
        while (s < streams && stream[s] != of)
            s++;
        if (s == STREAMS_MAX)
            return sum + i; /* like no other */
        if (s == streams) {
            stream[streams] = of;
            order[streams++] = HASH_START;
        }
        order[s] = sms__hash(order[s] * HASH_FACTOR, operation->code);
    }
    for (size_t s = 0; s < streams; s++)
        sum += sms__hash(order[s], stream[s]);
    return sum;
}

/* Drops windows that only hash alike. Returns how many of the best anchor's are left, which are the first. */
static size_t confirm(struct search *search)
{
    struct window *window = &search->window[search->best.from];
    size_t kept = 0;
    uint64_t first = hash_of_order(search, &window[0]);
    for (size_t w = 0; w < search->best.count; w++)
        if (hash_of_order(search, &window[w]) == first)
            window[kept++] = window[w];
    return kept;
}

/* Rates each code as an anchor. Returns how many equal windows the best one has. */
static size_t search_anchors(struct search *search)
{
    double top = 0;
    size_t anchors = 0;
    struct anchor *anchor = NULL;
    for (size_t i = 0, next; i < search->operations; i = next) {
        const uint32_t *at = search->by_code, number = search->number[at[i]];
        for (next = i + 1; next < search->operations && search->number[at[next]] == number; next++) {
            const uint32_t from = at[next - 1], to = at[next];
            search->window[next - 1] =
                (struct window){search->hash[to] - search->hash[from] * search->power[to - from], from, to - from};
        }
        if (next - i <= ROUNDS_LEAST)
            continue;
        sms__sort(search->scratch, &search->window[i], next - 1 - i, sizeof *search->window, by_hash);
        struct anchor found = rate(search, i, next - 1 - i, at[i]);
        top = fmax(top, found.score);
        *SMS__APPEND(search->scratch, anchor, anchors) = found;
    }
    for (size_t a = 0; a < anchors; a++)
        if (anchor[a].score >= top - TIE && (search->best.count == 0 || is_better(&anchor[a], &search->best)))
            search->best = anchor[a];
    bool repeats = search->best.count >= ROUNDS_LEAST && search->best.score >= COVERED_LEAST;
    size_t rounds = repeats ? confirm(search) : 0;
    return rounds >= ROUNDS_LEAST ? rounds : 0;
}

/* Copies a window's operations, so that it starts at `base`. Launches come no later in the list than they were. */
static void keep_window(const struct search *search, const struct window *window, double base, struct sms__profile *out)
{
    const struct sms__profile *profile = search->profile;
    double shift = base - search->operation[window->from].start;
    for (size_t i = window->from; i < (size_t)window->from + window->length; i++) {
        const struct operation *operation = &search->operation[i];
        if (operation->launch) {
            struct sms__profile_launch *launch = &out->launch[out->launches++];
            *launch = profile->launch[operation->index];
            launch->called_s += operation->start + shift - launch->start_s;
            launch->start_s = operation->start + shift;
        } else {
            out->copy[out->copies] = profile->copy[operation->index];
            out->copy[out->copies++].start_s = operation->start + shift;
        }
    }
}

/* Seconds in which operations of the window overlap earlier ones. */
static double overlap_of(const struct search *search, const struct window *window)
{
    double sum = 0, end = search->latest_end[window->from];
    for (size_t i = window->from; i < (size_t)window->from + window->length; i++) {
        const struct operation *operation = &search->operation[i];
        sum += fmax(fmin(operation->end, end) - operation->start, 0);
        end = fmax(end, operation->end);
    }
    return sum;
}

static struct sms__iterations measure(const struct search *search, const struct window *window, size_t rounds)
{
    struct sms__iterations found = {.rounds = rounds};
    double total = 0, squares = 0, busy = 0;
    bool all = window->length == search->operations;
    for (size_t w = 0; w < rounds; w++) {
        const size_t from = window[w].from;
        double end = all ? search->latest_end[search->operations] : search->operation[from + window[w].length].start,
               length = end - search->operation[from].start;
        total += length;
        squares += length * length;
        found.longest_s = fmax(found.longest_s, length);
        busy += busy_of(search, &window[w]);
        found.overlap += overlap_of(search, &window[w]);
    }
    for (size_t i = window->from; i < (size_t)window->from + window->length; i++)
        *(search->operation[i].launch ? &found.launches : &found.copies) += 1;
    found.mean_s = total / (double)rounds;
    found.spread = sqrt(fmax(squares / (double)rounds - found.mean_s * found.mean_s, 0)) / found.mean_s;
    found.covered = busy / search->busy_s[search->operations];
    found.overlap /= total;
    return found;
}

/* Keeps the windows, far enough from each other that they do not touch. */
static void keep(const struct search *search, struct sms__arena *arena, const struct window *window,
                 struct sms__iterations *found, struct sms__profile *out)
{
    *out = *search->profile;
    out->copy = SMS__NEW(arena, struct sms__profile_copy, found->rounds * found->copies + 1);
    out->launches = out->copies = 0;
    out->pitch_s = 2 * found->longest_s;
    out->rounds = found->rounds;
    out->round_s = found->mean_s;
    for (size_t w = 0; w < found->rounds; w++)
        keep_window(search, &window[w], (double)w * out->pitch_s, out);
}

static bool has_geometry_of(const struct sms__profile_shape *a, const struct sms__profile_shape *b)
{
    return a == b || (!memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block) &&
                      a->registers == b->registers && a->static_shared == b->static_shared &&
                      a->dynamic_shared == b->dynamic_shared);
}

size_t sms__iterations_level(struct sms__profile *profile)
{
    const size_t rounds = profile->rounds, launches = profile->launches / rounds;
    const struct sms__profile_launch *middle = &profile->launch[rounds / 2 * launches];
    size_t varying = 0;
    for (size_t l = 0; l < launches; l++) {
        bool varies = false;
        for (size_t r = 0; r < rounds; r++) {
            struct sms__profile_launch *launch = &profile->launch[r * launches + l];
            varies |= !has_geometry_of(launch->shape, middle[l].shape);
            launch->shape = middle[l].shape;
        }
        varying += varies;
    }
    return varying;
}

/* Sets, for each step that the host began, the first of its launches on the device; SIZE_MAX if it made none. */
static void find_steps(const struct search *search, size_t *first)
{
    const struct sms__profile *profile = search->profile;
    memset(first, 0xff, profile->steps * sizeof *first);
    for (size_t i = search->operations; i-- > 0;) {
        const struct operation *operation = &search->operation[i];
        double called_s = operation->launch ? profile->launch[operation->index].called_s : NAN;
        size_t low = 0, high = profile->steps; /* the step is low - 1 */
        while (low < high && !isnan(called_s)) {
            size_t middle = low + (high - low) / 2;
            *(profile->step_s[middle] <= called_s ? &low : &high) = middle + (profile->step_s[middle] <= called_s);
        }
        if (low > 0)
            first[low - 1] = i;
    }
}

static int by_length(const void *left, const void *right)
{
    const struct window *a = left, *b = right;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* The same between the steps that the program names. Unless most are equal, that with the median of launches stands for
 * all. */
static size_t search_steps(struct search *search)
{
    const struct sms__profile *profile = search->profile;
    size_t windows = 0, last = SIZE_MAX, *first = SMS__NEW(search->scratch, size_t, profile->steps);
    find_steps(search, first);
    for (size_t s = 0; s < profile->steps; s++) {
        if (first[s] == SIZE_MAX || (last != SIZE_MAX && first[s] <= last))
            continue;
        if (last != SIZE_MAX)
            search->window[windows++] = (struct window){.from = (uint32_t)last, .length = (uint32_t)(first[s] - last)};
        last = first[s];
    }
    for (size_t w = 0; w < windows; w++)
        search->window[w].hash = hash_of_order(search, &search->window[w]);
    if (windows == 0)
        return 0;
    sms__sort(search->scratch, search->window, windows, sizeof *search->window, by_hash);
    search->best = rate(search, 0, windows, 0);
    search->best.windows = windows;
    if (search->best.score >= COVERED_LEAST)
        return search->best.count;
    sms__sort(search->scratch, search->window, windows, sizeof *search->window, by_length);
    search->best.from = windows / 2;
    return search->likeness.by_name;
}

/* Finds the equal windows of a likeness: the first `rounds` of the best anchor's. Nothing repeats: `rounds` is 0. */
static struct sms__iterations find(struct search *search)
{
    const bool named = search->profile->steps > 0;
    search->best = (struct anchor){0};
    set_codes(search);
    if (!named)
        order_by_code(search);
    prepare(search);
    size_t rounds = named ? search_steps(search) : search_anchors(search);
    struct sms__iterations found = {0};
    if (rounds)
        found = measure(search, &search->window[search->best.from], rounds);
    found.others = search->best.windows - rounds;
    found.by_stream = search->likeness.by_stream;
    found.named = named;
    found.repeats = found.launches > 0 && found.mean_s > 0;
    return found;
}

static void allocate(struct search *search)
{
    const size_t count = search->operations;
    search->shape_code = SMS__NEW(search->scratch, uint64_t, search->profile->shapes);
    search->hash = SMS__NEW(search->scratch, uint64_t, count + 1);
    search->power = SMS__NEW(search->scratch, uint64_t, count + 1);
    search->busy_s = SMS__NEW(search->scratch, double, count + 1);
    search->latest_end = SMS__NEW(search->scratch, double, count + 1);
    search->by_code = SMS__NEW(search->scratch, uint32_t, count + 1);
    search->number = SMS__NEW(search->scratch, uint32_t, count + 1);
    search->window = SMS__NEW(search->scratch, struct window, count + 1);
}

struct finding {
    struct sms__arena *arena, *operations; /* of the result; of the operations */
    bool divide;
    struct sms__profile part; /* without its steps where they are not used */
    struct sms__profile *out;
    struct search search;
    struct sms__iterations best;
    struct window *window; /* [rounds] of the best */
};

/* Searches by one likeness, and keeps what it finds if that is better. */
static void try_likeness(struct finding *finding, struct likeness likeness)
{
    struct search *search = &finding->search;
    struct sms__iterations *best = &finding->best;
    if ((likeness.by_stream && !finding->divide) || best->covered + LIKER >= 1)
        return;
    search->likeness = likeness;
    const struct sms__iterations found = find(search);
    const bool aside = finding->divide && !likeness.by_stream && found.overlap > SMS__OVERLAP_MOST;
    if (!found.repeats || aside || (best->repeats && found.covered < best->covered + LIKER))
        return;
    *best = found;
    finding->window = SMS__NEW(finding->operations, struct window, found.rounds);
    memcpy(finding->window, &search->window[search->best.from], found.rounds * sizeof *finding->window);
}

static int search_all(void *user, struct sms__arena *scratch)
{
    static const struct likeness likeness[] = {{false, false}, {false, true}, {true, false}, {true, true}};
    struct finding *finding = user;
    const size_t steps = finding->part.steps;
    finding->search.scratch = scratch;
    allocate(&finding->search);
    for (int named = steps > 1; named >= 0 && !finding->best.repeats; named--)
        for (size_t i = 0; i < sizeof likeness / sizeof *likeness; i++) {
            finding->part.steps = named ? steps : 0;
            try_likeness(finding, likeness[i]);
        }
    if (!finding->best.repeats) {
        finding->window = SMS__NEW(finding->operations, struct window, 1);
        finding->window->length = (uint32_t)finding->search.operations;
        finding->best = measure(&finding->search, finding->window, 1);
    }
    return SMS_OK;
}

/* What the search needs is released before the result is made. */
static int find_and_keep(void *user, struct sms__arena *scratch)
{
    struct finding *finding = user;
    struct search *search = &finding->search;
    search->scratch = finding->operations = scratch;
    search->place_code = SMS__NEW(scratch, uint64_t, finding->part.places);
    search->operation = SMS__NEW(scratch, struct operation, finding->part.launches + finding->part.copies + 1);
    collect(search);
    const int code = sms__scratch(scratch, search_all, finding);
    if (code == SMS_OK)
        keep(search, finding->arena, finding->window, &finding->best, finding->out);
    return code;
}

struct sms__iterations sms__iterations_find(struct sms__arena *arena, const struct sms__profile *profile, bool divide,
                                            struct sms__profile *out)
{
    struct finding finding = {.arena = arena, .divide = divide, .part = *profile, .out = out};
    finding.search.profile = &finding.part;
    if (sms__scratch(arena, find_and_keep, &finding) != SMS_OK)
        sms__arena_give_up(arena);
    return finding.best;
}
