/* Checks as JUnit XML, which programs of continuous integration read. */
#include "../base/escape.h"
#include "output.h"

/* Names may come from a baseline, with characters that XML cannot express. */
static void print_attribute(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=\"", name);
    sms__print_markup(to, value);
    fputc('"', to);
}

static void print_case(FILE *to, const struct sms__check *check)
{
    fputs(" <testcase", to);
    print_attribute(to, "classname", check->scenario);
    print_attribute(to, "name", check->name);
    fprintf(to, " time=\"%.3f\"%s", check->seconds, check->passed ? "/>\n" : ">\n  <failure");
    if (check->passed)
        return;
    print_attribute(to, "message", check->message);
    fputs("/>\n </testcase>\n", to);
}

void sms__print_junit(const struct sms__checks *checks, FILE *to)
{
    double seconds = 0;
    for (size_t i = 0; i < checks->count; i++)
        seconds += checks->item[i].seconds;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
    fprintf(to, "<testsuite name=\"smsched check\" tests=\"%zu\" failures=\"%zu\" time=\"%.3f\">\n", checks->count,
            checks->failed, seconds);
    for (size_t i = 0; i < checks->count; i++)
        print_case(to, &checks->item[i]);
    fputs("</testsuite>\n", to);
}
