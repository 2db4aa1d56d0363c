/* Writes the page: the frame `page.html`, with its {{placeholders}} replaced by style, scripts and data. The page
 * fetches nothing and runs no script but its own, whatever the data contains. */
#include "page.h"

#include "../base/escape.h"
#include "../base/read.h"
#include "../report/memory.h"

#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files of the page, relative to share/smsched. */
static const char *const styles[] = {"page/page.css", NULL};
static const char *const libraries[] = {"d3.js", NULL};
static const char *const scripts[] = {"page/pure.js",
                                      "page/core.js",
                                      "page/table.js",
                                      "page/figures.js",
                                      "page/heat.js",
                                      "page/timeline.js",
                                      "page/run.js",
                                      "page/sweep.js",
                                      "page/gaps.js",
                                      "page/found.js",
                                      "page/advice.js",
                                      "page/main.js",
                                      NULL};

struct template
{
    const struct sms__page *page;
    const char *share;
    FILE *to;
    const char *path;
    struct sms_errors *errors;
    struct sms__arena arena;
    const char *frame, *style, *library, *script; /* texts of the files */
};

/* Appends a file to a text. */
static int add_file(struct template *template, const char **text, const char *name)
{
    const char *path = sms__print(&template->arena, "%s/%s", template->share, name), *bytes;
    if (access(path, R_OK))
        return sms__fail(template->errors, SMS_EIO, path, "cannot be read: %s%s", strerror(errno),
                         strcmp(name, libraries[0]) ? ""
                                                    : "; the page needs D3: install node-d3-axis, node-d3-scale and "
                                                      "node-d3-zoom (or run tools/setup), and build again");
    int code = sms__file_text(&template->arena, path, &bytes, template->errors);
    if (code == SMS_OK)
        *text = sms__print(&template->arena, "%s%s", *text ? *text : "", bytes);
    return code;
}

static int add_files(struct template *template, const char **text, const char *const *name)
{
    int code = SMS_OK;
    for (; *name && code == SMS_OK; name++)
        code = add_file(template, text, *name);
    return code;
}

/* Base64 as in RFC 4648, for the hashes of the content security policy. */
static void write_base64(const uint8_t *bytes, size_t length, FILE *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t remaining = length - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (remaining > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (remaining > 2 ? bytes[i + 2] : 0);
        for (size_t d = 0; d < 4; d++)
            fputc(d > remaining ? '=' : digits[three >> (18 - 6 * d) & 63], to);
    }
}

static void write_hash(const char *text, FILE *to)
{
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA2_CTX sha;
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)text, strlen(text));
    SHA256Final(hash, &sha);
    fputs(" 'sha256-", to);
    write_base64(hash, sizeof hash, to);
    fputs("'", to);
}

/* Writes a content security policy that allows only the page's own scripts and style, by their hashes. */
static void write_policy(const struct template *template, FILE *to)
{
    fputs("default-src 'none'; base-uri 'none'; form-action 'none'; script-src", to);
    write_hash(template->library, to);
    write_hash(template->script, to);
    fputs("; style-src", to);
    write_hash(template->style, to);
}

/* Escapes characters that could end the script element. The JSON itself is ASCII, so U+2028 is escaped already. */
static int write_data(const json_t *data, FILE *to)
{
    char *text = sms__note_memory(json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12)));
    for (const char *c = text ? text : ""; *c; c++)
        if (strchr("<>&", *c))
            fprintf(to, "\\u%04x", *c);
        else
            fputc(*c, to);
    free(text);
    if (sms__memory_failed())
        errno = ENOMEM;
    return sms__memory_failed() || ferror(to) ? -1 : 0;
}

/* Whether all scenarios have the same question. */
static bool has_one_question(const json_t *scenarios)
{
    for (size_t i = 1; i < json_array_size(scenarios); i++)
        if (!json_equal(json_object_get(json_array_get(scenarios, i), "question"),
                        json_object_get(json_array_get(scenarios, 0), "question")))
            return false;
    return true;
}

/* The scenario's or plan's question; without one, its name. */
static const char *make_title(const json_t *data, char *several, size_t size)
{
    snprintf(several, size, "%zu scenarios, one page", json_array_size(json_object_get(data, "scenarios")));
    if (!has_one_question(json_object_get(data, "scenarios")))
        return several;
    const char *title = json_string_value(json_object_get(data, "title"));
    if (title)
        return title;
    const json_t *first = json_array_get(json_object_get(data, "scenarios"), 0), *plan = json_object_get(data, "plan");
    const char *question = json_string_value(json_object_get(plan ? plan : first, "question"));
    const char *name = json_string_value(json_object_get(plan ? plan : first, plan ? "plan" : "scenario"));
    return question && *question ? question : name ? name : "smsched";
}

static int write_part(const struct template *template, const char *name, FILE *to)
{
    const json_t *data = template->page->data;
    char several[64];
    if (!strncmp(name, "policy}}", 8))
        write_policy(template, to);
    else if (!strncmp(name, "title}}", 7))
        sms__print_markup(to, make_title(data, several, sizeof several));
    else if (!strncmp(name, "style}}", 7))
        fputs(template->style, to);
    else if (!strncmp(name, "library}}", 9))
        fputs(template->library, to);
    else if (!strncmp(name, "script}}", 8))
        fputs(template->script, to);
    else
        return write_data(data, to);
    return 0;
}

/* Writes the frame with its {{placeholders}} replaced. */
static int write_page(const struct template *template)
{
    FILE *to = template->to;
    const char *rest = template->frame;
    for (const char *placeholder; (placeholder = strstr(rest, "{{")) != NULL; rest = strstr(placeholder, "}}") + 2) {
        fwrite(rest, 1, (size_t)(placeholder - rest), to);
        if (!strstr(placeholder, "}}") || write_part(template, placeholder + 2, to))
            return sms__fail(template->errors, SMS_EIO, template->path, "cannot be written: %s", strerror(errno));
    }
    fputs(rest, to);
    return SMS_OK;
}

static int make_page(void *user)
{
    struct template *template = user;
    int code = add_file(template, &template->frame, "page/page.html");
    if (code == SMS_OK)
        code = add_files(template, &template->style, styles);
    if (code == SMS_OK)
        code = add_files(template, &template->library, libraries);
    if (code == SMS_OK)
        code = add_files(template, &template->script, scripts);
    return code == SMS_OK ? write_page(template) : code;
}

int sms__page_write(struct sms__page *page, FILE *to, const char *path)
{
    struct template template = {.page = page, .share = page->share, .to = to, .path = path, .errors = &page->errors};
    int code = sms__guard(&template.arena, make_page, &template);
    if (code == SMS_ENOMEM && page->errors.count == 0)
        sms__fail(&page->errors, code, NULL, "out of memory");
    sms__arena_release(&template.arena);
    return code;
}
