/* Reads runs, fits the sheet to those that are for it, and predicts all. */
#include "calibration.h"

#include "../base/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURNS                                                                                                          \
    "two programs in turns, traced at least twice, whose kernels are far shorter than a slice and follow closely"

/* In the device file a value stands between `before` and `after`; slice and switch are fitted together, and so are
 * launch and block. */
static const struct {
    const char *name, *before, *after, *run;
    enum sms__dimension dimension;
} values[SMS__SHEET_VALUES] = {
    {"slice", "time_slice: {slice: ", ", ", TURNS, SMS__TIME},
    {"switch", "switch: ", "}\n", TURNS, SMS__TIME},
    {"launch", "dispatch: {launch: ", ", ",
     "a kernel that does nothing, at several grids beyond what the SMs hold: --empty KERNEL", SMS__TIME},
    {"block", "block: ", "}\n", "the same as launch", SMS__TIME},
    {"knee_dram", "resources: {dram: {knee: ", "}}\n",
     "a kernel that only reads, at several grids of one wave: --reads KERNEL", SMS__NUMBER},
    {"compute_clock", "compute_clock: ", "}\n",
     "a report of ncu, --clock-control none, of a kernel that keeps the fp32 units busy: --computes KERNEL",
     SMS__FREQUENCY},
};

const char *sms__sheet_value_name(enum sms__sheet_value value) { return values[value].name; }
const char *sms__sheet_value_run(enum sms__sheet_value value) { return values[value].run; }

double sms__shipped_value(const struct sms__device *device, enum sms__sheet_value value)
{
    const int dram = sms__resource_index(device, "dram");
    const double all[SMS__SHEET_VALUES] = {device->turns.slice_ps,
                                           device->turns.switch_ps,
                                           device->dispatch.launch_ps,
                                           device->dispatch.block_ps,
                                           dram < 0 ? 0 : device->resource[dram].knee,
                                           device->compute_hz};
    return all[value] > 0 ? all[value] : NAN;
}

const char *sms__print_sheet_value(char *out, size_t size, double number, enum sms__sheet_value value)
{
    char rounded[32];
    snprintf(rounded, sizeof rounded, "%.4g", number);
    if (values[value].dimension == SMS__NUMBER)
        snprintf(out, size, "%s", rounded);
    else
        sms__quantity_print(out, size, strtod(rounded, NULL), values[value].dimension);
    return out;
}

/* ---- turns ---- */

/* The moments of both samples together, of which `from` has values (Chan and others, Updating Formulae, 1979). */
static void merge(struct sms__moments *into, const struct sms__moments *from)
{
    const double n = (double)(into->n + from->n), apart = from->mean - into->mean;
    into->m2 += from->m2 + apart * apart * (double)into->n * (double)from->n / n;
    into->mean += apart * (double)from->n / n;
    into->n += from->n;
}

/* What all runs in turns show of a value: those for the fit together, and the others. */
struct shown {
    struct sms__moments all[2];           /* of the runs that are for the fit, and that are held back */
    const struct sms__traced_run *run[2]; /* the last of either */
    size_t fitted;                        /* runs */
    struct sms_estimate last;
    const struct sms__traced_run *last_run;
};

static void check_again(struct sms__calibration *calibration, const struct shown *shown, struct sms_estimate again,
                        const struct sms__traced_run *run, enum sms__sheet_value value)
{
    char one[64], other[64];
    if (!shown->last_run || !sms__contradict(again, shown->last))
        return;
    sms__fail(calibration->errors, SMS_EINPUT, run->path, "contradicts %s: it shows a %s of %s, and %s there",
              shown->last_run->path, values[value].name, sms__print_sheet_value(one, sizeof one, again.mean, value),
              sms__print_sheet_value(other, sizeof other, shown->last.mean, value));
}

