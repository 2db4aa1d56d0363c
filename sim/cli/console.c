/* Messages, exit codes, signals, cores and standard output. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cli.h"

#include "../base/escape.h"
#include "../report/memory.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

/* The only global variable, because a signal handler has nothing else to write to. */
atomic_bool cli_interrupted;

static void interrupt(int number)
{
    (void)number;
    atomic_store(&cli_interrupted, true);
}

static void leave(int number)
{
    static const char said[] = "\nerror: interrupted\n";
    const size_t skipped = !isatty(STDERR_FILENO); /* a terminal has a line of progress */
    (void)number;
    (void)!write(STDERR_FILENO, said + skipped, sizeof said - 1 - skipped);
    _exit(EXIT_INTERRUPTED);
}

/* A second signal ends the program at once. */
void cli_catch_signals(bool leaves)
{
    struct sigaction action = {.sa_handler = leaves ? leave : interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) /* nohup ignores it */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

unsigned cli_cores(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (unsigned)count : 1;
}

int cli_exit_code(int code)
{
    switch (code) {
    case SMS_OK:
        return EXIT_OK;
    case SMS_EINPUT:
        return EXIT_INPUT;
    case SMS_EIO:
    case SMS_ENOMEM:
    case SMS_ELIMIT:
    case SMS_EMEMORY:
        return EXIT_IO;
    case SMS_ECANCELED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_BUG;
    }
}

int cli_print_errors(int code, const struct sms_errors *errors)
{
    sms_errors_print(errors, stderr);
    return cli_exit_code(code);
}

int cli_usage(const struct cli *cli, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "smsched %s: ", cli->command->name);
    sms__print_visible(stderr, text);
    const char *sign = *text && text[strlen(text) - 1] == '?' ? " See" : "; see";
    fprintf(stderr, "%s 'smsched %s --help'\n", sign, cli->command->name);
    return EXIT_USAGE;
}

int cli_fail(int exit_code, const char *where, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sms__print_visible(stderr, where ? where : "");
    fputs(where ? ": error: " : "error: ", stderr);
    sms__print_visible(stderr, text);
    fputc('\n', stderr);
    return exit_code;
}

int cli_no_memory(void) { return cli_fail(EXIT_IO, NULL, "out of memory"); }

/* Whether the reader of a pipe has stopped, as `| head` does. That is no error to report. */
static bool is_reader_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

int cli_finish(int exit_code)
{
    FILE *const given = stdout;
    bool failed = fflush(given) != 0;
    failed |= ferror(given) != 0;
    if (fileno(given) < 0) { /* folded: see cli_fold_lines */
        failed |= fclose(given) != 0;
        failed |= fflush(stdout) != 0 || ferror(stdout) != 0;
    }
    if (sms__memory_failed() && exit_code == EXIT_OK)
        return cli_no_memory();
    if (failed && exit_code == EXIT_OK) {
        if (!is_reader_gone())
            cli_fail(EXIT_IO, NULL, "standard output cannot be written");
        return EXIT_IO;
    }
    return exit_code;
}
