/* Starts gnuplot, waits for it, and checks that it wrote a whole figure. */
#define _GNU_SOURCE
#include "plot.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

/* This program ignores two signals, which gnuplot should not ignore. */
static int spawn(pid_t *pid, char *const *arguments)
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
    problem = posix_spawnp(pid, arguments[0], NULL, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return problem;
}

/* A signal that stops this program also stops gnuplot, even if only this process got it. */
static int await(const struct sms__plot *plot, pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
        if (atomic_load(plot->cancel))
            kill(pid, SIGTERM);
    }
    return status;
}

static int missing(struct sms__plot *plot)
{
    return sms__fail(&plot->errors, SMS_EIO, NULL, "gnuplot was not found; install the package gnuplot-nox");
}

/* gnuplot exits with 0 on a full disk. So a figure counts as whole if it ends as its format does and is on the disk. */
static int check_figure(struct sms__plot *plot, const char *path, const char *format)
{
    static const struct {
        const char *format, *end;
        size_t length;
    } ends[] = {{"svg", "</svg>", 6}, {"pdf", "%%EOF", 5}, {"png", "IEND\xae\x42\x60\x82", 8}};
    char tail[64];
    FILE *file = fopen(path, "re");
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
                 : sms__fail(&plot->errors, SMS_EIO, path, "gnuplot has not written all of it: is the disk full?");
}

/* Paths are arguments rather than text of the script, so no name needs quotes. */
int sms__gnuplot(struct sms__plot *plot, const struct sms__figure *figure, const char *format)
{
    struct sms__arena *arena = &plot->arena;
    char *base = sms__print(arena, "%s/%s", plot->temporary, figure->name);
    char *arguments[] = {sms__print(arena, "gnuplot"),
                         sms__print(arena, "-d"),
                         sms__print(arena, "-c"),
                         sms__print(arena, "%s/%s", plot->scripts, figure->script),
                         sms__print(arena, "%s", plot->scripts),
                         sms__print(arena, "%s.var", base),
                         sms__print(arena, "%s.dat", base),
                         sms__print(arena, "%s", format),
                         sms__print(arena, "%s.%s", base, format),
                         NULL};
    pid_t pid;
    int problem = spawn(&pid, arguments);
    if (problem == ENOENT)
        return missing(plot);
    if (problem)
        return sms__fail(&plot->errors, SMS_EIO, NULL, "gnuplot cannot be started: %s", strerror(problem));
    int status = await(plot, pid);
    if (atomic_load(plot->cancel))
        return SMS_ECANCELED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return missing(plot);
    if (status)
        return sms__fail(&plot->errors, SMS_EIO, NULL, "gnuplot failed to draw %s.%s", figure->name, format);
    return check_figure(plot, arguments[8], format);
}
