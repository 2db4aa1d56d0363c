/* What every command needs: the tables of its options, the command that is being run, messages and exit codes.
 *
 * A command is a file cmd_NAME.c with a struct cli_command: its options are tables, and each option says where its
 * value goes in a struct that the command owns. Help, man page and completion are printed from the same tables. main.c
 * lists the commands. */
#ifndef SMS_CLI_CLI_H
#define SMS_CLI_CLI_H

#include <smsched/smsched.h>

#include "../base/errors.h"
#include "../report/output.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    EXIT_OK = 0,
    EXIT_MISSED = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_IO = 4,
    EXIT_BUG = 70,
    EXIT_INTERRUPTED = 130
};

/* The type that an option's value is stored as. */
enum cli_option_kind {
    CLI_FLAG,      /* `bool` */
    CLI_TEXT,      /* const char *; NULL: not given */
    CLI_LIST,      /* const char *[CLI_LIST_MAX + 1], NULL last; the option may be repeated */
    CLI_COUNT,     /* uint64_t, at least 1; 0: not given */
    CLI_TIME,      /* double, ps */
    CLI_RATIO,     /* double */
    CLI_FREQUENCY, /* double, Hz */
    CLI_BYTES,     /* uint64_t; 0: not given */
    CLI_CHOICE     /* int: index in `choices` */
};

enum { CLI_LIST_MAX = 64, CLI_OPTIONS_MAX = 40, CLI_OUTPUTS_MAX = 2 };

/* What an option's value names. */
enum cli_file { CLI_NO_FILE, CLI_INPUT, CLI_OUTPUT, CLI_OUTPUT_FOLDER };

/* What a file that an option writes begins with, where it is compressed that of its content. Only such a file is
 * replaced without --force. */
struct cli_format {
    const char *name;      /* with its article */
    const char *start[10]; /* each shorter than 256 bytes; NULL last */
};

struct cli_option {
    const char *name;  /* without "--" */
    const char *value; /* placeholder in the help; NULL for a flag */
    const char *help;
    enum cli_option_kind kind;
    size_t offset;                   /* in the struct of its table */
    const char *const *choices;      /* ends with NULL */
    double min, max;                 /* of a number; max 0: as its kind allows */
    double otherwise;                /* time or ratio if the option is not given */
    enum cli_file file;              /* a name that is written is checked: outputs.c */
    const struct cli_format *format; /* of CLI_OUTPUT */
    bool to_stdout;                  /* a file that is written: - is stdout */
    bool percentage;                 /* a number from 1 on needs a %, because it is probably meant as one */
    char letter;                     /* short form, or 0 */
};

/* A table of options, terminated by a name of NULL, and the offset of its struct in the command's struct. */
struct cli_table {
    const struct cli_option *option;
    size_t offset;
};

/* The help of an option whose general text does not fit a command. */
struct cli_text {
    const char *option, *help;
};

/* Options that several commands have; their values are in struct cli. All have --color and --help. */
enum cli_common {
    CLI_FORCE = 1 << 0,
    CLI_STRICT = 1 << 1,
    CLI_MEMORY = 1 << 2,
    CLI_NOTES = 1 << 3,
    CLI_MODELS = 1 << 4,
    CLI_PLUGINS = 1 << 5,
    CLI_QUIET = 1 << 6,
    CLI_ALL = 3 << 7
};

enum { CLI_TABLES_MAX = 8, CLI_TEXTS_MAX = 4, CLI_HINTS_MAX = 2 };

struct cli;

/* The commands, each in a file of its name. main.c lists them in the order of the help. */
extern const struct cli_command cmd_advise, cmd_calibrate, cmd_run, cmd_compare, cmd_validate, cmd_check, cmd_explain,
    cmd_plot, cmd_report, cmd_sweep, cmd_import, cmd_list, cmd_new, cmd_help;
extern const struct cli_command *const cli_commands[]; /* main.c: all, NULL last */

struct cli_command {
    const char *name;
    const char *args; /* "SCENARIO..." */
    const char *summary;
    const char *text;                         /* paragraphs for help and man page */
    const char *words;                        /* arguments that the shell completes; or NULL */
    const char *examples;                     /* each ends with a newline */
    struct cli_table options[CLI_TABLES_MAX]; /* fewer end with a table of NULL */
    unsigned common;                          /* of enum cli_common */
    struct cli_text texts[CLI_TEXTS_MAX];     /* fewer end with NULL */
    struct cli_text (*format)(size_t i);      /* the i-th format that it knows, then one of NULL; or NULL */
    bool verb;                                /* the first of several arguments names no file */
    struct cli_text hints[CLI_HINTS_MAX];     /* what to do instead of options of others; fewer end with NULL */
    size_t size;                              /* of the command's struct of options */
    void (*choose)(struct cli *cli);          /* names outputs that no option does, before they are checked; or NULL */
    int (*run)(struct cli *cli);              /* returns an exit code */
};

