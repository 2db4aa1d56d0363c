/* Finds events in JSON, which yajl parses. Values outside of what is asked for are passed over. */
#include "events.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 500, NUMBER_MAX = 63, CHUNK = 1 << 18 };
/* yajl begins a text again with each chunk, so a long one would take the square of its length. */
enum { TOKEN_MAX = CHUNK };

enum level { OF_EVENT, OF_ARGS, OF_GPU };

static const struct {
    enum level level;
    const char *key;
    int field;
} keys[] = {{OF_EVENT, "ph", SMS__EVENT_PH},
            {OF_EVENT, "cat", SMS__EVENT_CAT},
            {OF_EVENT, "name", SMS__EVENT_NAME},
            {OF_EVENT, "pid", SMS__EVENT_PID},
            {OF_EVENT, "tid", SMS__EVENT_TID},
            {OF_EVENT, "ts", SMS__EVENT_TS},
            {OF_EVENT, "dur", SMS__EVENT_DUR},
            {OF_EVENT, "args", SMS__EVENT_ARGS},
            {OF_ARGS, "device", SMS__EVENT_DEVICE},
            {OF_ARGS, "context", SMS__EVENT_CONTEXT},
            {OF_ARGS, "stream", SMS__EVENT_STREAM},
            {OF_ARGS, "correlation", SMS__EVENT_CORRELATION},
            {OF_ARGS, "registers per thread", SMS__EVENT_REGISTERS},
            {OF_ARGS, "shared memory", SMS__EVENT_SHARED},
            {OF_ARGS, "bytes", SMS__EVENT_BYTES},
            {OF_ARGS, "est. achieved occupancy %", SMS__EVENT_OCCUPANCY},
            {OF_ARGS, "wait_on_stream", SMS__EVENT_WAIT_STREAM},
            {OF_ARGS, "wait_on_cuda_event_record_corr_id", SMS__EVENT_WAIT_RECORD},
            {OF_ARGS, "grid", SMS__EVENT_GRID},
            {OF_ARGS, "block", SMS__EVENT_BLOCK},
            {OF_ARGS, "name", SMS__EVENT_ARG_NAME},
            {OF_GPU, "id", SMS__EVENT_DEVICE},
            {OF_GPU, "name", SMS__EVENT_NAME},
            {OF_GPU, "totalGlobalMem", SMS__EVENT_BYTES},
            {OF_GPU, "computeMajor", SMS__EVENT_GRID},
            {OF_GPU, "computeMinor", SMS__EVENT_BLOCK}};

unsigned sms__events_line(struct sms__events *events)
{
    size_t end = yajl_get_bytes_consumed(events->parser);
    const unsigned char *at = events->chunk + events->counted, *to = events->chunk + end, *next;
    for (; at < to && (next = memchr(at, '\n', (size_t)(to - at))); at = next + 1) {
        events->line++;
        events->column = 0;
    }
    events->column += at < to ? (size_t)(to - at) : 0;
    events->counted = end > events->counted ? end : events->counted;
    return events->line;
}

int sms__events_complain(struct sms__events *events, const char *problem)
{
    sms__error(events->errors, SMS_EINPUT, (struct sms__mark){events->file.path, NULL, sms__events_line(events), 1},
               "%s", problem);
    return 0;
}

static void clear_event(struct sms__event *event)
{
    event->start = event->length = NAN;
    for (int f = 0; f < SMS__EVENT_FIELDS; f++) {
        event->number[f] = NAN;
        event->text[f] = NULL;
    }
}

/* What a value is for: a field of an item, or of its args. */
static int field_here(const struct sms__events *events)
{
    if (events->section == SMS__NOWHERE || events->field == SMS__EVENT_NONE || events->field == SMS__EVENT_ARGS)
        return SMS__EVENT_NONE;
    if (events->section == SMS__IN_GPUS || events->field < SMS__EVENT_ARGS)
        return events->depth == events->item_depth ? events->field : SMS__EVENT_NONE;
    bool list = events->field >= SMS__EVENT_GRID && events->field < SMS__EVENT_ARG_NAME;
    if (events->depth != events->item_depth + 1 + list || (list && events->axis > 2))
        return SMS__EVENT_NONE;
    return events->field + (list ? events->axis : 0);
}

