#include "run.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a test cannot go on without. */
static void *need(void *memory)
{
    if (!memory) {
        fputs("property: no memory\n", stderr);
        exit(1);
    }
    return memory;
}

bool fails(char *why, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, size, format, args);
    va_end(args);
    return false;
}

static const char known[] = "known defect: ";

bool fails_as_known(char *why, size_t size, const char *defect) { return fails(why, size, "%s%s", known, defect); }

bool is_known(const char *why) { return !strncmp(why, known, strlen(known)); }

/* The number at the end of a name; of other files' names, a number made of the letters. */
static uint64_t number_of(const char *name)
{
    size_t end = strlen(name), digits = 0;
    while (digits < end && name[end - digits - 1] >= '0' && name[end - digits - 1] <= '9')
        digits++;
    if (digits)
        return strtoull(name + end - digits, NULL, 10);
    uint64_t number = 14695981039346656037u;
    for (; *name; name++)
        number = (number ^ (unsigned char)*name) * 1099511628211u;
    return number;
}

struct sms_file *load_scenario(const struct scenario *scenario, char *why, size_t size)
{
    char path[] = "/tmp/smsched-property-XXXXXX";
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    int fd = mkstemp(path);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
    if (!to) {
        perror(path);
        exit(1);
    }
    print_scenario(scenario, to);
    fclose(to);
    if (sms_file_load(path, NULL, &file, &errors))
        fails(why, size, "line %u: %s", errors.item[0].line, errors.item[0].message);
    unlink(path);
    return file;
}

struct sms_run_options plain_options(void)
{
    struct sms_run_options options = sms_run_defaults();
    options.whole_window = true; /* properties know where it begins and ends */
    options.alone = false;
    options.max_events = EVENTS_MAX;
    return options;
}

/* The observers' user: policies run in threads of their own. */
struct watch {
    struct outcome *outcome;
    const struct sms_scenario *scenario;
    pthread_mutex_t lock;
};

static struct trace *trace_of(struct watch *watch, const char *policy)
{
    size_t p = 0;
    while (strcmp(sms_scenario_policy(watch->scenario, p), policy))
        p++;
    return &watch->outcome->trace[p];
}

static void *grown(void *list, size_t count, size_t *room, size_t item)
{
    if (count < *room)
        return list;
    *room = *room ? 2 * *room : 64;
    return need(realloc(list, *room * item));
}

static void on_stay(void *user, const char *policy, const struct sms_stay *seen)
{
    struct watch *watch = user;
    pthread_mutex_lock(&watch->lock);
    struct trace *trace = trace_of(watch, policy);
    trace->stay = grown(trace->stay, trace->stays, &trace->stay_room, sizeof *trace->stay);
    trace->stay[trace->stays++] =
        (struct stay){seen->device,   seen->sm,     number_of(seen->vm), number_of(seen->kernel),
                      seen->start_ps, seen->end_ps, seen->blocks};
    pthread_mutex_unlock(&watch->lock);
}

static void on_decision(void *user, const char *policy, const struct sms_decision *seen)
{
    struct watch *watch = user;
    pthread_mutex_lock(&watch->lock);
    struct trace *trace = trace_of(watch, policy);
    trace->decision = grown(trace->decision, trace->decisions, &trace->decision_room, sizeof *trace->decision);
    trace->decision[trace->decisions++] = (struct decision){
        seen->time_ps, seen->device, number_of(seen->vm), number_of(seen->kernel), seen->block, seen->passed, seen->sm};
    pthread_mutex_unlock(&watch->lock);
}

static int observe(void *user, const struct sms_run_event *event)
{
    if (event->kind == SMS_RUN_STAY)
        on_stay(user, event->policy, event->stay);
    else
        on_decision(user, event->policy, event->decision);
    return 0;
}

void outcome_run(struct outcome *outcome, const struct sms_scenario *scenario, struct sms_run_options options,
                 bool decisions)
{
    struct sms_errors errors = {0};
    struct watch watch = {outcome, scenario, PTHREAD_MUTEX_INITIALIZER};
    *outcome = (struct outcome){.policies = sms_scenario_policies(scenario)};
    outcome->trace = need(calloc(outcome->policies, sizeof *outcome->trace));
    options.observe = observe;
    options.events = decisions ? SMS_RUN_STAY | SMS_RUN_DECISION : SMS_RUN_STAY;
    options.user = &watch;
    outcome->code = sms_run(scenario, &options, &outcome->results, &errors);
    if (outcome->code)
        fails(outcome->why, sizeof outcome->why, "%s", errors.item[0].message);
    pthread_mutex_destroy(&watch.lock);
}

