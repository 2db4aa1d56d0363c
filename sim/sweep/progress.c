/* Shows progress on stderr: of a sweep's points, or of a scenario's runs. */
#include "../model/estimate.h"
#include "sweep.h"

#include <unistd.h>

#define LINE_SECONDS 30.0
#define REWRITE_SECONDS 0.1

double sms__monotonic_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void sms__progress_begin(struct sms__progress *progress, const char *label, const char *what, bool quiet)
{
    *progress = (struct sms__progress){.label = label, .what = what, .quiet = quiet};
    progress->terminal = isatty(STDERR_FILENO);
    progress->started_s = progress->shown_s = sms__monotonic_s();
    if (!quiet && progress->terminal) /* the first may take long */
        fprintf(stderr, "\r\033[K%.30snone of the %s is done yet", label, what);
}

void sms__progress_show(struct sms__progress *progress, uint64_t done, uint64_t total, uint64_t failed)
{
    char remaining[40], failures[40] = "";
    double time = sms__monotonic_s(), elapsed = time - progress->started_s;
    double wait = progress->terminal ? REWRITE_SECONDS : LINE_SECONDS;
    if (progress->quiet || done == 0 || time - progress->shown_s < wait)
        return;
    progress->shown_s = time;
    double rate = (double)done / elapsed;
    sms__say_time(remaining, sizeof remaining, 1e12 * (double)(total - done) / rate);
    if (failed)
        snprintf(failures, sizeof failures, ", %llu failed", (unsigned long long)failed);
    fprintf(stderr, "%s%.30s%llu of %llu %s%s, %.3g/s, %s left%s", progress->terminal ? "\r\033[K" : "",
            progress->label, (unsigned long long)done, (unsigned long long)total, progress->what, failures, rate,
            remaining, progress->terminal ? "" : "\n");
}

void sms__progress_end(const struct sms__progress *progress)
{
    if (!progress->quiet && progress->terminal)
        fprintf(stderr, "\r\033[K");
}
