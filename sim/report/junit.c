/* Checks as JUnit XML, which programs of continuous integration read. */
#include "../base/escape.h"
#include "../base/intern.h"
#include "output.h"

#include <string.h>

/* Names may come from a baseline, with characters that XML cannot express. */
static void print_attribute(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=\"", name);
    sms__print_markup(to, value);
    fputc('"', to);
}

/* The numbers of the checks among those of their name, from 1: servers take two cases of one name for one. */
struct numbering {
    const struct sms__checks *checks;
    struct sms__arena arena;
    size_t *number;
};

static int number_names(void *user)
{
    struct numbering *numbering = user;
    struct sms__string_pool names = {.arena = &numbering->arena};
    numbering->number = SMS__NEW(&numbering->arena, size_t, numbering->checks->count + 1);
    for (size_t i = 0; i < numbering->checks->count; i++) {
        const struct sms__check *check = &numbering->checks->item[i];
        const char *name = sms__print(&numbering->arena, "%s\n%s", check->scenario, check->name);
        numbering->number[i] = ++sms__intern(&names, name, strlen(name))->value;
    }
    return SMS_OK;
}

static void print_case(FILE *to, const struct sms__check *check, size_t number)
{
    fputs(" <testcase", to);
    print_attribute(to, "classname", check->scenario);
    fputs(" name=\"", to);
    sms__print_markup(to, check->name);
    if (number > 1)
        fprintf(to, " (%zu)", number);
    fputc('"', to);
    fprintf(to, " time=\"%.3f\"%s", check->seconds, check->passed ? "/>\n" : ">\n  <failure");
    if (check->passed)
        return;
    print_attribute(to, "message", check->message);
    fputs("/>\n </testcase>\n", to);
}

int sms__print_junit(const struct sms__checks *checks, FILE *to)
{
    double seconds = 0;
    struct numbering numbering = {.checks = checks};
    const int code = sms__guard(&numbering.arena, number_names, &numbering);
    if (code) {
        sms__arena_release(&numbering.arena);
        return code;
    }
    for (size_t i = 0; i < checks->count; i++)
        seconds += checks->item[i].seconds;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
    fprintf(to, "<testsuite name=\"smsched check\" tests=\"%zu\" failures=\"%zu\" time=\"%.3f\">\n", checks->count,
            checks->failed, seconds);
    for (size_t i = 0; i < checks->count; i++)
        print_case(to, &checks->item[i], numbering.number[i]);
    fputs("</testsuite>\n", to);
    sms__arena_release(&numbering.arena);
    return SMS_OK;
}
