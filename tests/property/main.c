/* Checks the properties on the scenarios of many seeds; shrinks what breaks one. */
#include "property.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    uint64_t from, count;
    const struct named_property *property; /* NULL: all */
    const char *file, *seeds, *failures;
    bool print, strict;
};

/* What a shrunken scenario has to break still. What does not load has to go on for the same
 * reason: there are many ways not to load. */
struct target {
    const struct named_property *property;
    bool same_reason, strict;
    char why[512];
};

/* But for the numbers in them. */
static bool are_same_words(const char *a, const char *b)
{
    static const char digits[] = "0123456789.";
    for (a += strspn(a, digits), b += strspn(b, digits); *a && *a == *b; a += strspn(a, digits), b += strspn(b, digits))
        a++, b++;
    return *a == *b;
}

static bool still_holds(void *user, const struct scenario *scenario)
{
    struct target *target = user;
    char why[sizeof target->why] = "";
    bool holds = property_holds(target->property, scenario, NULL, why, sizeof why);
    holds = holds || (is_known(why) && !target->strict);
    if (holds || (target->same_reason && target->why[0] && !are_same_words(why, target->why)))
        return true;
    memcpy(target->why, why, sizeof why);
    return false;
}

static void write_failure(const struct options *options, const struct scenario *scenario, const struct target *target,
                          uint64_t seed)
{
    char path[512];
    if (mkdir(options->failures, 0777) && errno != EEXIST)
        perror(options->failures);
    snprintf(path, sizeof path, "%s/%s-%llu.yaml", options->failures, target->property->name, (unsigned long long)seed);
    FILE *to = fopen(path, "w");
    if (!to) {
        perror(path);
        return;
    }
    fprintf(to, "# seed %llu breaks %s: %s\n", (unsigned long long)seed, target->property->name, target->why);
    print_scenario(scenario, to);
    fclose(to);
    printf("  shrunken scenario: %s\n", path);
}

static void report(const struct options *options, const struct named_property *property, uint64_t seed)
{
    struct target target = {
        .property = property, .same_reason = property->holds == is_valid, .strict = options->strict};
    struct scenario scenario;
    generate(&scenario, seed);
    still_holds(&target, &scenario);
    shrink(&scenario, still_holds, &target);
    printf("seed %llu breaks %s (%s):\n  %s\n", (unsigned long long)seed, property->name, property->help, target.why);
    write_failure(options, &scenario, &target, seed);
    printf("  replay: property --from %llu --count 1 --property %s\n", (unsigned long long)seed, property->name);
    printf("  keep:   add the seed to tests/property/seeds.txt\n");
    fflush(stdout);
}

enum { REPORTS_MAX = 3 }; /* of one property: more say the same */

enum { KNOWN_MAX = 16 };

struct known {
    char why[512];
    unsigned scenarios;
};

/* Seeds with too many events say nothing: how many is said at the end. */
struct summary {
    uint64_t scenarios, unsaid;
    unsigned failed[32];
    struct known known[KNOWN_MAX];
};

static void count_known(struct summary *summary, const char *why)
{
    size_t i = 0;
    while (i + 1 < KNOWN_MAX && summary->known[i].scenarios && strcmp(summary->known[i].why, why))
        i++;
    snprintf(summary->known[i].why, sizeof summary->known[i].why, "%s", why);
    summary->known[i].scenarios++;
}

static void check_all(const struct options *options, const struct scenario *scenario, const struct run *run,
                      uint64_t seed, struct summary *summary)
{
    for (size_t p = 0; properties[p].name; p++) {
        char why[512] = "";
        bool chosen = !options->property || options->property == &properties[p];
        bool can = run || !properties[p].holds_of_trace;
        if (!chosen || !can || property_holds(&properties[p], scenario, run, why, sizeof why))
            continue;
        if (is_known(why) && !options->strict)
            count_known(summary, why);
        else if (summary->failed[p]++ < REPORTS_MAX)
            report(options, &properties[p], seed);
    }
}

static void check_seed(const struct options *options, uint64_t seed, struct summary *summary)
{
    struct scenario scenario;
    struct run run;
    generate(&scenario, seed);
    const struct scenario begun = without_phases(&scenario);
    bool runs = run_scenario(&run, &begun, true);
    check_all(options, &scenario, runs ? &run : NULL, seed, summary);
    summary->scenarios++;
    summary->unsaid += !runs;
    if (runs)
        run_release(&run);
}