/* A file or folder that an option names to be written. */
struct cli_output {
    const char *option, *path;
    bool is_folder;
    const struct cli_format *format; /* of a file */
};

/* A command that is being run. */
struct cli {
    const struct cli_command *command;
    const struct cli_command *const *commands; /* all of them, NULL last */
    void *options;                             /* the command's struct */
    char **args;                               /* [n_args]: arguments other than options */
    size_t n_args;
    struct cli_output output[CLI_OUTPUTS_MAX];
    size_t n_outputs;
    const char *command_line;
    const char *share;            /* folder with plots/ and page/ */
    const char *installed_models; /* folder with devices/ and workloads/ */
    const char *models;           /* the same, searched first; or NULL */
    const char *plugins[CLI_LIST_MAX + 1];
    int color;       /* COLOR_AUTO, COLOR_ALWAYS or COLOR_NEVER */
    uint64_t memory; /* 0: half of the machine's */
    bool quiet, help, strict;
    bool notes; /* in full, on a terminal too */
    bool force; /* of a command without an option of its own for it */
};

/* screen.c: the terminal, or whatever stdout is. */
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
struct sms__screen cli_screen(const struct cli *cli);
/* Folds the lines of stdout from now on, if it is a terminal; closing stdout ends that. */
void cli_fold_lines(void);

/* "table", "csv", "json". */
enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };
extern const char *const cli_formats[];
extern const char *const cli_table_or_json[];
/* "fast", "reference": enum sms_engine. */
extern const char *const cli_engines[];

/* An option of a command, with the table that it comes from. */
struct cli_entry {
    const struct cli_option *option; /* NULL: the end */
    const struct cli_table *table;
    const char *help; /* for this command */
};

/* options.c: all options of a command, --color and --help last. Returns their number. */
size_t cli_list_options(const struct cli_command *command, struct cli_entry out[CLI_OPTIONS_MAX + 1]);
/* Parses what follows the command's name into cli->options and cli->args. 0 or EXIT_USAGE with the problem printed. */
int cli_parse(struct cli *cli, int argc, char **argv);
/* Where the value of an option of the command is stored; NULL if the command has no such option. */
void *cli_value(struct cli *cli, const char *name);

/* outputs.c: lists the outputs that the options name, and refuses one that would replace an input or another output.
 * EXIT_OK, or EXIT_USAGE with the problem printed. */
int cli_check_outputs(struct cli *cli);
/* Refuses the same of a file that only the inputs name. */
int cli_check_input(const struct cli *cli, const char *path);
/* Whether both paths lead to one file. */
bool cli_is_same_file(const char *one, const char *other);
/* Refuses a folder where `what`, such as "the file of a plan", is to be named. EXIT_OK, or EXIT_INPUT with the problem
 * printed. */
int cli_check_file(const char *path, const char *what);

/* cmd_sweep.c: checks the plan in a file, and prints how many points it has. Returns an exit code. */
int sweep_validate(const struct cli *cli, const char *path);

/* help.c */
void cli_print_usage(const struct cli_command *const *commands, FILE *to);
void cli_print_help(const struct cli_command *command, FILE *to);
/* The command of that name; NULL with the problem printed. */
const struct cli_command *cli_find(const struct cli_command *const *commands, const char *name);

/* shell_completion.c: prints the completion for bash. */
void cli_print_completion(const struct cli_command *const *commands, FILE *to);

/* command.c: runs a command, whose name is the first of `argv`. Returns the exit code. */
int cli_run(const struct cli_command *const *commands, const struct cli_command *command, int argc, char **argv);

/* console.c: the exit code for a code of the library. */
int cli_exit_code(int code);
/* Prints the errors of the library; returns the exit code. */
int cli_print_errors(int code, const struct sms_errors *errors);
/* Flushes stdout. Returns EXIT_IO with the problem printed if something could not be written, otherwise `exit_code`. */
int cli_finish(int exit_code);
/* Print a message and return the exit code: about the usage of the command; "WHERE: error: ..." (where: a path or
 * NULL); about memory. */
int cli_usage(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_fail(int exit_code, const char *where, const char *format, ...) __attribute__((format(printf, 3, 4)));
int cli_no_memory(void);
/* Number of cores that this process may use. */
unsigned cli_cores(void);
/* Sets cli_interrupted at SIGINT, SIGTERM and SIGHUP; or `leaves`, for what writes no file. */
void cli_catch_signals(bool leaves);
extern atomic_bool cli_interrupted;

#endif
