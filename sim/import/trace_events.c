/* Reads JSON without keeping it: a byte is looked at once, and memory holds one event and one text. Values that nobody
 * asks for are passed over from bracket to bracket, whatever is in them.
 *
 * A list or a map is read by read_group, which calls read_item for its items; read_item calls read_group for those in
 * which there is something. That ends after four levels, because the level of a group says which groups may be in it.
 */
#include "trace_events.h"

#include "../base/escape.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18, TEXT_MAX = 1 << 18 };

enum level { FILE_MAP, EVENTS, GPUS, EVENT, ARGS, GPU, AXES };

static const struct {
    enum level level;
    const char *key;
    int field;
} keys[] = {{EVENT, "ph", SMS__EVENT_PH},
            {EVENT, "cat", SMS__EVENT_CAT},
            {EVENT, "name", SMS__EVENT_NAME},
            {EVENT, "pid", SMS__EVENT_PID},
            {EVENT, "tid", SMS__EVENT_TID},
            {EVENT, "ts", SMS__EVENT_TS},
            {EVENT, "dur", SMS__EVENT_DUR},
            {ARGS, "device", SMS__EVENT_DEVICE},
            {ARGS, "context", SMS__EVENT_CONTEXT},
            {ARGS, "stream", SMS__EVENT_STREAM},
            {ARGS, "correlation", SMS__EVENT_CORRELATION},
            {ARGS, "registers per thread", SMS__EVENT_REGISTERS},
            {ARGS, "shared memory", SMS__EVENT_SHARED},
            {ARGS, "bytes", SMS__EVENT_BYTES},
            {ARGS, "est. achieved occupancy %", SMS__EVENT_OCCUPANCY},
            {ARGS, "grid", SMS__EVENT_GRID},
            {ARGS, "block", SMS__EVENT_BLOCK},
            {ARGS, "name", SMS__EVENT_ARG_NAME},
            {GPU, "id", SMS__EVENT_DEVICE},
            {GPU, "name", SMS__EVENT_NAME},
            {GPU, "totalGlobalMem", SMS__EVENT_BYTES},
            {GPU, "computeMajor", SMS__EVENT_GRID},
            {GPU, "computeMinor", SMS__EVENT_BLOCK}};

static int fail_here(struct sms__events *events, const char *problem)
{
    struct sms__mark mark = {events->file.path, NULL, events->line, events->column};
    sms__error(events->errors, SMS_EINPUT, mark, "%s", problem);
    return SMS_EINPUT;
}

/* ---- bytes ---- */

/* Returns the next byte of the file, which stays; EOF at its end, or after a failure, which `code` tells. */
static int peek(struct sms__events *events)
{
    if (events->taken == events->length && events->code == SMS_OK) {
        events->code = sms__gzip_read(&events->file, events->chunk, CHUNK, &events->length, events->errors);
        events->taken = 0;
        if (events->watch && events->code == SMS_OK)
            events->watch->show(events->watch->user, (uint64_t)gzoffset(events->file.file), events->file.file_size);
    }
    return events->code != SMS_OK || events->length == 0 ? EOF : (unsigned char)events->chunk[events->taken];
}

static void take(struct sms__events *events)
{
    bool breaks = events->chunk[events->taken++] == '\n';
    events->line += breaks;
    events->column = breaks ? 1 : events->column + 1;
}

static bool is_space(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Returns the next byte that is no space, which stays; EOF as peek. */
static int skip_space(struct sms__events *events)
{
    int c;
    while (is_space(c = peek(events)))
        take(events);
    return c;
}

static int fail_cut(struct sms__events *events)
{
    if (events->code != SMS_OK)
        return events->code;
    return fail_here(events, "the file ends in the middle: the program was stopped before it had written all of it");
}

/* Passes over this byte, or the other one. */
static int take_one_of(struct sms__events *events, int wanted, int other)
{
    int c = skip_space(events);
    if (c == EOF)
        return fail_cut(events);
    if (c != wanted && c != other)
        return fail_here(events, sms__print(events->arena, "is not JSON: '%c' is missing", wanted));
    take(events);
    return SMS_OK;
}

/* ---- texts and numbers ---- */

/* Returns the UTF-16 unit of \uXXXX; -1 if something else is there. */
static long unit_at(const char *at)
{
    if (at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++)
        if (!isxdigit((unsigned char)at[i]))
            return -1;
    return strtol((const char[]){at[2], at[3], at[4], at[5], '\0'}, NULL, 16);
}

/* Writes a character as UTF-8. */
static char *put_character(char *to, long code)
{
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)(first[more] | code >> 6 * more);
    for (int i = more - 1; i >= 0; i--)
        *to++ = (char)(0x80 | (code >> 6 * i & 0x3f));
    return to;
}