static int take_number(void *user, const char *text, size_t length)
{
    struct sms__events *events = user;
    int field = field_here(events);
    char number[NUMBER_MAX + 1] = "";
    if (field != SMS__EVENT_NONE && length <= NUMBER_MAX) {
        memcpy(number, text, length);
        number[length] = '\0';
        char *end;
        long double value = strtold(number, &end);
        if (length && !*end)
            events->event.number[field] = (double)value;
        if (length && !*end && (field == SMS__EVENT_TS || field == SMS__EVENT_DUR))
            *(field == SMS__EVENT_TS ? &events->event.start : &events->event.length) = value;
    }
    events->axis++;
    return 1;
}

/* A text, which may hold a number. */
static int take_text(void *user, const unsigned char *text, size_t length)
{
    struct sms__events *events = user;
    int field = field_here(events);
    if (field == SMS__EVENT_NONE)
        return ++events->axis, 1;
    struct sms__event *event = &events->event;
    event->text[field] = sms__intern(&events->texts, (const char *)text, length)->text;
    return take_number(user, (const char *)text, length);
}

static int take_other(void *user)
{
    ((struct sms__events *)user)->axis++;
    return 1;
}

static int take_truth(void *user, int value)
{
    (void)value;
    return take_other(user);
}

static bool is_key(const char *key, const unsigned char *text, size_t length)
{
    return strlen(key) == length && !memcmp(key, text, length);
}

static int take_key(void *user, const unsigned char *key, size_t length)
{
    struct sms__events *events = user;
    int level = events->depth - events->item_depth;
    if (events->depth == 1 && events->item_depth != 2) {
        events->section = is_key("traceEvents", key, length)        ? SMS__IN_EVENTS
                          : is_key("deviceProperties", key, length) ? SMS__IN_GPUS
                                                                    : SMS__NOWHERE;
        events->item_depth = 3;
        events->found |= events->section == SMS__IN_EVENTS;
        return 1;
    }
    const bool args = level == 1 && events->section == SMS__IN_EVENTS && events->field >= SMS__EVENT_ARGS;
    if (level != 0 && !args)
        return 1;
    const enum level at = args ? OF_ARGS : events->section == SMS__IN_GPUS ? OF_GPU : OF_EVENT;
    events->field = args ? SMS__EVENT_ARGS : SMS__EVENT_NONE;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].level == at && is_key(keys[i].key, key, length))
            events->field = keys[i].field;
    return 1;
}

static int begin_map(void *user)
{
    struct sms__events *events = user;
    if (++events->depth > DEPTH_MAX)
        return sms__events_complain(events, "more than 500 levels of brackets");
    if (events->depth == events->item_depth) {
        clear_event(&events->event);
        events->field = SMS__EVENT_NONE;
    }
    return 1;
}

static int end_map(void *user)
{
    struct sms__events *events = user;
    events->depth--;
    if (events->section == SMS__NOWHERE || events->depth != events->item_depth - 1)
        return 1;
    if (events->section == SMS__IN_EVENTS)
        return events->take_event(events->user);
    return events->take_gpu(events->user);
}

/* A file that begins with a list is a list of events, as Chrome takes it too. */
static int begin_list(void *user)
{
    struct sms__events *events = user;
    if (++events->depth > DEPTH_MAX)
        return sms__events_complain(events, "more than 500 levels of brackets");
    events->axis = 0;
    if (events->depth == 1) {
        events->section = SMS__IN_EVENTS;
        events->item_depth = 2;
        events->found = true;
    }
    return 1;
}

static int end_list(void *user)
{
    ((struct sms__events *)user)->depth--;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = take_other,
                                         .yajl_boolean = take_truth,
                                         .yajl_number = take_number,
                                         .yajl_string = take_text,
                                         .yajl_start_map = begin_map,
                                         .yajl_map_key = take_key,
                                         .yajl_end_map = end_map,
                                         .yajl_start_array = begin_list,
                                         .yajl_end_array = end_list};

/* ---- the file ---- */

static bool is_hex(const unsigned char *text, size_t length)
{
    size_t i = 0;
    while (i < 4 && i < length && isxdigit(text[i]))
        i++;
    return i == 4 || i == length; /* the rest comes with the next chunk */
}

/* Replaces in place what is not JSON but occurs: in texts, control characters, and backslashes before other characters
 * than JSON has; outside of them, inf, nan and their longer spellings. Returns false at a text or word that is too
 * long. */
