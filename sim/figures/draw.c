/* Starts gnuplot, waits for it, and checks that it wrote a whole figure. */
#define _GNU_SOURCE
#include "figures.h"

#include "../base/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOG "gnuplot.log" /* in the folder of the figures, which does not keep it */

extern char **environ;

/* This program ignores two signals, which gnuplot should not ignore. */
static int spawn(pid_t *pid, const char *folder, char *const *arguments)
{
    posix_spawnattr_t attributes;
    sigset_t signals;
    int problem = posix_spawnattr_init(&attributes);
    if (problem)
        return problem;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_t actions;
    problem = posix_spawn_file_actions_init(&actions);
    const bool begun = problem == 0;
    problem = problem ? problem : posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (problem == 0) /* It also warns of data that is not there. */
        problem = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, LOG, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    problem = problem ? problem : posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, environ);
    if (begun)
        posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return problem;
}

/* A signal that stops this program also stops gnuplot, even if only this process got it. */
static int await(const struct sms__figures *figures, pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
        if (atomic_load(figures->cancel))
            kill(pid, SIGTERM);
    }
    return status;
}

static int missing(struct sms__figures *figures)
{
    return sms__fail(&figures->errors, SMS_EIO, NULL, "gnuplot was not found; install the package gnuplot-nox");
}

/* gnuplot exits with 0 on a full disk. So a figure counts as whole if it ends as its format does and is on the disk. */
static int check_figure(struct sms__figures *figures, const char *name, const char *format)
{
    static const struct {
        const char *format, *end;
        size_t length;
    } ends[] = {{"svg", "</svg>", 6}, {"pdf", "%%EOF", 5}, {"png", "IEND\xae\x42\x60\x82", 8}};
    char tail[64];
    FILE *file = fopen(sms__print(&figures->arena, "%s/%s.%s", figures->temporary, name, format), "re");
    bool whole = file && fseek(file, 0, SEEK_END) == 0;
    long size = whole ? ftell(file) : 0;
    long from = size > (long)sizeof tail ? size - (long)sizeof tail : 0;
    whole = whole && fseek(file, from, SEEK_SET) == 0;
    size_t length = whole ? fread(tail, 1, sizeof tail, file) : 0;
    bool ended = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(ends[i].format, format))
            ended = memmem(tail, length, ends[i].end, ends[i].length) != NULL;
    whole = ended && fsync(fileno(file)) == 0;
    if (file)
        fclose(file);
    return whole ? SMS_OK
                 : sms__fail(&figures->errors, SMS_EIO,
                             sms__print(&figures->arena, "%s/%s.%s", figures->target, name, format),
                             "gnuplot has not written all of it: is the disk full?");
}

/* Says what gnuplot said last, or how it ended. */
static int failed(struct sms__figures *figures, int status, const char *name, const char *format)
{
    char tail[300] = "";
    FILE *log = fopen(sms__print(&figures->arena, "%s/%s", figures->temporary, LOG), "re");
    if (log && fseek(log, -(long)sizeof tail + 1, SEEK_END))
        rewind(log);
    if (log) {
        tail[fread(tail, 1, sizeof tail - 1, log)] = '\0';
        fclose(log);
    }
    sms__clean(tail);
    if (!*tail && WIFSIGNALED(status))
        snprintf(tail, sizeof tail, "ended by a signal: %s", strsignal(WTERMSIG(status)));
    else if (!*tail)
        snprintf(tail, sizeof tail, "exit code %d", WEXITSTATUS(status));
    return sms__fail(&figures->errors, SMS_EIO, NULL, "gnuplot failed to draw %s.%s: %s", name, format, tail);
}

/* Runs in the folder of the figures, so that the script finds its data there, as it will later. */
int sms__figures_draw(struct sms__figures *figures, const char *name, const char *format)
{
    struct sms__arena *arena = &figures->arena;
    char *arguments[] = {sms__print(arena, "gnuplot"),
                         sms__print(arena, "-d"),
                         sms__print(arena, "-c"),
                         sms__print(arena, "%s.gp", name),
                         sms__print(arena, "%s", format),
                         sms__print(arena, "%s.%s", name, format),
                         NULL};
    pid_t pid;
    int problem = spawn(&pid, figures->temporary, arguments);
    if (problem == ENOENT)
        return missing(figures);
    if (problem)
        return sms__fail(&figures->errors, SMS_EIO, NULL, "gnuplot cannot be started: %s", strerror(problem));
    int status = await(figures, pid);
    if (atomic_load(figures->cancel))
        return SMS_ECANCELED;
    if (status)
        return failed(figures, status, name, format);
    return check_figure(figures, name, format);
}
