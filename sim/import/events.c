/* Finds events in JSON. Values outside of what is asked for are passed over. */
#include "events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 500, NUMBER_MAX = 63 };

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
            {OF_GPU, "computeMajor", SMS__EVENT_GRID},
            {OF_GPU, "computeMinor", SMS__EVENT_BLOCK}};

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
        return sms__json_complain(&events->stream, "more than 500 levels of brackets");
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
        return sms__json_complain(&events->stream, "more than 500 levels of brackets");
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

int sms__events_parse(struct sms__events *events) { return sms__json_parse(&events->stream, &callbacks, events); }

const char *sms__event_text(const struct sms__event *event, int field)
{
    return event->text[field] ? event->text[field] : "";
}

double sms__event_whole(const struct sms__event *event, int field, double missing)
{
    double value = event->number[field];
    return value >= 0 && value <= 9007199254740992.0 && value == floor(value) ? value : missing;
}
