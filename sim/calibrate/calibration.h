/* Holds the simulator against traces of one GPU, and fits the sheet of its device file to half of them. A run is a
 * trace of one program alone, of several programs together, or of probes: kernels of which the user says what they do.
 *
 * Runs with one process become programs, as `import` makes them; those with several are predicted from the programs.
 * Every second run of what is alike is for the fit, and the others are held back. docs/how-to/calibrate.md says which
 * run shows which value. */
#ifndef SMS_CALIBRATE_CALIBRATION_H
#define SMS_CALIBRATE_CALIBRATION_H

#include "../base/buffer.h"
#include "../base/statistics.h"
#include "../import/derive.h"
#include "../import/import.h"
#include "../import/iterations.h"
#include "../report/folder.h"
#include "../report/output.h"

/* Kernels of which the user says what they do; NULL: there is none. Names of functions. */
enum sms__probe { SMS__EMPTY_PROBE, SMS__READS_PROBE, SMS__COMPUTES_PROBE, SMS__PROBES };

struct sms__calibrate_settings {
    const struct sms_load_options *load;
    const char *device; /* name of its file */
    const char *name;   /* of the device that is made */
    bool together;      /* several processes share the device by MPS; otherwise they take turns */
    const char *probe[SMS__PROBES];
    unsigned jobs; /* threads */
    uint64_t seed;
    const sms_atomic_bool *cancel;
};

struct sms__shape_times {
    const struct sms__profile_shape *shape;
    struct sms__moments seconds;
};

/* A process of a run. */
struct sms__traced {
    const char *name;             /* as the trace has it */
    struct sms__profile profile;  /* its launches and copies */
    struct sms__iterations steps; /* the job that it repeats */
    size_t program;
};

struct sms__traced_run {
    const char *path, *name; /* name: of the file, unlike all others */
    struct sms__profile profile;
    struct sms__traced *process; /* [processes]; none of a run of probes */
    size_t processes;
    bool held; /* held back from the fit */
};

/* What runs alone. Its times are those of its first run, which counts as fitted. */
struct sms__traced_program {
    const char *name;
    size_t run;
    struct sms__derived_names names; /* of its kernels */
    const char *tenant, *work; /* its name in the scenario of its run alone; what it runs, as `processes:` has it */
};

/* The values of the sheet that runs can show. calibrate.c has their names. */
enum sms__sheet_value {
    SMS__SHEET_SLICE,  /* ps */
    SMS__SHEET_SWITCH, /* ps */
    SMS__SHEET_LAUNCH, /* ps */
    SMS__SHEET_BLOCK,  /* ps */
    SMS__SHEET_KNEE,   /* of dram */
    SMS__SHEET_CLOCK,  /* Hz */
    SMS__SHEET_VALUES
};

struct sms__fitted_value {
    double value, half; /* NAN: nothing shows it; half of the 95 % interval, NAN for one value */
    const char *from;   /* "212 turns of pair-2"; or why there is none */
};

/* A kernel at several grids, by number of blocks. Every second grid is held back. */
struct sms__grid {
    uint64_t blocks, threads;
    struct sms__moments seconds;
};
struct sms__grids {
    const char *kernel, *name; /* name: of it, as names of scenarios may be */
    struct sms__grid *grid;
    size_t count;
};

/* One value that was measured, and what is predicted for it, in ns. */
enum { SMS__AS_SHIPPED, SMS__AS_FITTED, SMS__SHEETS };
struct sms__predicted {
    const char *run, *what;                /* "alone-2", "step of resnet" */
    const char *scenario, *name;           /* name: of the subject */
    enum sms_subject subject;              /* SMS_VM: a job's mean latency; SMS_KERNEL: a kernel's */
    bool held, alone;                      /* alone: of a program by itself */
    double measured, measured_half, total; /* total: of all that the mean is of */
    double simulated[SMS__SHEETS], half[SMS__SHEETS];
    double naive; /* NAN: there is none */
};

