/* The names of subjects and metrics. Invariant: this file depends on metrics.def alone, so that anything may ask it. */
#include "metrics.h"

#include "../base/suffix.h"

#include <fnmatch.h>
#include <string.h>

static const struct sms_metric all[] = {
#define METRIC(subject, name, better, words, formula) {#name, better, formula, words},
#include "metrics.def"
};

static const bool many[SMS__ALL_METRICS] = {
#define TIMES(subject, name) [SMS__##subject##_##name] = true,
#include "metrics.def"
};

static const struct {
    const char *word, *plural, *file;
    size_t first;
    enum sms__subject_kind kind;
    enum sms__subject_level level;
} subjects[SMS_SUBJECTS + 1] = {
#define SUBJECT(subject, word, plural, kind, level)                                                                    \
    [SMS_##subject] = {#word, #plural, #plural ".csv", SMS__FIRST_##subject, SMS__AS_##kind, SMS__OF_##level},
#include "metrics.def"
    [SMS_SUBJECTS] = {.first = SMS__ALL_METRICS}};

enum sms__subject_kind sms__subject_kind(enum sms_subject subject) { return subjects[subject].kind; }
enum sms__subject_level sms__subject_level(enum sms_subject subject) { return subjects[subject].level; }
const char *sms__subject_word(enum sms_subject subject) { return subjects[subject].word; }
const char *sms__subject_plural(enum sms_subject subject) { return subjects[subject].plural; }
const char *sms__subject_file(enum sms_subject subject) { return subjects[subject].file; }

size_t sms__metric_count(enum sms_subject subject)
{
    return (unsigned)subject < SMS_SUBJECTS ? subjects[subject + 1].first - subjects[subject].first : 0;
}

const struct sms_metric *sms_metrics(enum sms_subject subject, size_t *count)
{
    if (count)
        *count = sms__metric_count(subject);
    return (unsigned)subject < SMS_SUBJECTS ? &all[subjects[subject].first] : NULL;
}

const char *sms__metric_name(enum sms_subject subject, size_t metric)
{
    return sms_metrics(subject, NULL)[metric].name;
}

const char *sms__metric_words(const char *name)
{
    for (size_t m = 0; m < SMS__ALL_METRICS; m++)
        if (!strcmp(all[m].name, name))
            return all[m].words;
    return name;
}

/* Whether one of the first two words is a plural, which "process", "fairness" and "Jain's" are not. */
static bool is_counted(const char *words)
{
    size_t end = 0, blanks = 0;
    while (words[end] && !(words[end] == 's' && (words[end + 1] == ' ' || !words[end + 1])))
        blanks += words[end++] == ' ';
    return words[end] && blanks < 2 && end > 0 && words[end - 1] != 's' && words[end - 1] != '\'';
}

const char *sms__metric_superlative(const char *words, bool greatest)
{
    static const struct {
        const char *pattern, *greatest, *least;
    } of[] = {{"end of *", "latest", "earliest"}, {"peak *", "highest", "lowest"}, {"time *", "most", "least"},
              {"* time", "most", "least"},        {"*memory*", "most", "least"},   {"*", "highest", "lowest"}};
    size_t i = 0;
    while (fnmatch(of[i].pattern, words, 0) != 0)
        i++;
    if (i > 0 && is_counted(words))
        return greatest ? "most" : "fewest";
    return greatest ? of[i].greatest : of[i].least;
}

long sms_metric_index(enum sms_subject subject, const char *name)
{
    for (size_t m = 0; name && m < sms__metric_count(subject); m++)
        if (!strcmp(sms__metric_name(subject, m), name))
            return (long)m;
    return -1;
}

bool sms_metric_is_share(enum sms_subject subject, const char *name)
{
    const long m = sms_metric_index(subject, name);
    return m >= 0 && sms__ends_with(name, "_ratio") && !many[subjects[subject].first + (size_t)m];
}
