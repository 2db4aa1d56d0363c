/* The script that draws a kind of mark. Its lines "# needs: NAME..." name the variables that the SQL of a figure has to
 * give: gnuplot would only say that one of them is undefined. */
#define _GNU_SOURCE
#include "figures.h"

#include "../base/escape.h"
#include "../base/read.h"

#include <fnmatch.h>
#include <string.h>

static bool is_given(const struct sms__figure_names *given, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < given->count && !found; i++)
        found = fnmatch(given->name[i], name, 0) == 0;
    return found;
}

/* An array's variables are called PREFIX_COLUMN, and so may be one of @set. */
static int lacks(struct sms__figures *figures, const char *sql, const char *mark, const char *name)
{
    const char *part = strchr(name, '_');
    const char *array =
        part ? sms__print(&figures->arena, "a column '%s' of '@array %.*s', or ", part + 1, (int)(part - name), name)
             : "";
    return sms__fail(&figures->errors, SMS_EINPUT, sql,
                     "gives no '%s', which '@draw %s' needs: %sa column '%s' of '@set'", name, mark, array, name);
}

static int check_needs(struct sms__figures *figures, const char *sql, const char *mark, const char *text,
                       const struct sms__figure_names *given)
{
    static const char word[] = "\n# needs:";
    for (const char *line = text; (line = strstr(line, word));) {
        line += sizeof word - 1;
        const char *end = strchrnul(line, '\n');
        for (const char *at = line + strspn(line, " "); at < end; at += strspn(at, " ")) {
            const char *name = sms__copy(&figures->arena, at, strcspn(at, " \n"));
            if (!is_given(given, name))
                return lacks(figures, sql, mark, name);
            at += strlen(name);
        }
    }
    return SMS_OK;
}

int sms__figures_script(struct sms__figures *figures, const char *mark, const char *sql,
                        const struct sms__figure_names *given, FILE *to)
{
    const char *text;
    int code = sms__file_text(&figures->arena, sms__print(&figures->arena, "%s/%s.gp", figures->scripts, mark), &text,
                              &figures->errors);
    if (code == SMS_OK)
        code = check_needs(figures, sql, mark, text, given);
    if (code == SMS_OK)
        fputs(text, to);
    return code;
}
