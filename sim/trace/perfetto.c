/* Writes a trace as packets of Perfetto's TrackEvent protobuf. Each lane and each counter is a sequence of packets of
 * its own, so that time never goes back in a sequence, and interns its names itself. Its number is that of the track.
 * Times are ns, rounded down, which keeps the order of begin and end. */
#include "parts.h"

#include "../base/escape.h"
#include "perfetto.pb-c.h"

#include <inttypes.h>

enum { PS_PER_NS = 1000, FIRST_OF_SEQUENCE = 1, NEEDS_NAMES = 2, NAMES_MAX = 64 };
/* Every string is in a buffer of this size, and a packet has four at most. */
enum { TEXT_BYTES = SMS__TRACE_NAME_BYTES, PACKET_BYTES = 4 * TEXT_BYTES + 512 };

/* A copy that is UTF-8, as strings of a protobuf must be, and cut where it is too long. */
static char *copy(char to[TEXT_BYTES], const char *text)
{
    snprintf(to, TEXT_BYTES, "%s", text);
    sms__clean(to);
    return to;
}

/* A file is one message, Trace. Messages one after the other are one message with the packets of all. */
static void write_packet(struct sms__trace *trace, TracePacket *packet, uint64_t sequence)
{
    uint8_t bytes[PACKET_BYTES];
    TracePacket *packets[] = {packet};
    Trace file = TRACE__INIT;
    file.n_packet = 1;
    file.packet = packets;
    packet->has_trusted_packet_sequence_id = packet->has_sequence_flags = true;
    packet->trusted_packet_sequence_id = (uint32_t)sequence;
    fwrite(bytes, 1, trace__pack(&file, bytes), trace->write.to);
}

/* ---- tracks ---- */

static void write_track(struct sms__trace *trace, TrackDescriptor *track, uint64_t tid)
{
    TracePacket packet = TRACE_PACKET__INIT;
    packet.sequence_flags = FIRST_OF_SEQUENCE;
    packet.track_descriptor = track;
    track->has_uuid = true;
    track->uuid = tid;
    write_packet(trace, &packet, tid);
}

static void place(TrackDescriptor *track, uint64_t parent, size_t rank)
{
    track->has_parent_uuid = track->has_sibling_order_rank = true;
    track->parent_uuid = parent;
    track->sibling_order_rank = rank < INT32_MAX ? (int32_t)rank : INT32_MAX;
}

static void order_children(TrackDescriptor *track)
{
    track->has_child_ordering = true;
    track->child_ordering = TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
}

static void begin(struct sms__trace *trace) { (void)trace; }

static void begin_process(struct sms__trace *trace, uint64_t pid, const char *name)
{
    char raw[TEXT_BYTES], text[TEXT_BYTES], label[TEXT_BYTES], *labels[] = {label};
    ProcessDescriptor process = PROCESS_DESCRIPTOR__INIT;
    TrackDescriptor track = TRACK_DESCRIPTOR__INIT;
    snprintf(raw, sizeof raw, "%s, %s", trace->part[trace->current].label, name);
    process.process_name = copy(text, raw);
    snprintf(raw, sizeof raw, "%s, seed %" PRIu64, trace->scenario->name, trace->options.seed);
    copy(label, raw);
    process.n_process_labels = 1;
    process.process_labels = labels;
    process.has_pid = process.has_legacy_sort_index = true;
    process.pid = process.legacy_sort_index = (int32_t)pid;
    track.process = &process;
    track.has_sibling_order_rank = true;
    track.sibling_order_rank = (int32_t)pid;
    order_children(&track);
    write_track(trace, &track, pid);
}

/* Slots have the track of their SM or GPU above them. */
static void begin_parent(struct sms__trace *trace, const struct sms__trace_slice *slice, char *name)
{
    TrackDescriptor track = TRACK_DESCRIPTOR__INIT;
    track.name = name;
    place(&track, sms__trace_pid(trace, slice->pid), 1 + slice->sort_index);
    order_children(&track);
    write_track(trace, &track, trace->track[slice->track].tid);
}

static void begin_lane(struct sms__trace *trace, const struct sms__trace_slice *slice, size_t lane)
{
    const struct sms__trace_track *of_lane = &trace->track[slice->track];
    char raw[TEXT_BYTES], name[TEXT_BYTES];
    TrackDescriptor track = TRACK_DESCRIPTOR__INIT;
    slice->name_track(trace, slice->track, raw);
    track.name = copy(name, raw);
    if (slice->slots && !lane)
        begin_parent(trace, slice, name);
    if (slice->slots || lane)
        snprintf(name, sizeof name, "slot %zu", lane + 1);
    if (slice->slots)
        place(&track, of_lane->tid, lane);
    else
        place(&track, sms__trace_pid(trace, slice->pid), 1 + slice->sort_index + lane);
    write_track(trace, &track, of_lane->lane[lane].tid);
}

