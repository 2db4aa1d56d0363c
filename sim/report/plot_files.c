/* The data files and variables of figures, and what several figures print. */
#include "plot.h"

#include "../base/write.h"

#include <errno.h>
#include <string.h>

/* Colours repeat long before, and gnuplot takes a second for a thousand names. */
enum { LEGEND_MOST = 200 };

static FILE *open_file(struct sms__plot *plot, const char *name, const char *ending)
{
    const char *path = sms__print(&plot->arena, "%s/%s.%s", plot->temporary, name, ending);
    FILE *file = fopen(path, "we");
    if (!file)
        sms__fail(&plot->errors, SMS_EIO, path, "cannot be written: %s", strerror(errno));
    return file;
}

/* Returns SMS_OK for a file that was not opened. */
static int close_file(struct sms__plot *plot, FILE *file)
{
    return file ? sms__close_whole(file, plot->temporary, &plot->errors) : SMS_OK;
}

int sms__figures_check(struct sms__plot *plot, size_t more)
{
    if (plot->figures + more <= SMS__FIGURES_MAX)
        return SMS_OK;
    return sms__fail(&plot->errors, SMS_EINPUT, plot->folder,
                     "has results for more than %d figures; run its scenarios into several folders", SMS__FIGURES_MAX);
}

int sms__figure_open(struct sms__plot *plot, const char *script, const char *name, struct sms__figure_files *files)
{
    int code = sms__figures_check(plot, 1);
    if (code)
        return code;
    *SMS__APPEND(&plot->arena, plot->figure, plot->figures) = (struct sms__figure){name, script};
    *files = (struct sms__figure_files){open_file(plot, name, "dat"), open_file(plot, name, "var")};
    if (files->data && files->variables)
        return SMS_OK;
    sms__figure_close(plot, files);
    return SMS_EIO;
}

int sms__figure_close(struct sms__plot *plot, struct sms__figure_files *files)
{
    int data = close_file(plot, files->data), variables = close_file(plot, files->variables);
    return data ? data : variables;
}

/* The number of bytes of the first `most` characters. */
static size_t cut(const char *text, size_t most)
{
    size_t bytes = 0;
    for (size_t characters = 0; text[bytes]; bytes++) {
        characters += (text[bytes] & 0xc0) != 0x80;
        if (characters > most)
            break;
    }
    return bytes;
}

static size_t count_characters(const char *text)
{
    size_t characters = 0;
    for (; *text; text++)
        characters += (*text & 0xc0) != 0x80;
    return characters;
}

/* Long names often differ only at their ends, so they lose their middle. */
void sms__print_text(FILE *to, const char *name, size_t idx, const char *text, size_t most)
{
    size_t characters = count_characters(text), tail = most / 3;
    if (characters <= most)
        fprintf(to, "%s[%zu] = '%s'\n", name, idx, text);
    else
        fprintf(to, "%s[%zu] = '%.*s…%s'\n", name, idx, (int)cut(text, most - 1 - tail), text,
                text + cut(text, characters - tail));
}

void sms__print_legend(FILE *to, const struct sms__names *names, const bool *used, size_t most)
{
    size_t count = 0, most_names = names->count < LEGEND_MOST ? names->count : LEGEND_MOST;
    fprintf(to, "array name[%zu]\narray name_colour[%zu]\n", most_names, most_names);
    for (size_t i = 0; i < names->count && count < most_names; i++) {
        if (used && !used[i])
            continue;
        sms__print_text(to, "name", ++count, names->name[i], most);
        fprintf(to, "name_colour[%zu] = %zu\n", count, i);
    }
    fprintf(to, "names = %zu\n", count);
}

const char *sms__figure_name(struct sms__plot *plot, const char *kind, const char *scenario)
{
    char *name = sms__print(&plot->arena, "%s-%s", kind, scenario);
    for (char *at = name; *at; at++)
        if (*at == '/')
            *at = '+';
    return name;
}

struct sms__unit sms__time_unit(double most_ns)
{
    static const struct sms__unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}};
    size_t i = 0;
    while (units[i].size > 1 && most_ns < units[i].size)
        i++;
    return units[i];
}
