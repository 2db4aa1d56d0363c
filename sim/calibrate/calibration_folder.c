/* Writes what was measured and predicted as a folder of results/measured. tools/validate simulates its scenarios, and
 * draws its page. */
#include "calibration.h"

#include "../base/escape.h"
#include "../results/metrics.h"

#include <math.h>

/* The errors become bounds a little above what they are. */
static const double ABOVE = 1.05, LEAST = 0.5;

/* Nothing held back is nothing to validate; `derive` and the page need a row. */
static bool counts(const struct sms__predicted *row)
{
    return row->measured > 0 && isfinite(row->simulated[SMS__AS_FITTED]);
}

static void write_measured(const struct sms__calibration *calibration, FILE *to)
{
    fputs("scenario,subject,metric,part,measured,run,noise,naive,shipped\n", to);
    for (size_t i = 0; i < calibration->rows; i++) {
        const struct sms__predicted *row = &calibration->row[i];
        if (!counts(row))
            continue;
        fprintf(to, "%s,%s:%s,%s,%s,%.7g,", row->scenario, sms__subject_word(row->subject), row->name,
                row->subject == SMS_VM ? "job_latency_mean_ns" : "latency_mean_ns", row->held ? "test" : "fit",
                row->measured / 1e3);
        sms__print_csv(to, row->run);
        fputs(",", to);
        if (!isnan(row->measured_half))
            fprintf(to, "%.4g", row->measured_half / row->measured);
        fputs(",", to);
        if (!isnan(row->naive))
            fprintf(to, "%.7g", row->naive / 1e3);
        fprintf(to, ",%.7g\n", row->simulated[SMS__AS_SHIPPED] / 1e3);
    }
}

static void write_parameters(const struct sms__calibration *calibration, FILE *to)
{
    const char *before = "parameters:\n";
    char number[64];
    for (int v = 0; v < SMS__SHEET_VALUES; v++)
        if (!isnan(calibration->fitted[v].value)) {
            fprintf(to, "%s  - {name: %s, value: %s, fitted_to: '%s'}\n", before, sms__sheet_value_name(v),
                    sms__print_sheet_value(number, sizeof number, calibration->fitted[v].value, v),
                    calibration->fitted[v].from);
            before = "";
        }
    fputs(*before ? "parameters: []\n" : "", to);
}

static void write_about(const struct sms__calibration *calibration, FILE *to)
{
    const struct sms__calibrate_settings *settings = calibration->settings;
    const struct sms__held_errors errors = sms__held_errors(calibration, true, SMS__AS_FITTED);
    const struct sms__node gpu = {.kind = SMS__SCALAR, .text = calibration->device->title};
    fprintf(to, "title: \"%s: programs alone and together, and its sheet\"\n", settings->name);
    fprintf(to, "question: How near are steps and kernels of traces that the sheet was not fitted to?\ngpu: %s\n",
            sms__node_flow(calibration->arena, &gpu));
    fprintf(to, "devices: [%s]\nsource: smsched calibrate\nmetric: job_latency_mean_ns\nunit: us\nscale: 0.001\n",
            calibration->device->name);
    write_parameters(calibration, to);
    fprintf(to, "bound: {median: %.2f %%, maximum: %.2f %%}\n", LEAST + ABOVE * errors.median,
            LEAST + ABOVE * errors.greatest);
    fprintf(
        to,
        "covers: {devices: [%s], kernels: blocks, modes: [%s], contention: [knee], metrics: [job_latency_mean_ns]}\n"
        "tests: modes\nby: simulation\ngroup: run\nnaive:\n",
        calibration->device->name, settings->together ? "alone, mps" : "alone, time_slice");
    fputs("  naive: as many times as long as alone as there are processes; a grid of a probe as long as the least one\n"
          "  shipped: the device file as it was\n",
          to);
    fprintf(to, "verdict: Not judged yet.\nwrong: \"Steps are means over a run; a kernel has no counters unless %s\"\n",
            "its trace has.");
}

static int write_file(struct sms__folder *folder, const struct sms__calibration *calibration, const char *name,
                      void (*write)(const struct sms__calibration *calibration, FILE *to))
{
    FILE *to = sms__folder_open(folder, name, calibration->errors);
    if (!to)
        return SMS_EIO;
    write(calibration, to);
    return sms__folder_close(folder, name, to, calibration->errors);
}

/* Without the "---" at its end. */
static void write_scenarios(const struct sms__calibration *calibration, FILE *to)
{
    fwrite(calibration->text.bytes, 1, calibration->text.length - 4, to);
}

static void write_device(const struct sms__calibration *calibration, FILE *to) { fputs(calibration->device_text, to); }

int sms__calibration_write(struct sms__calibration *calibration, struct sms__folder *folder)
{
    const char *device = sms__print(calibration->arena, "%s.yaml", calibration->settings->name);
    if (!sms__held_errors(calibration, true, SMS__AS_FITTED).count)
        return sms__fail(calibration->errors, SMS_EINPUT, NULL,
                         "no value is held back, so there is nothing to validate: trace something twice");
    int code = write_file(folder, calibration, "about.yaml", write_about);
    code = code ? code : write_file(folder, calibration, "measured.csv", write_measured);
    code = code ? code : write_file(folder, calibration, "scenarios.yaml", write_scenarios);
    return code ? code : write_file(folder, calibration, device, write_device);
}