/* Writes what stands at a backslash. One that begins no escape of JSON is a slash: profilers do not escape those of
 * paths. */
static char *put_escaped(char *to, const char **at)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *letter = (*at)[1] ? strchr(letters, (*at)[1]) : NULL;
    long code = unit_at(*at), low = code >= 0xd800 && code < 0xdc00 ? unit_at(*at + 6) : -1;
    bool pair = low >= 0xdc00 && low <= 0xdfff;
    *at += letter ? 2 : code < 0 ? 1 : pair ? 12 : 6;
    if (code < 0)
        return put_character(to, letter ? meanings[letter - letters] : '/');
    return put_character(to, pair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code);
}

/* Turns a text between its quotes into what it means, in place; half a surrogate pair is no UTF-8. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at;)
        if (*at == '\\')
            to = put_escaped(to, &at);
        else
            *to++ = *at++;
    *to = '\0';
}

static int keep(struct sms__events *events, size_t *length, int c)
{
    if (*length == TEXT_MAX)
        return sms__fail(events->errors, SMS_EINPUT, events->file.path,
                         "has a text of more than %d KiB, which no profiler writes", TEXT_MAX >> 10);
    events->text[(*length)++] = (char)(c ? c : ' ');
    return SMS_OK;
}

/* Reads a text, or else a number or another word, which ends before one of these bytes. */
static int read_text(struct sms__events *events)
{
    bool quoted = skip_space(events) == '"', escaped = false;
    int code = SMS_OK, c;
    size_t length = 0;
    if (quoted)
        take(events);
    for (; (c = peek(events)) != EOF && code == SMS_OK; take(events)) {
        if (quoted ? c == '"' && !escaped : is_space(c) || (c && strchr("\",:[]{}", c)))
            break;
        escaped = c == '\\' && !escaped;
        code = keep(events, &length, c);
    }
    if (code != SMS_OK || c == EOF)
        return code != SMS_OK ? code : fail_cut(events);
    if (quoted)
        take(events);
    events->text[length] = '\0';
    if (quoted && memchr(events->text, '\\', length))
        unescape(events->text);
    return quoted || length ? SMS_OK : fail_here(events, "is not JSON: a value is missing");
}

/* Passes over a value. */
static int skip_value(struct sms__events *events)
{
    size_t depth = 0;
    bool in_text = false, escaped = false;
    int c = skip_space(events);
    if (c != '"' && c != '[' && c != '{')
        return read_text(events);
    do {
        c = peek(events);
        if (c == EOF)
            return fail_cut(events);
        if (!in_text)
            depth += (size_t)(c == '[' || c == '{') - (size_t)(c == ']' || c == '}');
        in_text = in_text ? c != '"' || escaped : c == '"';
        escaped = in_text && !escaped && c == '\\';
        take(events);
    } while (depth || in_text);
    return SMS_OK;
}

/* ---- events ---- */

/* A time is kept as it is written, because a double would lose digits of an epoch. Words such as NaN count as 0. */
static void set_number(struct sms__event *event, int field, const char *text, bool quoted)
{
    char *end;
    bool odd = !quoted && (strchr("iIN", *text) || !strncmp(text, "na", 2));
    long double value = odd ? 0 : strtold(text, &end);
    if (!odd && (!*text || *end))
        return;
    event->number[field] = (double)value;
    if (field == SMS__EVENT_TS || field == SMS__EVENT_DUR)
        *(field == SMS__EVENT_TS ? &event->start : &event->length) = value;
}

/* Reads the value of a field, which may be a number in quotes. Lists and maps are none. */
static int read_field(struct sms__events *events, int field)
{
    int c = skip_space(events);
    if (c == '[' || c == '{')
        return skip_value(events);
    int code = read_text(events);
    if (code != SMS_OK)
        return code;
    set_number(&events->event, field, events->text, c == '"');
    if (c != '"')
        return SMS_OK;
    sms__clean(events->text);
    events->event.text[field] = sms__intern_text(&events->texts, events->text);
    return SMS_OK;
}

