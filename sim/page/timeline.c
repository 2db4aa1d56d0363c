/* Turns the spans of a timeline into JSON, and keeps them within what a page may hold. The order of the output does not
 * depend on the order of the input. */
#include "pictures.h"

#include "../report/json_write.h"
#include "../report/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, BINS = 1200 };

static int compare_spans(const void *a, const void *b)
{
    const struct sms__span *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    if (x->color != y->color)
        return x->color < y->color ? -1 : 1;
    return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

/* The file is sorted by end and may be cut. It has every span that starts at least the longest duration before its last
 * end. */
static double complete_until_ns(const struct sms__timeline *timeline)
{
    double last = 0, longest = 0;
    for (size_t i = 0; i < timeline->spans; i++) {
        last = fmax(last, timeline->span[i].end_ns);
        longest = fmax(longest, timeline->span[i].end_ns - timeline->span[i].start_ns);
    }
    return fmax(last - longest, last / 4);
}

static void append_span(json_t *list, const struct sms__span *span)
{
    json_array_append_new(list, json_integer((json_int_t)span->row));
    json_array_append_new(list, json_integer((json_int_t)span->color));
    json_array_append_new(list, sms__json_number(span->start_ns));
    json_array_append_new(list, sms__json_number(span->end_ns));
    json_array_append_new(list, json_integer((json_int_t)span->count));
}

struct binning {
    size_t rows, colors, bins;
    double from_ns, width_ns;
    double *time; /* [rows][bins][colors] */
};

static void add_time(struct binning *binning, const struct sms__span *span)
{
    for (size_t b = (size_t)((span->start_ns - binning->from_ns) / binning->width_ns); b < binning->bins; b++) {
        double start = binning->from_ns + (double)b * binning->width_ns;
        double overlap = fmin(span->end_ns, start + binning->width_ns) - fmax(span->start_ns, start);
        if (start >= span->end_ns)
            return;
        binning->time[(span->row * binning->bins + b) * binning->colors + span->color] += fmax(overlap, 0);
    }
}

/* The colour that lasted longest in the interval; `colors` if there is none. */
static size_t dominant_color(const struct binning *binning, size_t row, size_t bin)
{
    const double *time = &binning->time[(row * binning->bins + bin) * binning->colors];
    size_t best = binning->colors;
    for (size_t c = 0; c < binning->colors; c++)
        if (time[c] > 0 && (best == binning->colors || time[c] > time[best]))
            best = c;
    return best;
}

static void append_row(const struct binning *binning, size_t row, json_t *list)
{
    for (size_t b = 0, end; b < binning->bins; b = end) {
        size_t color = dominant_color(binning, row, b);
        for (end = b + 1; end < binning->bins && dominant_color(binning, row, end) == color;)
            end++;
        if (color < binning->colors)
            append_span(list, &(struct sms__span){row, color, 1, binning->from_ns + (double)b * binning->width_ns,
                                                  binning->from_ns + (double)end * binning->width_ns, NULL});
    }
}

static json_t *bin_spans(struct sms__arena *arena, const struct sms__timeline *timeline, double *width_ns)
{
    struct binning binning = {.rows = 1, .from_ns = timeline->span[0].start_ns};
    double to_ns = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < timeline->spans; i++) {
        binning.rows = timeline->span[i].row + 1 > binning.rows ? timeline->span[i].row + 1 : binning.rows;
        binning.colors = timeline->span[i].color + 1 > binning.colors ? timeline->span[i].color + 1 : binning.colors;
        to_ns = fmax(to_ns, timeline->span[i].end_ns);
    }
    binning.bins = timeline->max_spans / binning.rows < BINS ? timeline->max_spans / binning.rows + 1 : BINS;
    binning.width_ns = *width_ns = fmax((to_ns - binning.from_ns) / (double)binning.bins, 1e-3);
    binning.time = SMS__NEW(arena, double, binning.rows *binning.bins *binning.colors);
    for (size_t i = 0; i < timeline->spans; i++)
        add_time(&binning, &timeline->span[i]);
    for (size_t r = 0; r < binning.rows; r++)
        append_row(&binning, r, list);
    return list;
}

/* Drops the spans of rows beyond ROWS, and returns their number. */
static size_t drop_rows(struct sms__timeline *timeline)
{
    size_t kept = 0;
    for (size_t i = 0; i < timeline->spans; i++)
        if (timeline->span[i].row < ROWS)
            timeline->span[kept++] = timeline->span[i];
    size_t dropped = timeline->spans - kept;
    timeline->spans = kept;
    return dropped;
}

/* Names of the spans, or an empty list if they are too long. */
static json_t *span_names_json(const struct sms__timeline *timeline)
{
    json_t *list = json_array();
    size_t bytes = 0;
    for (size_t i = 0; i < timeline->spans && timeline->span[i].name; i++)
        bytes += strlen(timeline->span[i].name) + 3;
    for (size_t i = 0; i < timeline->spans && timeline->span[i].name && bytes <= timeline->name_bytes; i++)
        json_array_append_new(list, sms__json_text(timeline->span[i].name));
    return list;
}

static json_t *row_names_json(const struct sms__timeline *timeline)
{
    json_t *list = json_array();
    for (size_t r = 0; r < timeline->row->count && r < ROWS; r++)
        json_array_append_new(list, sms__json_text(timeline->row->name[r]));
    return list;
}

json_t *sms__timeline_json(struct sms__pictures *pictures, struct sms__timeline *timeline, bool bin)
{
    const struct sms__plot *plot = &pictures->plot;
    double to_ns = bin ? INFINITY : complete_until_ns(timeline), width_ns = 0;
    size_t dropped = drop_rows(timeline), all = timeline->spans;
    json_t *list;
    if (timeline->spans == 0)
        return NULL;
    qsort(timeline->span, timeline->spans, sizeof *timeline->span, compare_spans);
    if (bin && timeline->spans > timeline->max_spans)
        list = bin_spans(&pictures->page->arena, timeline, &width_ns);
    else {
        list = json_array();
        if (timeline->spans > timeline->max_spans) {
            to_ns = fmin(to_ns, timeline->span[timeline->max_spans].start_ns);
            timeline->spans = timeline->max_spans;
        }
        for (size_t i = 0; i < timeline->spans; i++)
            append_span(list, &timeline->span[i]);
    }
    json_t *picture =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "kind", timeline->kind, "scenario",
                  plot->scenario.name[timeline->scenario], "policy", plot->policy.name[timeline->policy], "all",
                  (json_int_t)all, "dropped", (json_int_t)dropped, "to_ns", sms__json_number(to_ns), "bin_ns",
                  width_ns > 0 ? sms__json_number(width_ns) : json_null(), "pieces", list);
    if (timeline->row) {
        json_object_set_new(picture, "rows", row_names_json(timeline));
        json_object_set_new(picture, "names", width_ns > 0 ? json_array() : span_names_json(timeline));
    }
    return picture;
}
