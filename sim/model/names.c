/* Names that must differ from each other: those of single things, and of several NAME1, NAME2, ... */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    const struct sms__named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order)
        return order;
    if (x->node->mark.line != y->node->mark.line)
        return x->node->mark.line < y->node->mark.line ? -1 : 1;
    return (x->node->mark.column > y->node->mark.column) - (x->node->mark.column < y->node->mark.column);
}

static int compare_texts(const void *key, const void *at) { return strcmp(key, ((const struct sms__named *)at)->name); }

/* Complains where the name without its last digits is that of several, and those digits are the number of one. */
static void check_number(struct sms__reader *reader, const struct sms__named *sorted, size_t count,
                         const struct sms__named *one, const char *what)
{
    char stem[256];
    for (size_t end = one->apart ? 0 : strlen(one->name);
         end > 1 && one->name[end - 1] >= '0' && one->name[end - 1] <= '9'; end--) {
        snprintf(stem, sizeof stem, "%.*s", (int)end - 1, one->name);
        const struct sms__named *many = bsearch(stem, sorted, count, sizeof *sorted, compare_texts);
        double number = strtod(one->name + end - 1, NULL);
        double lowest = one->several ? 10 * number + 1 : number;
        if (!many || one->name[end - 1] == '0' || lowest > (double)many->several)
            continue;
        sms__complain(reader, one->node, "%s '%.60s%s' is also one of the several of '%.60s'", what, one->name,
                      one->several ? "1" : "", many->name);
        return;
    }
}

void sms__check_names(struct sms__reader *reader, struct sms__named *named, size_t count, const char *what)
{
    if (count > 1)
        qsort(named, count, sizeof *named, compare_names);
    for (size_t i = 1; i < count && reader->errors->count <= SMS_ERRORS_MAX; i++)
        if (named[i].name[0] && !strcmp(named[i - 1].name, named[i].name))
            sms__complain(reader, named[i].node, "%s '%.60s' is defined twice", what, named[i].name);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= named[i].several > 0;
    for (size_t i = 0; any && i < count && reader->errors->count <= SMS_ERRORS_MAX; i++)
        check_number(reader, named, count, &named[i], what);
}
