/* `smsched calibrate`: does it hold on my GPU, and what does its sheet say? */
#include "cli.h"
#include "session.h"

#include "../calibrate/calibration.h"
#include "../report/json_write.h"
#include "../yaml/fields.h"

#include <string.h>

struct options {
    const char *device, *name, *empty, *reads, *computes, *out;
    uint64_t seed, jobs;
    int mode;
    bool force;
};

#define AT(member) offsetof(struct options, member)

static const char *const modes[] = {"time_slice", "mps", NULL};

static const struct cli_option own_options[] = {
    {"device", "DEVICE", "name the GPU of the traces ('smsched list devices' shows them)", CLI_TEXT, AT(device)},
    {"mode", "MODE", "say how runs of several processes shared the GPU: time_slice (default) or mps", CLI_CHOICE,
     AT(mode), .choices = modes},
    {"empty", "KERNEL", "fit the cost of launches to this kernel, which does nothing and ran with several grids",
     CLI_TEXT, AT(empty)},
    {"reads", "KERNEL", "fit the knee of DRAM to this kernel, whose blocks only read and which ran with several grids",
     CLI_TEXT, AT(reads)},
    {"computes", "KERNEL", "take the clock from this kernel of a report of ncu, which keeps the fp32 units busy",
     CLI_TEXT, AT(computes)},
    {"name", "NAME", "give the new device file this name; default: DEVICE-calibrated", CLI_TEXT, AT(name)},
    {"out", "DIR", "write a folder like those in results/measured, with the device file", CLI_TEXT, AT(out),
     .file = CLI_OUTPUT_FOLDER, .letter = 'o'},
    {"force", NULL, "with --out: replace the folder of an earlier calibration", CLI_FLAG, AT(force), .letter = 'f'},
    {"seed", "N", "use this seed of the random numbers; default 1", CLI_COUNT, AT(seed)},
    {"jobs", "N", "use this many threads, which does not change results; default: all cores", CLI_COUNT, AT(jobs),
     .max = 100000},
    {0},
};

struct calibrating {
    struct cli *cli;
    struct sms__arena arena;
    struct sms__calibration calibration;
    struct sms__folder folder; /* of --out: begun before the runs, which would be lost */
    struct sms_errors errors;
};

static int write_folder(struct calibrating *calibrating)
{
    const int code = sms__calibration_write(&calibrating->calibration, &calibrating->folder);
    if (code)
        return code;
    json_t *manifest = json_object();
    json_object_set_new(manifest, "kind", json_string("calibration"));
    json_object_set_new(manifest, "command", sms__json_path(calibrating->cli->command_line));
    return sms__folder_end(&calibrating->folder, manifest, &calibrating->errors);
}

static int body(void *user)
{
    struct calibrating *calibrating = user;
    const struct cli *cli = calibrating->cli;
    const struct options *given = cli->options;
    const struct sms_load_options load = session_options(cli);
    const struct sms__screen screen = cli_screen(cli);
    const struct sms__calibrate_settings settings = {
        .load = &load,
        .device = given->device,
        .name = given->name ? given->name : sms__print(&calibrating->arena, "%s-calibrated", given->device),
        .together = given->mode == 1,
        .probe = {given->empty, given->reads, given->computes},
        .jobs = given->jobs ? (unsigned)given->jobs : cli_cores(),
        .seed = given->seed ? given->seed : 1,
        .cancel = &cli_interrupted};
    int code = given->out
                   ? sms__folder_begin(&calibrating->folder, given->out,
                                       given->force ? SMS__FOLDER_REPLACE : SMS__FOLDER_NEW, &calibrating->errors)
                   : SMS_OK;
    if (code == SMS_OK)
        code = sms__calibrate(&calibrating->arena, (const char *const *)cli->args, cli->n_args, &settings,
                              &calibrating->calibration, &calibrating->errors);
    if (code == SMS_OK && given->out)
        code = write_folder(calibrating);
    if (code == SMS_OK)
        sms__calibration_print(&calibrating->calibration, &screen);
    return code;
}

static bool are_one(const char *kernel, const char *other) { return kernel && other && strcmp(kernel, other) == 0; }

static int calibrate(struct cli *cli)
{
    const struct options *given = cli->options;
    struct calibrating calibrating = {.cli = cli};
    if (cli->n_args == 0)
        return cli_usage(cli, "name traces of programs that run alone, and of programs that run together");
    if (!given->device)
        return cli_usage(cli, "give the GPU of the traces with --device ('smsched list devices' shows them)");
    if (given->name && (!sms__is_name(given->name) || strchr(given->name, '/'))) /* a file will have it */
        return cli_usage(cli, "--name: '%.40s' is not a name: 1 to %d letters, digits, '_', '-' or '.'", given->name,
                         SMS__NAME_MAX);
    if (are_one(given->empty, given->reads) || are_one(given->empty, given->computes) ||
        are_one(given->reads, given->computes))
        return cli_usage(cli, "--empty, --reads and --computes are for different kernels: one does nothing, one only "
                              "reads, one only computes");
    calibrating.arena.most = sms__memory_most(cli->memory);
    int code = sms__guard(&calibrating.arena, body, &calibrating);
    if (code == SMS_EMEMORY && !calibrating.errors.count)
        sms__fail(&calibrating.errors, code, NULL, "the traces need more than %s of memory; --memory SIZE allows more",
                  sms__bound(SMS__BYTES, (double)calibrating.arena.most).text);
    if (code == SMS_ENOMEM && !calibrating.errors.count)
        sms__fail(&calibrating.errors, code, NULL, "no memory");
    sms__folder_abandon(&calibrating.folder);
    code = cli_print_errors(code, &calibrating.errors);
    sms__calibration_free(&calibrating.calibration);
    sms__arena_release(&calibrating.arena);
    return code;
}

const struct cli_command cmd_calibrate = {
    .name = "calibrate",
    .args = "TRACE...",
    .summary = "compare the simulator with traces of your GPU, and fit its device file",
    .text =
        "A trace is a report of Nsight Systems as SQLite, or a trace of PyTorch. A trace with one process is a program "
        "that runs alone. From these, the command predicts traces with several processes, with the device's sheet as "
        "shipped and as fitted. It holds some of equal runs back from the fit. If no run shows a value, it lists the "
        "value as not measured, with the run that would show it.\n"
        "--out writes a folder for tools/validate, with a device file that inherits from the shipped one.",
    .examples = "smsched calibrate --help   # docs/how-to/calibrate.md shows how to make traces to try it with\n",
    .options = {{own_options}},
    .common = CLI_MEMORY | CLI_MODELS | CLI_PLUGINS | CLI_QUIET,
    .size = sizeof(struct options),
    .run = calibrate};
