/* Writes a node as one line of YAML in flow style. Keys are made of this text, so equal content must give equal text.
 */
#include "doc.h"

#include <string.h>

struct flow {
    char *out;
    size_t used;
};

/* Called in two passes: without `out` it only counts. */
static void append(struct flow *flow, const char *text, size_t length)
{
    if (flow->out)
        memcpy(flow->out + flow->used, text, length);
    flow->used += length;
}

/* What a line of YAML holds only as an escape: line breaks, and what a file may not have. Then what has another meaning
 * in double quotes. */
static const struct {
    const char *text, *escape;
} escapes[] = {{"\n", "\\n"},
               {"\xe2\x80\xa8", "\\L"},
               {"\xe2\x80\xa9", "\\P"},
               {"\xef\xbb\xbf", "\\uFEFF"},
               {"\xef\xbf\xbe", "\\uFFFE"},
               {"\xef\xbf\xbf", "\\uFFFF"},
               {"\\", "\\\\"},
               {"\"", "\\\""}};
enum { ESCAPES = sizeof escapes / sizeof *escapes, ESCAPES_NEEDED = ESCAPES - 2 };

/* The escape of the character at `c`; ESCAPES: it needs none. */
static size_t escape_of(const char *c)
{
    size_t e = 0;
    while (e < ESCAPES && strncmp(c, escapes[e].text, strlen(escapes[e].text)) != 0)
        e++;
    return e;
}

static bool needs_escape(const char *text)
{
    for (const char *c = text; (c = strpbrk(c, "\n\xe2\xef")); c++)
        if (escape_of(c) < ESCAPES_NEEDED)
            return true;
    return false;
}

static void append_escaped(struct flow *flow, const char *text)
{
    append(flow, "\"", 1);
    for (size_t length; *text; text += length) {
        const size_t e = escape_of(text);
        length = e < ESCAPES ? strlen(escapes[e].text) : 1;
        append(flow, e < ESCAPES ? escapes[e].escape : text, e < ESCAPES ? strlen(escapes[e].escape) : 1);
    }
    append(flow, "\"", 1);
}

/* Plain where that is unambiguous, otherwise in single quotes, with quotes doubled. */
static void append_scalar(struct flow *flow, const char *text)
{
    size_t length = strlen(text);
    bool plain = length && !strpbrk(text, ",[]{}#&*!|>'\"%@`:?\t") && text[0] != ' ' && text[0] != '-';
    bool number = strspn(text + strspn(text, "+-"), "0123456789.") > 0 && !strpbrk(text, ",[]{}#:'\"\t");
    if (needs_escape(text)) {
        append_escaped(flow, text);
        return;
    }
    if ((plain || number) && text[length - 1] != ' ') {
        append(flow, text, length);
        return;
    }
    append(flow, "'", 1);
    for (; *text; text++)
        append(flow, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    append(flow, "'", 1);
}

static void append_node(struct flow *flow, const struct sms__node *node)
{
    if (node->kind == SMS__SCALAR) {
        append_scalar(flow, node->text);
        return;
    }
    const bool map = node->kind == SMS__MAP;
    append(flow, map ? "{" : "[", 1);
    for (size_t i = 0; i < node->items; i++) {
        if (i)
            append(flow, map && i % 2 ? ": " : ", ", 2);
        append_node(flow, node->item[i]);
    }
    append(flow, map ? "}" : "]", 1);
}

char *sms__node_flow(struct sms__arena *arena, const struct sms__node *node)
{
    struct flow flow = {0};
    append_node(&flow, node);
    flow.out = sms__alloc(arena, flow.used + 1, 1);
    flow.used = 0;
    append_node(&flow, node);
    return flow.out;
}
