/* Names kernels after their symbols. A name is that of the function, without return type, namespaces, templates and
 * arguments. If it says nothing ("Kernel"), or other symbols have it too, a word of the template arguments is added in
 * which the symbols differ. Kernels of one symbol are numbered. */
#include "derive_internal.h"
#include "../base/intern.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { NAME_LENGTH = 48, WORD_LENGTH = 24 };

/* A letter beyond ASCII is several bytes, which a name has '_' for. */
static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

/* The name in a mangled symbol, "_ZN2ns4axpyIfEEvi": the last of the lengths and names. Returns its length, 0 if the
 * symbol is not mangled. */
static size_t find_mangled(const char *symbol, const char **name)
{
    size_t length = 0;
    if (strncmp(symbol, "_Z", 2) != 0)
        return 0;
    const char *c = symbol + 2 + strspn(symbol + 2, "LNKVS");
    while (isdigit((unsigned char)*c)) {
        size_t each = 0;
        for (; isdigit((unsigned char)*c) && each < NAME_LENGTH * 100; c++)
            each = 10 * each + (size_t)(*c - '0');
        if (strnlen(c, each) < each)
            break;
        *name = c;
        length = each;
        c += each;
    }
    return length;
}

/* The part of the symbol from `c` to the end of its brackets: of (, <, { and [, which may hold each other. */
static const char *skip_brackets(const char *c)
{
    int depth = 0;
    for (; *c; c++) {
        depth += *c == '(' || *c == '<' || *c == '{' || *c == '[';
        depth -= *c == ')' || (*c == '>' && c[-1] != '-') || *c == '}' || *c == ']';
        if (depth == 0)
            return c + 1;
    }
    return c;
}

static bool is_text(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !strncmp(text, word, length);
}

/* The function's name: the last word before its template arguments and the list of its arguments. Words in front of it
 * are a return type, a namespace or "(anonymous namespace)". An operator, or a lambda at the end, has the name of its
 * class or function. Sets where its template arguments begin, or NULL. */
static size_t find_function(const char *symbol, const char **name, const char **arguments)
{
    const char *c = symbol, *lambda = strstr(symbol, "{lambda");
    size_t length = find_mangled(symbol, name), owner = 0;
    *arguments = NULL;
    while (*c && length == 0) {
        const char *from = c;
        while (is_word(*c))
            c++;
        size_t word = (size_t)(c - from);
        const char *templates = *c == '<' ? c : NULL, *next = templates ? skip_brackets(c) : c;
        if (owner > 0 && is_text(from, word, "operator"))
            return owner;
        if (word > 0 && next[0] == ':' && next[1] == ':') {
            *name = from;
            *arguments = templates;
            owner = word;
        }
        if (word > 0 && (*next == '(' || *next == '\0')) {
            *name = from;
            *arguments = templates;
            return word;
        }
        c = next > from ? next : *c && strchr("({[<", *c) ? skip_brackets(c) : c + (*c != '\0');
    }
    if (length == 0 && lambda) {
        *name = owner ? *name : lambda + 1;
        return owner ? owner : strlen("lambda");
    }
    *arguments = length ? *arguments : NULL;
    return length;
}

/* Whether the name would fit any kernel. */
static bool is_bare(const char *name, size_t length)
{
    static const char *const words[] = {"kernel", "kernel_", "global", "device_kernel", "run", "main"};
    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && !strncasecmp(words[i], name, length))
            return true;
    return false;
}

/* Whether the word is of "(anonymous namespace)", "{lambda(int)#1}" or "operator() const". */
static bool is_grammar(const char *from, size_t length)
{
    static const char *const words[] = {"anonymous", "namespace", "unnamed", "lambda", "operator", "const"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found |= is_text(from, length, words[i]);
    return found;
}

/* The next word of the template arguments that is no namespace; NULL at their end. */
static const char *next_word(const char **c, const char *end, size_t *length)
{
    while (*c < end) {
        while (*c < end && !is_word(**c))
            ++*c;
        const char *from = *c;
        while (*c < end && is_word(**c))
            ++*c;
        *length = (size_t)(*c - from);
        if (*length && strncmp(*c, "::", 2) != 0 && !is_grammar(from, *length))
            return from;
    }
    return NULL;
}

/* The first word of the template arguments in which the symbol differs from the other, which has the same function; the
 * first that begins with a letter if there is no other. NULL if there is none. */
static const char *find_difference(const char *symbol, const char *other, size_t *length)
{
    const char *name, *a, *b = NULL, *word, *same;
    size_t same_length = 0;
    find_function(symbol, &name, &a);
    if (other)
        find_function(other, &name, &b);
    const char *a_end = a ? skip_brackets(a) : NULL, *b_end = b ? skip_brackets(b) : NULL;
    while (a && (word = next_word(&a, a_end, length))) {
        same = b ? next_word(&b, b_end, &same_length) : NULL;
        bool equal = other && same && same_length == *length && !strncmp(word, same, *length);
        if (!equal && isalpha((unsigned char)*word))
            return word;
    }
    return NULL;
}

size_t sms__derive_function(const char *symbol, const char **name)
{
    const char *arguments;
    size_t length = find_function(symbol, name, &arguments);
    *name = length ? *name : symbol;
    return length ? length : strlen(symbol);
}

/* The part of a symbol as a part of a name. */
static const char *copy_part(struct sms__arena *arena, const char *from, size_t length, size_t most)
{
    char *part = sms__copy(arena, from, length < most ? length : most);
    for (char *c = part; *c; c++)
        if (!is_word(*c) || (unsigned char)*c > 127)
            *c = '_';
    return part;
}

static const char *make_name(struct sms__arena *arena, const char *symbol)
{
    const char *from, *word;
    size_t length = sms__derive_function(symbol, &from), more = 0;
    bool bare = is_bare(from, length);
    const char *name = copy_part(arena, from, length, NAME_LENGTH);
    word = bare ? find_difference(symbol, NULL, &more) : NULL;
    if (word)
        return sms__print(arena, "%s_%s", name, copy_part(arena, word, more, NAME_LENGTH));
    return *name ? name : "kernel";
}

/* Numbers a name if another kernel has it. The values of names are the last numbers behind them, or 1: so thousands of
 * kernels with one name take no minutes. */
static const char *number_name(struct sms__string_pool *names, const char *base)
{
    const char *name = base;
    while (sms__intern(names, name, strlen(name))->value)
        name = sms__print(names->arena, "%s_%zu", base, ++sms__intern(names, base, strlen(base))->value);
    sms__intern(names, name, strlen(name))->value = 1;
    return name;
}

void sms__derive_names(struct sms__derivation *derivation)
{
    struct sms__arena *arena = derivation->arena;
    struct sms__string_pool names = {.arena = arena};
    struct sms__string_pool plain = {.arena = arena}; /* values are numbers of their first kernels, from 1 */
    for (size_t k = 0; k < derivation->kernels; k++) {
        struct sms__derived *kernel = &derivation->kernel[k];
        const char *name = make_name(arena, kernel->symbol);
        struct sms__pooled_string *same = sms__intern(&plain, name, strlen(name));
        size_t length;
        same->value = same->value ? same->value : k + 1;
        const char *other = derivation->kernel[same->value - 1].symbol;
        const char *word = strcmp(other, kernel->symbol) ? find_difference(kernel->symbol, other, &length) : NULL;
        if (word)
            name = sms__print(arena, "%s_%s", name, copy_part(arena, word, length, WORD_LENGTH));
        kernel->name = number_name(&names, name);
    }
}