void outcome_release(struct outcome *outcome)
{
    sms_results_free(outcome->results);
    for (size_t p = 0; p < outcome->policies; p++) {
        free(outcome->trace[p].stay);
        free(outcome->trace[p].decision);
    }
    free(outcome->trace);
}

bool run_scenario(struct run *run, const struct scenario *scenario, bool decisions)
{
    char ignored[8];
    run->file = load_scenario(scenario, ignored, sizeof ignored);
    if (!run->file)
        return false;
    outcome_run(&run->outcome, sms_file_scenario(run->file, 0), plain_options(), decisions);
    if (run->outcome.code == SMS_OK)
        return true;
    run_release(run);
    return false;
}

void run_release(struct run *run)
{
    outcome_release(&run->outcome);
    sms_file_free(run->file);
}

double metric_value(const struct outcome *outcome, size_t policy, enum sms_subject subject, size_t idx,
                    const char *name)
{
    size_t count, m = 0;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    while (m < count && strcmp(metric[m].name, name))
        m++;
    if (m == count) {
        fprintf(stderr, "property: there is no metric %s\n", name);
        exit(1);
    }
    return sms_results_value(outcome->results, policy, 0, subject, idx, m);
}

bool same_value(double a, double b) { return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a); }

bool same_stays(const struct outcome *a, const struct outcome *b, char *why, size_t size)
{
    for (size_t p = 0; p < a->policies; p++) {
        const struct trace *one = &a->trace[p], *two = &b->trace[p];
        size_t common = one->stays < two->stays ? one->stays : two->stays;
        for (size_t i = 0; i < common; i++)
            if (memcmp(&one->stay[i], &two->stay[i], sizeof one->stay[i]))
                return fails(why, size,
                             "policy %zu: stay %zu is on SM %llu until %llu ps, and on SM %llu until %llu ps", p, i,
                             (unsigned long long)one->stay[i].sm, (unsigned long long)one->stay[i].end,
                             (unsigned long long)two->stay[i].sm, (unsigned long long)two->stay[i].end);
        if (one->stays != two->stays)
            return fails(why, size, "policy %zu: %zu stays, and %zu", p, one->stays, two->stays);
    }
    return true;
}

static bool same_subject(const struct outcome *a, const struct outcome *b, size_t policy, size_t replication,
                         enum sms_subject subject, size_t idx, char *why, size_t size)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t m = 0; m < count; m++) {
        double one = sms_results_value(a->results, policy, replication, subject, idx, m);
        double two = sms_results_value(b->results, policy, replication, subject, idx, m);
        if (!same_value(one, two))
            return fails(why, size, "policy %zu, replication %zu: %s of %s is %.17g, and %.17g", policy, replication,
                         metric[m].name, sms_results_subject(a->results, subject, idx), one, two);
    }
    return true;
}

static bool same_replication(const struct outcome *a, const struct outcome *b, size_t policy, size_t replication,
                             char *why, size_t size)
{
    for (int s = 0; s < SMS_SUBJECTS; s++)
        for (size_t n = 0; n < sms_results_subjects(a->results, (enum sms_subject)s); n++)
            if (!same_subject(a, b, policy, replication, (enum sms_subject)s, n, why, size))
                return false;
    return true;
}

bool same_metrics(const struct outcome *a, const struct outcome *b, char *why, size_t size)
{
    size_t replications = sms_results_replications(a->results);
    for (size_t i = 0; i < a->policies * replications; i++)
        if (!same_replication(a, b, i / replications, i % replications, why, size))
            return false;
    return true;
}

double end_of(const struct scenario *s, const struct outcome *outcome, size_t policy)
{
    return is_finite(s) ? nearbyint(metric_value(outcome, policy, SMS_HOST, 0, "makespan_ns") * 1e3)
                        : (double)s->duration;
}

double beginning_of(const struct scenario *s, double end) { return (double)s->warmup < end ? (double)s->warmup : 0; }