static int read_group(struct sms__events *events, enum level level, int first);

static int read_whole(struct sms__events *events, bool gpu)
{
    struct sms__event *event = &events->event;
    event->start = event->length = NAN;
    for (int f = 0; f < SMS__EVENT_FIELDS; f++) {
        event->number[f] = NAN;
        event->text[f] = NULL;
    }
    int code = read_group(events, gpu ? GPU : EVENT, 0);
    if (code != SMS_OK)
        return code;
    return (gpu ? events->take_gpu : events->take_event)(events->user) ? SMS_OK : SMS_EINPUT;
}

/* Reads a key and its value. */
static int read_member(struct sms__events *events, enum level level)
{
    if (skip_space(events) != '"')
        return fail_here(events, "is not JSON: a key in quotes is missing");
    int code = read_text(events);
    bool gpus = level == FILE_MAP && !strcmp(events->text, "deviceProperties");
    bool listed = gpus || (level == FILE_MAP && !strcmp(events->text, "traceEvents"));
    bool args = level == EVENT && !strcmp(events->text, "args");
    size_t k = 0;
    while (k < sizeof keys / sizeof *keys && (keys[k].level != level || strcmp(keys[k].key, events->text) != 0))
        k++;
    if (code == SMS_OK)
        code = take_one_of(events, ':', ':');
    if (code != SMS_OK)
        return code;
    int c = skip_space(events);
    if (listed && c == '[')
        return read_group(events, gpus ? GPUS : EVENTS, 0);
    if (args && c == '{')
        return read_group(events, ARGS, 0);
    if (k == sizeof keys / sizeof *keys)
        return skip_value(events);
    bool axes = level == ARGS && (keys[k].field == SMS__EVENT_GRID || keys[k].field == SMS__EVENT_BLOCK);
    return axes ? (c == '[' ? read_group(events, AXES, keys[k].field) : skip_value(events))
                : read_field(events, keys[k].field);
}

static int read_item(struct sms__events *events, enum level level, int first, size_t i)
{
    if (level == AXES)
        return i < 3 ? read_field(events, first + (int)i) : skip_value(events);
    if (level != EVENTS && level != GPUS)
        return read_member(events, level);
    return skip_space(events) == '{' ? read_whole(events, level == GPUS) : skip_value(events);
}

/* Reads a list or map from its bracket on; `first` is the field of the first of the AXES. */
static int read_group(struct sms__events *events, enum level level, int first)
{
    const int closing = peek(events) == '[' ? ']' : '}';
    events->found |= level == EVENTS;
    take(events);
    if (skip_space(events) == closing)
        return take(events), SMS_OK;
    for (size_t i = 0;; i++) {
        int code = read_item(events, level, first, i);
        bool last = code == SMS_OK && skip_space(events) == closing;
        if (code == SMS_OK)
            code = take_one_of(events, last ? closing : ',', ',');
        if (code != SMS_OK || last)
            return code;
    }
}

/* A file that begins with a list is a list of events, as Chrome takes it too. */
int sms__events_parse(struct sms__events *events)
{
    events->chunk = SMS__NEW(events->arena, char, CHUNK);
    events->text = SMS__NEW(events->arena, char, TEXT_MAX + 1);
    events->line = events->column = 1;
    int c = skip_space(events), code = events->code;
    if (code == SMS_OK && events->file.total == 0)
        return sms__fail(events->errors, SMS_EINPUT, events->file.path, "is empty");
    if (code == SMS_OK && c != '[' && c != '{')
        return fail_here(events, "is not JSON: it begins with neither { nor [");
    if (code == SMS_OK)
        code = read_group(events, c == '[' ? EVENTS : FILE_MAP, 0);
    if (code == SMS_OK && skip_space(events) != EOF)
        return fail_here(events, "is not JSON: something follows its end");
    return code != SMS_OK ? code : events->code;
}

const char *sms__event_text(const struct sms__event *event, int field)
{
    return event->text[field] ? event->text[field] : "";
}

double sms__event_whole(const struct sms__event *event, int field, double missing)
{
    double value = event->number[field];
    return value >= 0 && value <= 9007199254740992.0 && value == floor(value) ? value : missing;
}