struct sms__calibration {
    const struct sms__calibrate_settings *settings;
    struct sms__arena *arena;
    struct sms_errors *errors;
    struct sms_file *device_file;
    const struct sms__device *device; /* as shipped */
    struct sms__traced_run *run;
    size_t runs;
    struct sms__traced_program *program;
    size_t programs;
    struct sms__grids empty, reads;
    double read_s, read_full; /* of the probe that reads: time of a block at no load, and blocks that fill DRAM */
    struct sms__fitted_value fitted[SMS__SHEET_VALUES];
    const char *device_text; /* the device as fitted, which inherits from the shipped one */
    struct sms__predicted *row;
    size_t rows;
    struct sms__buffer text; /* what was run as fitted */
};

/* calibrate.c: reads the traces, fits, and predicts. Runs in a guard of `arena`. Returns SMS_OK; or a code with
 * `errors` filled. sms__calibration_free follows in any case. */
int sms__calibrate(struct sms__arena *arena, const char *const *paths, size_t count,
                   const struct sms__calibrate_settings *settings, struct sms__calibration *out,
                   struct sms_errors *errors);
void sms__calibration_free(struct sms__calibration *calibration);
/* The name of a value's row of the sheet; what run shows it; and the value as shipped, NAN if it is not known. */
const char *sms__sheet_value_name(enum sms__sheet_value value);
const char *sms__sheet_value_run(enum sms__sheet_value value);
double sms__shipped_value(const struct sms__device *device, enum sms__sheet_value value);
/* "2.17 ms", "1530 MHz", "2.2", to four digits. Returns `out`. */
const char *sms__print_sheet_value(char *out, size_t size, double number, enum sms__sheet_value value);

/* traced_runs.c: reads all traces, and says which program each process is. Returns SMS_OK, or a code with errors. */
int sms__read_runs(struct sms__calibration *calibration, const char *const *paths, size_t count);
/* The name of the function of a launch is that of a probe. */
bool sms__is_probe(const struct sms__profile_launch *launch, const char *probe);

/* The lengths of the steps of a process, s; and whether estimates of two runs contradict each other: their 95 %
 * intervals are apart, and their means by more than a tenth. */
struct sms__moments sms__step_moments(const struct sms__iterations *steps);
bool sms__contradict(struct sms_estimate a, struct sms_estimate b);

/* Whether a shape is of this kernel in this geometry; and the times of all launches of a profile, by number of their
 * shape, which is NULL where no launch has it. */
bool sms__same_shape(const struct sms__profile_shape *shape, const char *kernel, const uint64_t grid[3],
                     const uint64_t block[3]);
struct sms__shape_times *sms__shape_times(struct sms__arena *arena, const struct sms__profile *profile);

/* turns.c: the slice and the switch in ps that a run of two processes shows, each empty without enough turns. Returns
 * SMS_OK; or SMS_EINPUT with an error if the processes did not take turns. */
int sms__find_turns(const struct sms__calibration *calibration, const struct sms__traced_run *run,
                    struct sms__moments out[2]);

/* probes.c: sets the grids of the probes, and fits launch, block, knee and clock to them. Returns SMS_OK, or a code
 * with errors. */
int sms__fit_probes(struct sms__calibration *calibration);

/* predictions.c: simulates every run with both sheets, and fills in the rows. Returns SMS_OK, or a code with errors. */
int sms__predict(struct sms__calibration *calibration);

/* calibration_text.c: prints errors and sheet for people. */
void sms__calibration_print(const struct sms__calibration *calibration, const struct sms__screen *screen);
/* |simulated / measured - 1| in percent over the rows that are held back: all, or only those of programs together and
 * of probes. `sheet` SMS__SHEETS: of the naive values. NAN without a row. */
struct sms__held_errors {
    size_t count; /* rows */
    double median, greatest;
};
struct sms__held_errors sms__held_errors(const struct sms__calibration *calibration, bool all, int sheet);

/* calibration_folder.c: writes a folder that results/measured takes. Returns SMS_OK, or a code with errors. */
int sms__calibration_write(struct sms__calibration *calibration, struct sms__folder *folder);

#endif
