/* Checks what must hold of runs of processes, or of clusters, on the scenarios of many seeds. */
#include "share.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sms_file *load(const char *path)
{
    static const struct sms_share_policy *const shares[] = {&chaos};
    struct sms_load_options options = {.shares = shares, .n_shares = 1};
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    if (sms_file_load(path, &options, &file, &errors))
        sms_errors_print(&errors, stderr);
    return file;
}

static struct sms_file *load_seed(uint64_t seed)
{
    char path[] = "/tmp/smsched-property-XXXXXX";
    int fd = mkstemp(path);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
    if (!to) {
        perror(path);
        exit(1);
    }
    generate(to, seed);
    fclose(to);
    struct sms_file *file = load(path);
    unlink(path);
    return file;
}

struct summary {
    uint64_t scenarios, unsaid, failures, told, stalled;
};

/* NULL, or what is wrong. */
static const char *check(const struct sms_scenario *scenario, struct summary *summary)
{
    struct outcome fast, again, reference;
    outcome_run(&fast, scenario, SMS_ENGINE_FAST, true);
    outcome_run(&again, scenario, SMS_ENGINE_FAST, false);
    outcome_run(&reference, scenario, SMS_ENGINE_REFERENCE, false);
    const char *why = is_wrong(&fast, scenario);
    if (!why && (why = differ(&fast, &again)))
        fputs("  twice the same run: ", stdout);
    else if (!why && (why = differ(&fast, &reference)))
        fputs("  against the reference: ", stdout);
    for (size_t p = 0; p < fast.policies; p++)
        summary->told += fast.seen[p].told;
    summary->unsaid += fast.code == SMS_ELIMIT;
    outcome_release(&fast);
    outcome_release(&again);
    outcome_release(&reference);
    return why;
}

static void check_seed(uint64_t seed, struct summary *summary)
{
    struct sms_file *file = load_seed(seed);
    const char *why = file ? check(sms_file_scenario(file, 0), summary) : "it does not load";
    summary->scenarios++;
    if (why) {
        printf("seed %llu: %s\n", (unsigned long long)seed, why);
        summary->failures++;
    }
    sms_file_free(file);
}

static int usage(void)
{
    fputs("usage: property_share or property_cluster [--print] [FROM [COUNT]], or --file YAML\n", stderr);
    return 2;
}

static int check_file(const char *path)
{
    struct summary summary = {0};
    struct sms_file *file = load(path);
    const char *why = file ? check(sms_file_scenario(file, 0), &summary) : "it does not load";
    puts(why ? why : "all holds");
    sms_file_free(file);
    return why != NULL;
}

int main(int argc, char **argv)
{
    bool print = argc > 1 && !strcmp(argv[1], "--print");
    int at = 1 + print;
    struct summary summary = {0};
    if (argc == 3 && !strcmp(argv[1], "--file"))
        return check_file(argv[2]);
    if (argc > at + 2 || (argc > at && argv[at][0] == '-'))
        return usage();
    uint64_t from = argc > at ? strtoull(argv[at], NULL, 10) : 1;
    uint64_t count = argc > at + 1 ? strtoull(argv[at + 1], NULL, 10) : 1;
    if (print)
        return generate(stdout, from), 0;
    for (uint64_t i = 0; i < count; i++)
        check_seed(from + i, &summary);
    printf("%llu scenarios, %llu kernels or placements, %llu scenarios with too many events; %llu failures\n",
           (unsigned long long)summary.scenarios, (unsigned long long)summary.told, (unsigned long long)summary.unsaid,
           (unsigned long long)summary.failures);
    return summary.failures > 0;
}