/* ---- events ---- */

static void write_event(struct sms__trace *trace, TrackEvent *event, TracePacket *packet, TrackEvent__Type type,
                        uint64_t time_ps, uint64_t tid)
{
    packet->track_event = event;
    packet->has_timestamp = event->has_type = event->has_track_uuid = true;
    packet->timestamp = time_ps / PS_PER_NS;
    packet->sequence_flags = NEEDS_NAMES;
    event->type = type;
    event->track_uuid = tid;
    write_packet(trace, packet, tid);
}

/* Names the event by its number. Adds the name to those of its sequence if it is new there. */
static void intern(const struct sms__trace_slice *slice, struct sms__trace_lane *lane, TrackEvent *event,
                   InternedData *names)
{
    const uint64_t bit = (uint64_t)1 << (slice->name_id - 1);
    event->has_name_iid = true;
    event->name_iid = names->event_names[0]->iid = slice->name_id;
    names->n_event_names = lane->interned & bit ? 0 : 1;
    lane->interned |= bit;
}

static void write_begin(struct sms__trace *trace, const struct sms__trace_slice *slice, struct sms__trace_lane *lane,
                        DebugAnnotation *detail)
{
    char text[TEXT_BYTES], category[TEXT_BYTES], *categories[] = {copy(category, slice->category)};
    TracePacket packet = TRACE_PACKET__INIT;
    TrackEvent event = TRACK_EVENT__INIT;
    InternedData names = INTERNED_DATA__INIT;
    EventName name = EVENT_NAME__INIT, *all[] = {&name};
    name.name = copy(text, slice->name);
    name.has_iid = true;
    names.event_names = all;
    if (slice->name_id && slice->name_id <= NAMES_MAX)
        intern(slice, lane, &event, &names);
    else
        event.name = text;
    packet.interned_data = names.n_event_names ? &names : NULL;
    event.n_categories = 1;
    event.categories = categories;
    event.n_debug_annotations = detail->name ? 1 : 0;
    event.debug_annotations = &detail;
    write_event(trace, &event, &packet,
                slice->instant ? TRACK_EVENT__TYPE__TYPE_INSTANT : TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, slice->start_ps,
                lane->tid);
}

static void put(struct sms__trace *trace, const struct sms__trace_slice *slice, struct sms__trace_lane *lane)
{
    char name[TEXT_BYTES], text[TEXT_BYTES];
    TracePacket packet = TRACE_PACKET__INIT;
    TrackEvent event = TRACK_EVENT__INIT;
    DebugAnnotation detail = DEBUG_ANNOTATION__INIT;
    detail.name = slice->detail.name ? copy(name, slice->detail.name) : NULL;
    detail.string_value = slice->detail.text ? copy(text, slice->detail.text) : NULL;
    detail.has_uint_value = !slice->detail.text;
    detail.uint_value = slice->detail.number;
    write_begin(trace, slice, lane, &detail);
    if (!slice->instant)
        write_event(trace, &event, &packet, TRACK_EVENT__TYPE__TYPE_SLICE_END, slice->end_ps, lane->tid);
}

static void begin_series(struct sms__trace *trace, const struct sms__trace_series *series)
{
    char name[TEXT_BYTES], unit[TEXT_BYTES];
    TrackDescriptor track = TRACK_DESCRIPTOR__INIT;
    CounterDescriptor counter = COUNTER_DESCRIPTOR__INIT;
    counter.unit_name = copy(unit, series->unit);
    track.name = copy(name, series->name);
    track.counter = &counter;
    place(&track, sms__trace_pid(trace, series->device), 0); /* above the other tracks */
    write_track(trace, &track, series->tid);
}

static void count(struct sms__trace *trace, const struct sms__trace_series *series, uint64_t time_ps, uint64_t value)
{
    TracePacket packet = TRACE_PACKET__INIT;
    TrackEvent event = TRACK_EVENT__INIT;
    event.has_double_counter_value = true;
    event.double_counter_value = (double)value / (series->decimals == 3 ? 1000 : 10000);
    write_event(trace, &event, &packet, TRACK_EVENT__TYPE__TYPE_COUNTER, time_ps, series->tid);
}

static void end(struct sms__trace *trace, const char *file)
{
    (void)trace;
    (void)file;
}

const struct sms__trace_format sms__trace_perfetto = {begin, begin_process, begin_lane, put, begin_series, count, end};
