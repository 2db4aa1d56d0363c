/* Prints what was predicted beside what was measured, and the sheet. */
#include "calibration.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { KERNELS_SHOWN = 10 };

static double error_of(const struct sms__predicted *row, int sheet)
{
    return 100 * ((sheet == SMS__SHEETS ? row->naive : row->simulated[sheet]) / row->measured - 1);
}

struct sms__held_errors sms__held_errors(const struct sms__calibration *calibration, bool all, int sheet)
{
    double *off = SMS__NEW(calibration->arena, double, calibration->rows + 1);
    size_t count = 0;
    for (size_t i = 0; i < calibration->rows; i++) {
        const double error = fabs(error_of(&calibration->row[i], sheet));
        if (calibration->row[i].held && (all || !calibration->row[i].alone) && isfinite(error))
            off[count++] = error;
    }
    if (!count)
        return (struct sms__held_errors){0, NAN, NAN};
    gsl_sort(off, 1, count);
    return (struct sms__held_errors){count, gsl_stats_median_from_sorted_data(off, 1, count), off[count - 1]};
}

static void add_error(struct sms__table_out *table, double error)
{
    if (isnan(error))
        sms__table_add(table, "-");
    else
        sms__table_add(table, "%+.1f %%", error);
}

/* Kernels that take the most time stand for all of a run. */
static bool is_shown(const struct sms__calibration *calibration, const struct sms__predicted *row)
{
    size_t before = 0;
    for (size_t i = 0; i < calibration->rows && row->subject == SMS_KERNEL; i++) {
        const struct sms__predicted *other = &calibration->row[i];
        before += other->subject == SMS_KERNEL && other->run == row->run &&
                  (other->total > row->total || (other->total == row->total && other < row));
    }
    return before < KERNELS_SHOWN;
}

static void print_rows(const struct sms__calibration *calibration, bool held, const struct sms__screen *screen)
{
    static const char *const headers[] = {"run", "what", "measured", "simulated", "error", "as shipped", "naive"};
    size_t rows = 0, hidden = 0;
    struct sms__table_out *table = sms__table_new(7);
    for (int i = 0; i < 7; i++)
        sms__table_add(table, "%s", headers[i]);
    for (size_t i = 0; i < calibration->rows; i++) {
        const struct sms__predicted *row = &calibration->row[i];
        if (row->held != held)
            continue;
        if (!is_shown(calibration, row)) {
            hidden++;
            continue;
        }
        const struct sms__scale scale = sms__scale_of("_ns", row->measured);
        rows++;
        sms__table_add(table, "%s", row->run);
        sms__table_add(table, "%s", row->what);
        sms__table_add(table, "%s", sms__value_in(row->measured, row->measured_half, scale).text);
        sms__table_add(table, "%s",
                       sms__value_in(row->simulated[SMS__AS_FITTED], row->half[SMS__AS_FITTED], scale).text);
        add_error(table, error_of(row, SMS__AS_FITTED));
        add_error(table, error_of(row, SMS__AS_SHIPPED));
        add_error(table, error_of(row, SMS__SHEETS));
    }
    sms__table_print(table, screen);
    if (!rows)
        fputs("  nothing\n", screen->to);
    if (hidden)
        fprintf(screen->to, "  and %zu kernels that take less time\n", hidden);
}

static void print_medians(const struct sms__calibration *calibration, FILE *to)
{
    const struct sms__held_errors fitted = sms__held_errors(calibration, false, SMS__AS_FITTED),
                                  shipped = sms__held_errors(calibration, false, SMS__AS_SHIPPED),
                                  naive = sms__held_errors(calibration, false, SMS__SHEETS);
    if (!shipped.count)
        return;
    fprintf(to,
            "\nmedian error of the %zu values held back (programs together, and probes): %.1f %% as fitted, %.1f %% as "
            "shipped",
            shipped.count, fitted.median, shipped.median);
    if (naive.count)
        fprintf(to, ", %.1f %% by the naive model (%zu values)", naive.median, naive.count);
    fputs("\n", to);
}

/* "1.500 ± 0.005 ms" */
static struct sms__value_text fitted_text(const struct sms__fitted_value *fitted, enum sms__sheet_value value)
{
    const struct sms__scale mhz = {" MHz", 1e6}, number = {"", 1},
                            scale = value == SMS__SHEET_CLOCK  ? mhz
                                    : value == SMS__SHEET_KNEE ? number
                                                               : sms__scale_of("_ns", fitted->value / 1e3);
    const double per = value < SMS__SHEET_KNEE ? 1e3 : 1; /* ps */
    return sms__value_in(fitted->value / per, fitted->half / per, scale);
}

static void print_sheet(const struct sms__calibration *calibration, const struct sms__screen *screen)
{
    struct sms__table_out *table = sms__table_new(4);
    sms__table_add(table, "value");
    sms__table_add(table, "as shipped");
    sms__table_add(table, "fitted");
    sms__table_add(table, "from");
    for (int v = 0; v < SMS__SHEET_VALUES; v++) {
        const struct sms__fitted_value *fitted = &calibration->fitted[v];
        const struct sms__fitted_value shipped = {sms__shipped_value(calibration->device, v), NAN, NULL};
        if (isnan(fitted->value))
            continue;
        sms__table_add(table, "%s", sms__sheet_value_name(v));
        sms__table_add(table, "%s", isnan(shipped.value) ? "-" : fitted_text(&shipped, v).text);
        sms__table_add(table, "%s", fitted_text(fitted, v).text);
        sms__table_add(table, "%s", fitted->from);
    }
    sms__table_print(table, screen);
    for (int v = 0; v < SMS__SHEET_VALUES; v++)
        if (isnan(calibration->fitted[v].value))
            fprintf(screen->to, "  %s not measured: %s\n", sms__sheet_value_name(v),
                    calibration->fitted[v].from ? calibration->fitted[v].from : sms__sheet_value_run(v));
}

void sms__calibration_print(const struct sms__calibration *calibration, const struct sms__screen *screen)
{
    const char *mode =
        calibration->settings->together ? "under MPS, as --mode says" : "in turns (--mode mps: under MPS)";
    fprintf(screen->to, "%s: %zu runs, %zu program%s; several processes share the GPU %s\n\nheld back\n",
            calibration->device->name, calibration->runs, calibration->programs, calibration->programs == 1 ? "" : "s",
            mode);
    print_rows(calibration, true, screen);
    print_medians(calibration, screen->to);
    fputs("\nfitted: the runs that times or values of the sheet were taken from\n", screen->to);
    print_rows(calibration, false, screen);
    fputs("\nsheet\n", screen->to);
    print_sheet(calibration, screen);
}
