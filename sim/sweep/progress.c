/* Shows progress on stderr: of a sweep's points, or of a scenario's runs. */
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

/* Whether it is time to show something. */
static bool is_due(struct sms__progress *progress)
{
    double time = sms__monotonic_s(), wait = progress->terminal ? REWRITE_SECONDS : LINE_SECONDS;
    if (progress->quiet || time - progress->shown_s < wait)
        return false;
    progress->shown_s = time;
    return true;
}

/* Shows what is done, and how long the rest takes, if it takes as long: "3.2 days left". */
static void show(const struct sms__progress *progress, const char *done, double share)
{
    static const struct {
        double seconds;
        const char *name;
    } unit[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    const double left_s = (progress->shown_s - progress->started_s) * (1 - share) / share;
    size_t i = 0;
    while (unit[i].seconds > 1 && left_s < 2 * unit[i].seconds)
        i++;
    fprintf(stderr, "%s%.30s%s, %.3g %s left%s", progress->terminal ? "\r\033[K" : "", progress->label, done,
            left_s / unit[i].seconds, unit[i].name, progress->terminal ? "" : "\n");
}

void sms__progress_show(struct sms__progress *progress, uint64_t done, uint64_t total, uint64_t failed)
{
    char text[160], failures[40] = "";
    if (done == 0 || !is_due(progress))
        return;
    if (failed)
        snprintf(failures, sizeof failures, ", %llu failed", (unsigned long long)failed);
    snprintf(text, sizeof text, "%llu of %llu %.30s%s, %.3g/s", (unsigned long long)done, (unsigned long long)total,
             progress->what, failures, (double)done / (progress->shown_s - progress->started_s));
    show(progress, text, (double)done / (double)total);
}

void sms__progress_share(struct sms__progress *progress, double share)
{
    char text[80];
    if (share < 0.01 || !is_due(progress))
        return;
    snprintf(text, sizeof text, "%.0f %% of the %.30s", 100 * share, progress->what);
    show(progress, text, share);
}

void sms__progress_end(const struct sms__progress *progress)
{
    if (!progress->quiet && progress->terminal)
        fprintf(stderr, "\r\033[K");
}
