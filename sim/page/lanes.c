#include "pictures.h"

#include "../report/json_write.h"
#include "../report/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, BINS = 1200 };

static int by_start(const void *a, const void *b)
{
    const struct sms__piece *x = a, *y = b;
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

/* The file is in the order of ends and may be cut: what began one longest duration before its last end is in it. */
static double known_ns(const struct sms__lanes *lanes)
{
    double last = 0, longest = 0;
    for (size_t i = 0; i < lanes->pieces; i++) {
        last = fmax(last, lanes->piece[i].end_ns);
        longest = fmax(longest, lanes->piece[i].end_ns - lanes->piece[i].start_ns);
    }
    return fmax(last - longest, last / 4);
}

static void put(json_t *list, const struct sms__piece *piece)
{
    json_array_append_new(list, json_integer((json_int_t)piece->row));
    json_array_append_new(list, json_integer((json_int_t)piece->color));
    json_array_append_new(list, sms__json_number(piece->start_ns));
    json_array_append_new(list, sms__json_number(piece->end_ns));
    json_array_append_new(list, json_integer((json_int_t)piece->count));
}

struct binning {
    size_t rows, colors, bins;
    double from_ns, width_ns;
    double *time; /* [rows][bins][colors] */
};

static void add_time(struct binning *binning, const struct sms__piece *piece)
{
    for (size_t b = (size_t)((piece->start_ns - binning->from_ns) / binning->width_ns); b < binning->bins; b++) {
        double start = binning->from_ns + (double)b * binning->width_ns;
        double part = fmin(piece->end_ns, start + binning->width_ns) - fmax(piece->start_ns, start);
        if (start >= piece->end_ns)
            return;
        binning->time[(piece->row * binning->bins + b) * binning->colors + piece->color] += fmax(part, 0);
    }
}

/* The colour that lasted longest; `colors` if none did. */
static size_t color_at(const struct binning *binning, size_t row, size_t bin)
{
    const double *time = &binning->time[(row * binning->bins + bin) * binning->colors];
    size_t best = binning->colors;
    for (size_t c = 0; c < binning->colors; c++)
        if (time[c] > 0 && (best == binning->colors || time[c] > time[best]))
            best = c;
    return best;
}

static void put_row(const struct binning *binning, size_t row, json_t *list)
{
    for (size_t b = 0, end; b < binning->bins; b = end) {
        size_t color = color_at(binning, row, b);
        for (end = b + 1; end < binning->bins && color_at(binning, row, end) == color;)
            end++;
        if (color < binning->colors)
            put(list, &(struct sms__piece){row, color, 1, binning->from_ns + (double)b * binning->width_ns,
                                           binning->from_ns + (double)end * binning->width_ns, NULL});
    }
}

static json_t *bin_pieces(struct sms__arena *arena, const struct sms__lanes *lanes, double *width_ns)
{
    struct binning binning = {.rows = 1, .from_ns = lanes->piece[0].start_ns};
    double to_ns = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < lanes->pieces; i++) {
        binning.rows = lanes->piece[i].row + 1 > binning.rows ? lanes->piece[i].row + 1 : binning.rows;
        binning.colors = lanes->piece[i].color + 1 > binning.colors ? lanes->piece[i].color + 1 : binning.colors;
        to_ns = fmax(to_ns, lanes->piece[i].end_ns);
    }
    binning.bins = lanes->most / binning.rows < BINS ? lanes->most / binning.rows + 1 : BINS;
    binning.width_ns = *width_ns = fmax((to_ns - binning.from_ns) / (double)binning.bins, 1e-3);
    binning.time = SMS__NEW(arena, double, binning.rows *binning.bins *binning.colors);
    for (size_t i = 0; i < lanes->pieces; i++)
        add_time(&binning, &lanes->piece[i]);
    for (size_t r = 0; r < binning.rows; r++)
        put_row(&binning, r, list);
    return list;
}

/* Rows beyond ROWS are left out. */
static size_t drop_rows(struct sms__lanes *lanes)
{
    size_t kept = 0;
    for (size_t i = 0; i < lanes->pieces; i++)
        if (lanes->piece[i].row < ROWS)
            lanes->piece[kept++] = lanes->piece[i];
    size_t dropped = lanes->pieces - kept;
    lanes->pieces = kept;
    return dropped;
}

/* One a piece; none if they are too long. */
static json_t *names_of(const struct sms__lanes *lanes)
{
    json_t *list = json_array();
    size_t bytes = 0;
    for (size_t i = 0; i < lanes->pieces && lanes->piece[i].name; i++)
        bytes += strlen(lanes->piece[i].name) + 3;
    for (size_t i = 0; i < lanes->pieces && lanes->piece[i].name && bytes <= lanes->name_bytes; i++)
        json_array_append_new(list, sms__json_text(lanes->piece[i].name));
    return list;
}

static json_t *rows_of(const struct sms__lanes *lanes)
{
    json_t *list = json_array();
    for (size_t r = 0; r < lanes->row->count && r < ROWS; r++)
        json_array_append_new(list, sms__json_text(lanes->row->name[r]));
    return list;
}

json_t *sms__lanes_json(struct sms__pictures *pictures, struct sms__lanes *lanes, bool bin)
{
    const struct sms__plot *plot = &pictures->plot;
    double to_ns = bin ? INFINITY : known_ns(lanes), width_ns = 0;
    size_t dropped = drop_rows(lanes), all = lanes->pieces;
    json_t *list;
    if (lanes->pieces == 0)
        return NULL;
    qsort(lanes->piece, lanes->pieces, sizeof *lanes->piece, by_start);
    if (bin && lanes->pieces > lanes->most)
        list = bin_pieces(&pictures->page->arena, lanes, &width_ns);
    else {
        list = json_array();
        if (lanes->pieces > lanes->most) {
            to_ns = fmin(to_ns, lanes->piece[lanes->most].start_ns);
            lanes->pieces = lanes->most;
        }
        for (size_t i = 0; i < lanes->pieces; i++)
            put(list, &lanes->piece[i]);
    }
    json_t *picture = json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "kind", lanes->kind, "scenario",
                                plot->scenario.name[lanes->scenario], "policy", plot->policy.name[lanes->policy], "all",
                                (json_int_t)all, "dropped", (json_int_t)dropped, "to_ns", sms__json_number(to_ns),
                                "bin_ns", width_ns > 0 ? sms__json_number(width_ns) : json_null(), "pieces", list);
    if (lanes->row) {
        json_object_set_new(picture, "rows", rows_of(lanes));
        json_object_set_new(picture, "names", width_ns > 0 ? json_array() : names_of(lanes));
    }
    return picture;
}
