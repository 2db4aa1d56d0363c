#include "sweep.h"

#include <string.h>

struct flow {
    char *out;
    size_t used;
};

/* Twice: to count, then to write. */
static void put(struct flow *flow, const char *text, size_t length)
{
    if (flow->out)
        memcpy(flow->out + flow->used, text, length);
    flow->used += length;
}

/* As it stands where it can be nothing else; else in quotes, where a quote is doubled. */
static void put_scalar(struct flow *flow, const char *text)
{
    size_t length = strlen(text);
    if (length && !strpbrk(text, ",[]{}#&*!|>'\"%@`:?\n\t") && text[0] != ' ' && text[0] != '-' &&
        text[length - 1] != ' ') {
        put(flow, text, length);
        return;
    }
    bool number =
        length && strspn(text, "+-0123456789.") > 0 && !strpbrk(text, ",[]{}#:'\"\n\t") && text[length - 1] != ' ';
    if (number) {
        put(flow, text, length);
        return;
    }
    put(flow, "'", 1);
    for (; *text; text++)
        put(flow, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    put(flow, "'", 1);
}

static void put_node(struct flow *flow, const struct sms__node *node)
{
    if (node->kind == SMS__SCALAR) {
        put_scalar(flow, node->text);
        return;
    }
    const bool map = node->kind == SMS__MAP;
    put(flow, map ? "{" : "[", 1);
    for (size_t i = 0; i < node->items; i++) {
        if (i)
            put(flow, map && i % 2 ? ": " : ", ", 2);
        put_node(flow, node->item[i]);
    }
    put(flow, map ? "}" : "]", 1);
}

char *sms__node_flow(struct sms__arena *arena, const struct sms__node *node)
{
    struct flow flow = {0};
    put_node(&flow, node);
    flow.out = sms__alloc(arena, flow.used + 1, 1);
    flow.used = 0;
    put_node(&flow, node);
    return flow.out;
}
