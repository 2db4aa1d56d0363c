/* Checks as JUnit XML, which programs of continuous integration read. */
#include "../base/escape.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* Names may come from a baseline, with characters that XML cannot express. */
static void print_attribute(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=\"", name);
    sms__print_markup(to, value);
    fputc('"', to);
}

static int compare_names(const struct sms__check *a, const struct sms__check *b)
{
    const int order = strcmp(a->scenario, b->scenario);
    return order ? order : strcmp(a->name, b->name);
}

/* Equal names in the order of the checks. */
static int by_name(const void *left, const void *right)
{
    const struct sms__check *a = *(struct sms__check *const *)left, *b = *(struct sms__check *const *)right;
    const int order = compare_names(a, b);
    return order ? order : (a > b) - (a < b);
}

/* Servers take two cases of one name for one. */
static int number_names(struct sms__checks *checks)
{
    struct sms__check **sorted = malloc((checks->count + 1) * sizeof *sorted);
    if (!sorted)
        return -1;
    for (size_t i = 0; i < checks->count; i++)
        sorted[i] = &checks->item[i];
    qsort(sorted, checks->count, sizeof *sorted, by_name);
    for (size_t i = 1; i < checks->count; i++)
        sorted[i]->same = compare_names(sorted[i - 1], sorted[i]) ? 0 : sorted[i - 1]->same + 1;
    free(sorted);
    return 0;
}

static void print_case(FILE *to, const struct sms__check *check)
{
    fputs(" <testcase", to);
    print_attribute(to, "classname", check->scenario);
    fputs(" name=\"", to);
    sms__print_markup(to, check->name);
    if (check->same)
        fprintf(to, " (%zu)", check->same + 1);
    fputc('"', to);
    fprintf(to, " time=\"%.3f\"%s", check->seconds, check->passed ? "/>\n" : ">\n  <failure");
    if (check->passed)
        return;
    print_attribute(to, "message", check->message);
    fputs("/>\n </testcase>\n", to);
}

int sms__print_junit(struct sms__checks *checks, FILE *to)
{
    double seconds = 0;
    if (number_names(checks))
        return -1;
    for (size_t i = 0; i < checks->count; i++)
        seconds += checks->item[i].seconds;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
    fprintf(to, "<testsuite name=\"smsched check\" tests=\"%zu\" failures=\"%zu\" time=\"%.3f\">\n", checks->count,
            checks->failed, seconds);
    for (size_t i = 0; i < checks->count; i++)
        print_case(to, &checks->item[i]);
    fputs("</testsuite>\n", to);
    return 0;
}
