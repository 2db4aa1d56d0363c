/* What every note is made of: a list of a few names, and its place among the notes of the results. */
#include "notes.h"
#include "../base/buffer.h"
#include "../base/sort.h"

#include <stdarg.h>
#include <string.h>

enum { NAMED = 3 };

void sms__names_add(struct sms__names *names, const char *name, double count)
{
    if (++names->count > NAMED)
        return;
    sms__append(names->text, sizeof names->text, "%s%.160s", names->count > 1 ? ", " : "", name);
    if (count >= 0)
        sms__append(names->text, sizeof names->text, " (%.0f)", count);
}

const char *sms__names_print(struct sms_results *results, const struct sms__names *names)
{
    return names->count <= NAMED ? sms__print(&results->arena, "%s", names->text)
                                 : sms__print(&results->arena, "%s and %zu more", names->text, names->count - NAMED);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char *sms__list_once(struct sms_results *results, const char **text, size_t count, const char *separator)
{
    const char *list = "";
    size_t differ = 0;
    sms__sort(&results->arena, text, count, sizeof *text, compare_texts);
    for (size_t i = 0; i < count; i++)
        if (!differ || strcmp(text[differ - 1], text[i]) != 0)
            text[differ++] = text[i];
    for (size_t i = 0; i < differ && i < NAMED; i++)
        list = sms__print(&results->arena, "%s%s%s", list, i ? separator : "", text[i]);
    return differ > NAMED ? sms__print(&results->arena, "%s and %zu more", list, differ - NAMED) : list;
}

void sms__note(struct sms_results *results, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    results->notes.text[results->notes.count++] = sms__vprint(&results->arena, format, args);
    va_end(args);
}
