/* Finds events in JSON. Values outside of what is asked for are passed over. */
#include "events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 500, NUMBER_MAX = 63 };

struct key {
    const char *key;
    int field;
};

static const struct key event_keys[] = {{"ph", SMS__EVENT_PH},   {"cat", SMS__EVENT_CAT},  {"name", SMS__EVENT_NAME},
                                        {"pid", SMS__EVENT_PID}, {"tid", SMS__EVENT_TID},  {"ts", SMS__EVENT_TS},
                                        {"dur", SMS__EVENT_DUR}, {"args", SMS__EVENT_ARGS}},
                        arg_keys[] = {{"device", SMS__EVENT_DEVICE},
                                      {"context", SMS__EVENT_CONTEXT},
                                      {"stream", SMS__EVENT_STREAM},
                                      {"correlation", SMS__EVENT_CORRELATION},
                                      {"registers per thread", SMS__EVENT_REGISTERS},
                                      {"shared memory", SMS__EVENT_SHARED},
                                      {"bytes", SMS__EVENT_BYTES},
                                      {"est. achieved occupancy %", SMS__EVENT_OCCUPANCY},
                                      {"wait_on_stream", SMS__EVENT_WAIT_STREAM},
                                      {"wait_on_cuda_event_record_corr_id", SMS__EVENT_WAIT_RECORD},
                                      {"grid", SMS__EVENT_GRID},
                                      {"block", SMS__EVENT_BLOCK},
                                      {"name", SMS__EVENT_ARG_NAME}};

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

static int gpu_field(const unsigned char *key, size_t length)
{
    return is_key("id", key, length)             ? SMS__EVENT_DEVICE
           : is_key("name", key, length)         ? SMS__EVENT_NAME
           : is_key("computeMajor", key, length) ? SMS__EVENT_GRID
           : is_key("computeMinor", key, length) ? SMS__EVENT_BLOCK
                                                 : SMS__EVENT_NONE;
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
    if (level == 0) {
        events->field = events->section == SMS__IN_GPUS ? gpu_field(key, length) : SMS__EVENT_NONE;
        for (size_t i = 0; events->section == SMS__IN_EVENTS && i < sizeof event_keys / sizeof *event_keys; i++)
            if (is_key(event_keys[i].key, key, length))
                events->field = event_keys[i].field;
    } else if (level == 1 && events->section == SMS__IN_EVENTS && events->field >= SMS__EVENT_ARGS) {
        events->field = SMS__EVENT_ARGS;
        for (size_t i = 0; i < sizeof arg_keys / sizeof *arg_keys; i++)
            if (is_key(arg_keys[i].key, key, length))
                events->field = arg_keys[i].field;
    }
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
    struct sms__events *events = user;
    events->depth--;
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