static void put_shown(struct sms__calibration *calibration, const struct shown *shown, enum sms__sheet_value value)
{
    const struct sms_estimate fit = sms__estimate_close(shown->all[0]), held = sms__estimate_close(shown->all[1]);
    struct sms__fitted_value *out = &calibration->fitted[value];
    char text[64];
    if (shown->fitted) {
        const char *runs =
            shown->fitted == 1 ? shown->run[0]->name : sms__print(calibration->arena, "%zu runs", shown->fitted);
        *out = (struct sms__fitted_value){fmax(fit.mean, 0), fit.ci95,
                                          sms__print(calibration->arena, "%zu turns of %s", fit.n, runs)};
    } else if (shown->all[1].n)
        out->from = sms__print(calibration->arena, "%s shows %s and is held back; trace the same once more",
                               shown->run[1]->name, sms__print_sheet_value(text, sizeof text, held.mean, value));
}

static int fit_turns(struct sms__calibration *calibration)
{
    struct shown shown[2] = {0};
    for (size_t r = 0; r < calibration->runs; r++) {
        const struct sms__traced_run *run = &calibration->run[r];
        struct sms__moments turns[2];
        if (run->processes != 2 || calibration->settings->together)
            continue;
        int code = sms__find_turns(calibration, run, turns);
        for (int i = 0; i < 2 && code == SMS_OK && turns[i].n; i++) {
            const struct sms_estimate estimate = sms__estimate_close(turns[i]);
            check_again(calibration, &shown[i], estimate, run, SMS__SHEET_SLICE + i);
            merge(&shown[i].all[run->held], &turns[i]);
            shown[i].run[run->held] = shown[i].last_run = run;
            shown[i].fitted += !run->held;
            shown[i].last = estimate;
        }
    }
    for (int i = 0; i < 2; i++)
        put_shown(calibration, &shown[i], SMS__SHEET_SLICE + i);
    return calibration->errors->count ? calibration->errors->item[0].code : SMS_OK;
}

/* ---- the device ---- */

static void write_device(struct sms__calibration *calibration)
{
    const struct sms__device *device = calibration->device;
    const struct sms__node title = {.kind = SMS__SCALAR,
                                    .text = sms__print(calibration->arena, "%s, calibrated", device->title)};
    const char *before = "sources:\n",
               *text =
                   sms__print(calibration->arena, "device: %s\ninherits: %s\ntitle: %s\nsource: smsched calibrate\n",
                              calibration->settings->name, device->name, sms__node_flow(calibration->arena, &title));
    const char *power = /* which is given as a whole */
        sms__print(calibration->arena, "power: {idle: %.9g W, busy: %.9g W, ", device->idle_w, device->busy_w);
    for (int v = 0; v < SMS__SHEET_VALUES; v++) {
        char number[64];
        if (!isnan(calibration->fitted[v].value))
            text = sms__print(
                calibration->arena, "%s%s%s%s%s", text, v == SMS__SHEET_CLOCK ? power : "", values[v].before,
                sms__print_sheet_value(number, sizeof number, calibration->fitted[v].value, v), values[v].after);
    }
    for (int v = 0; v < SMS__SHEET_VALUES; v++)
        if (!isnan(calibration->fitted[v].value)) {
            text = sms__print(calibration->arena, "%s%s  %s: 'smsched calibrate, %s'\n", text, before, values[v].name,
                              calibration->fitted[v].from);
            before = "";
        }
    calibration->device_text = text;
}

int sms__calibrate(struct sms__arena *arena, const char *const *paths, size_t count,
                   const struct sms__calibrate_settings *settings, struct sms__calibration *out,
                   struct sms_errors *errors)
{
    *out = (struct sms__calibration){.settings = settings, .arena = arena, .errors = errors};
    for (int v = 0; v < SMS__SHEET_VALUES; v++)
        out->fitted[v] = (struct sms__fitted_value){NAN, NAN, NULL};
    int code = sms__derive_device(settings->device, settings->load, &out->device_file, &out->device, errors);
    code = code ? code : sms__read_runs(out, paths, count);
    if (code == SMS_OK && count < 2)
        code = sms__fail(errors, SMS_EINPUT, paths[0],
                         "is the only run; every second run is held back, so give at least two");
    code = code ? code : fit_turns(out);
    code = code ? code : sms__fit_probes(out);
    if (code)
        return code;
    write_device(out);
    return sms__predict(out);
}

void sms__calibration_free(struct sms__calibration *calibration)
{
    free(calibration->text.bytes);
    sms_file_free(calibration->device_file);
}