/* Seeds that once broke something: a number a line, `#` begins a comment. */
static bool check_seeds_of_file(const struct options *options, struct summary *summary)
{
    char line[256];
    FILE *from = fopen(options->seeds, "r");
    if (!from) {
        perror(options->seeds);
        return false;
    }
    while (fgets(line, sizeof line, from)) {
        char *rest;
        uint64_t seed = strtoull(line, &rest, 10);
        if (rest != line)
            check_seed(options, seed, summary);
    }
    fclose(from);
    return true;
}

static int summarize(const struct summary *summary)
{
    unsigned failed = 0;
    for (size_t p = 0; properties[p].name; p++) {
        if (summary->failed[p])
            printf("%s: broken by %u scenarios\n", properties[p].name, summary->failed[p]);
        failed += summary->failed[p];
    }
    for (size_t i = 0; i < KNOWN_MAX && summary->known[i].scenarios; i++)
        printf("%s: %u scenarios\n", summary->known[i].why, summary->known[i].scenarios);
    printf("%llu scenarios, %llu of them with too many events; %u failures\n", (unsigned long long)summary->scenarios,
           (unsigned long long)summary->unsaid, failed);
    return failed > 0;
}

/* The properties that look at nothing but what is loaded, on every scenario of a file. */
static int check_file(const struct options *options)
{
    struct sms_errors errors = {0};
    struct sms_file *file;
    int broken = 0;
    if (sms_file_load(options->file, NULL, &file, &errors)) {
        sms_errors_print(&errors, stderr);
        return 3;
    }
    for (size_t i = 0; i < sms_file_scenarios(file); i++)
        for (size_t p = 0; properties[p].name; p++) {
            char why[512];
            bool chosen = !options->property || options->property == &properties[p];
            if (!chosen || !properties[p].holds_of_file)
                continue;
            bool holds = properties[p].holds_of_file(sms_file_scenario(file, i), why, sizeof why);
            printf("%s: %s%s%s\n", sms_scenario_name(sms_file_scenario(file, i)), properties[p].name,
                   holds ? " holds" : " is broken: ", holds ? "" : why);
            broken |= !holds;
        }
    sms_file_free(file);
    return broken;
}

static int usage(FILE *to)
{
    fputs("usage: property [--from SEED] [--count N] [--property NAME] [--seeds FILE] [--failures FOLDER]\n"
          "                [--strict]  (known defects are failures, too)\n"
          "       property --print --from SEED\n"
          "       property --file YAML [--property NAME]\n"
          "Checks properties on random scenarios; exit 1 if one is broken. Those marked * work on a file.\n",
          to);
    for (size_t p = 0; properties[p].name; p++)
        fprintf(to, "%c %-32s %s\n", properties[p].holds_of_file ? '*' : ' ', properties[p].name, properties[p].help);
    return 2;
}

static bool take_number(const char *text, uint64_t *out)
{
    char *rest;
    *out = strtoull(text, &rest, 10);
    return rest != text && !*rest;
}

static bool take_option(struct options *options, const char *name, const char *value)
{
    if (!strcmp(name, "--from"))
        return take_number(value, &options->from);
    if (!strcmp(name, "--count"))
        return take_number(value, &options->count);
    if (!strcmp(name, "--property"))
        return (options->property = find_property(value)) != NULL;
    if (!strcmp(name, "--file"))
        return (options->file = value) != NULL;
    if (!strcmp(name, "--seeds"))
        return (options->seeds = value) != NULL;
    if (!strcmp(name, "--failures"))
        return (options->failures = value) != NULL;
    return false;
}

static bool take_options(struct options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--print"))
            options->print = true;
        else if (!strcmp(argv[i], "--strict"))
            options->strict = true;
        else if (i + 1 >= argc || !take_option(options, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.from = 1, .count = 500, .failures = "tests/property/failures"};
    struct summary summary = {0};
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return usage(stdout), 0;
    if (!take_options(&options, argc, argv))
        return usage(stderr);
    if (options.file)
        return check_file(&options);
    if (options.print) {
        struct scenario scenario;
        generate(&scenario, options.from);
        print_scenario(&scenario, stdout);
        return 0;
    }
    if (options.seeds && !check_seeds_of_file(&options, &summary))
        return 4;
    for (uint64_t i = 0; i < options.count; i++)
        check_seed(&options, options.from + i, &summary);
    return summarize(&summary);
}