static bool mend(struct sms__events *events, unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length && events->token <= TOKEN_MAX; i++) {
        unsigned char c = text[i];
        bool ends = events->in_text ? c == '"' && !events->escaped : strchr("\" \t\r\n,:[]{}", c) != NULL;
        events->token = ends ? 0 : events->token + 1;
        if (events->in_text) {
            bool odd = c < ' ' || (events->escaped &&
                                   (!strchr("\"\\/bfnrtu", c) || (c == 'u' && !is_hex(text + i + 1, length - i - 1))));
            text[i] = odd ? (unsigned char)(events->escaped ? '/' : ' ') : c;
            events->in_text = events->escaped || c != '"';
            events->escaped = !events->escaped && c == '\\';
        } else if (events->in_word && isalpha(c)) {
            text[i] = ' ';
        } else {
            bool nan = c == 'n' && i + 1 < length && text[i + 1] == 'a';
            events->in_word = nan || c == 'i' || c == 'I' || c == 'N';
            events->in_text = c == '"';
            text[i] = events->in_word ? '0' : c;
        }
    }
    return events->token <= TOKEN_MAX;
}

/* The parser's memory is the arena's. */
static void *parser_alloc(void *arena, size_t size)
{
    size_t *block = (size_t *)(void *)SMS__NEW(arena, max_align_t, size / sizeof(max_align_t) + 2);
    *block = size;
    return (char *)block + sizeof(max_align_t);
}

static void parser_free(void *arena, void *block) { (void)arena, (void)block; }

static void *parser_realloc(void *arena, void *block, size_t size)
{
    void *moved = parser_alloc(arena, size);
    if (!block)
        return moved;
    size_t before = *(size_t *)(void *)((char *)block - sizeof(max_align_t));
    memcpy(moved, block, before < size ? before : size);
    return moved;
}

static int fail_at(struct sms__events *events, const char *problem)
{
    sms__events_line(events);
    sms__error(
        events->errors, SMS_EINPUT,
        (struct sms__mark){events->file.path, NULL, events->line, (unsigned)events->column + (events->column == 0)},
        "%s", problem);
    return SMS_EINPUT;
}

/* What the parser says, in its first line: "lexical error: invalid char in json text." */
static int fail_json(struct sms__events *events)
{
    unsigned char *text = yajl_get_error(events->parser, 0, NULL, 0);
    if (!text)
        return SMS_ENOMEM;
    const char *reason = strstr((const char *)text, ": ");
    reason = reason ? reason + 2 : (const char *)text;
    const char *line = sms__print(events->arena, "is not JSON: %.*s", (int)strcspn(reason, ".\n"), reason);
    yajl_free_error(events->parser, text);
    return fail_at(events, line);
}

int sms__events_parse(struct sms__events *events)
{
    yajl_alloc_funcs memory = {parser_alloc, parser_realloc, parser_free, events->arena};
    events->parser = yajl_alloc(&callbacks, &memory, events);
    yajl_config(events->parser, yajl_dont_validate_strings, 1);
    events->chunk = SMS__NEW(events->arena, unsigned char, CHUNK);
    events->line = 1;
    yajl_status status = yajl_status_ok;
    while (status == yajl_status_ok) {
        size_t length;
        int code = sms__gzip_read(&events->file, events->chunk, CHUNK, &length, events->errors);
        if (code != SMS_OK)
            return code;
        if (length == 0)
            break;
        if (events->watch)
            events->watch->show(events->watch->user, (uint64_t)gzoffset(events->file.file), events->file.file_size);
        if (!mend(events, events->chunk, length))
            return sms__fail(events->errors, SMS_EINPUT, events->file.path,
                             "has a text of more than %d KiB, which no profiler writes", TOKEN_MAX >> 10);
        events->counted = 0;
        status = yajl_parse(events->parser, events->chunk, length);
        if (status == yajl_status_ok)
            sms__events_line(events);
    }
    if (events->errors->count)
        return SMS_EINPUT;
    if (status != yajl_status_ok)
        return fail_json(events);
    if (events->file.total == 0)
        return sms__fail(events->errors, SMS_EINPUT, events->file.path, "is empty");
    if (yajl_complete_parse(events->parser) != yajl_status_ok)
        return fail_at(events, "the file ends in the middle: the program was stopped before it had written all of it");
    return SMS_OK;
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
