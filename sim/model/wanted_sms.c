/* SMs that are asked for: `chunks:` of a process, and `sms:` of a stream, which is a green context. */
#include "scenario.h"

#include <stdio.h>
#include <string.h>

/* ---- sizes ---- */

/* The least size that the device has of so many SMs or more. */
static uint64_t round_up(uint64_t sms, const struct sms__device *device)
{
    uint64_t least = device->mps.green_least ? device->mps.green_least : 1;
    uint64_t step = device->mps.green_step ? device->mps.green_step : 1;
    return sms <= least ? least : least + (sms - least + step - 1) / step * step;
}

static uint64_t count_set(const struct sms__green *green)
{
    uint64_t count = 0;
    for (size_t w = 0; w < green->words; w++)
        count += (uint64_t)__builtin_popcountll(green->set[w]);
    return count;
}

/* The SMs of a green context on a device that has as many: a count is rounded up as the hardware does. */
static uint64_t green_sms(const struct sms__green *green, const struct sms__device *device)
{
    return green->set ? count_set(green) : round_up(green->count, device);
}

/* ---- which SMs ---- */

size_t sms__choose_sms(const struct sms__sm_choice *from, size_t wanted, uint64_t *row)
{
    size_t taken = 0, enough = wanted < from->most ? wanted : from->most;
    for (uint32_t level = 0; taken < enough; level++)
        for (size_t s = 0; s < from->sms && taken < enough; s++)
            if (from->claims[s] == level && (!from->within || sms__has_sm(from->within, s)) && !sms__has_sm(row, s))
                taken += sms__take_sm(row, from->claims, s);
    return taken;
}

size_t sms__choose_green(const struct sms__sm_choice *from, const struct sms__green *green,
                         const struct sms__device *device, uint64_t *row)
{
    size_t taken = 0, number = 0;
    if (!green->set)
        return sms__choose_sms(from, (size_t)round_up(green->count, device), row);
    for (size_t s = 0; s < from->sms; s++)
        if (!from->within || sms__has_sm(from->within, s)) {
            if (number / 64 < green->words && sms__has_sm(green->set, number))
                taken += sms__take_sm(row, from->claims, s);
            number++;
        }
    return taken;
}

/* ---- reading ---- */

/* "5" or "0-15". */
static bool read_range(struct sms__reader *reader, const struct sms__node *node, uint64_t *set)
{
    unsigned from, to;
    int ends = 0;
    if (!sms__expect_kind(reader, node, SMS__SCALAR))
        return false;
    bool one = sscanf(node->text, "%5u%n", &from, &ends) == 1 && !node->text[ends];
    to = from;
    bool range = !one && sscanf(node->text, "%5u-%5u%n", &from, &to, &ends) == 2 && !node->text[ends];
    if ((!one && !range) || node->text[strspn(node->text, "0123456789-")] || to < from || to >= SMS__GREEN_MAX) {
        sms__complain(reader, node, "'%.60s' is no SM from 0 to %d, and no range of them such as 0-15", node->text,
                      SMS__GREEN_MAX - 1);
        return false;
    }
    for (unsigned s = from; s <= to; s++)
        set[s / 64] |= (uint64_t)1 << (s % 64);
    return true;
}

void sms__read_green(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__green *green = SMS__NEW(reader->arena, struct sms__green, 1);
    struct sms__quantity number;
    green->node = node;
    if (node->kind != SMS__LIST) {
        if (!sms__read_number(reader, node, SMS__COUNT, 1, SMS__GREEN_MAX, &number))
            return;
        green->count = (uint64_t)(number.value + 0.5);
    } else {
        if (!sms__expect_list(reader, node, SMS__GREEN_MAX))
            return;
        if (node->items == 0)
            sms__complain(reader, node, "sms: the list is empty");
        uint64_t *set = SMS__NEW(reader->arena, uint64_t, SMS__GREEN_MAX / 64);
        for (size_t i = 0; i < node->items; i++)
            if (!read_range(reader, node->item[i], set))
                return;
        green->set = set;
        green->words = SMS__GREEN_MAX / 64;
    }
    *(const struct sms__green **)at = green;
}

/* ---- checks ---- */

/* Kernels of a workload are of one kind in the whole process, and so are the SMs on which they run. */
void sms__check_greens(struct sms__reader *reader, const struct sms__streams *streams, const struct sms__choice *choice)
{
    for (size_t i = 0; i < streams->count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct sms__green *green = streams->stream[i].green, *other = streams->stream[j].green;
            if (choice[i].workload != choice[j].workload || green == other)
                continue;
            sms__complain(reader, green ? green->node : other->node,
                          "streams of one workload have the same SMs: give those of '%.60s' one entry with a count, or "
                          "write the workload twice",
                          choice[i].workload->name);
            return;
        }
}

static uint64_t highest_of(const struct sms__green *green)
{
    uint64_t highest = 0;
    for (uint64_t s = 0; s < green->words * 64; s++)
        if (sms__has_sm(green->set, s))
            highest = s;
    return highest;
}

/* Whether a set of SMs can be a green context of a process that has `most`: what is left when others are split off may
 * have any size (`remaining` of cuDevSmResourceSplitByCount). */
static bool can_be(uint64_t sms, uint64_t most, const struct sms__device *device)
{
    return round_up(sms, device) == sms || (sms < most && round_up(most - sms, device) == most - sms);
}

/* Complains of what the green context would be on a device of which its process has so many SMs. */
static bool is_wrong(struct sms__reader *reader, const struct sms__green *green, const struct sms__device *device,
                     const struct sms__mode *mode, uint64_t most)
{
    uint64_t sms = green_sms(green, device);
    if (green->set && !can_be(sms, most, device)) {
        sms__complain(reader, green->node, "%llu SMs are no green context on %s: the next larger one has %llu",
                      (unsigned long long)sms, device->name, (unsigned long long)round_up(sms, device));
        return true;
    }
    if (green->set && highest_of(green) >= most)
        sms__complain(reader, green->node, "there is no SM %llu: under %s its process has SMs 0 to %llu of %s",
                      (unsigned long long)highest_of(green), mode->label, (unsigned long long)most - 1, device->name);
    else if (sms > most)
        sms__complain(reader, green->node,
                      "a green context of %llu SMs is larger than the %llu that its process has of %s under %s",
                      (unsigned long long)sms, (unsigned long long)most, device->name, mode->label);
    return sms > most || (green->set && highest_of(green) >= most);
}

/* Streams of one entry have one context, which is complained of once. */
static void check_greens_of(struct sms__reader *reader, const struct sms_scenario *scenario,
                            const struct sms__policy_use *use, const struct sms__tenant *process)
{
    struct sms__site site;
    for (size_t s = 0; process->stream && s < process->streams; s++) {
        const struct sms__green *green = process->stream[s].green;
        if (!green || (s > 0 && process->stream[s - 1].green == green) ||
            sms__has_error(reader->errors, &green->node->mark, NULL))
            continue;
        for (size_t i = 0; (site = sms__site_of(scenario, use, i)).device; i++)
            if (sms__site_takes(&site, process) &&
                is_wrong(reader, green, site.device, site.mode, sms__mode_sms(site.mode, site.device, process)))
                break;
    }
}

/* A client without a partition, or with one that no device has, could never start where all that it may be on want one.
 */
static void check_chunks(struct sms__reader *reader, const struct sms_scenario *scenario,
                         const struct sms__policy_use *use, const struct sms__tenant *process)
{
    const struct sms__node *node = NULL;
    struct sms__site site, last = {NULL, NULL, 0, 0};
    for (size_t i = 0; (site = sms__site_of(scenario, use, i)).device; i++) {
        if (!sms__may_be_at(process, &site))
            continue;
        node = sms__node_get(process->node, site.mode->form->needs ? site.mode->form->needs : "");
        if (!site.mode->form->needs || (node && sms__mode_asks(site.mode, site.device, process) <= site.device->sms))
            return;
        last = site;
    }
    if (!last.device || sms__has_error(reader->errors, node ? &node->mark : &process->node->mark, NULL))
        return;
    if (!node)
        sms__complain(reader, process->node, "process '%.60s' has no %s, without which it cannot start under %s",
                      process->name, last.mode->form->needs, last.mode->label);
    else
        sms__complain(reader, node, "%s makes this %llu SMs of %s, which has %llu", last.mode->label,
                      (unsigned long long)sms__mode_asks(last.mode, last.device, process), last.device->name,
                      (unsigned long long)last.device->sms);
}

/* Every policy has the instance that the process names, on a device that it may be on, unless one of these is whole. */
static void check_instance(struct sms__reader *reader, const struct sms_scenario *scenario,
                           const struct sms__policy_use *use, const struct sms__tenant *process)
{
    const struct sms__node *node = sms__node_get(process->node, "instance");
    struct sms__site site;
    for (size_t i = 0; (site = sms__site_of(scenario, use, i)).device; i++)
        if (sms__may_be_at(process, &site))
            return;
    if (node && !sms__has_error(reader->errors, &node->mark, NULL))
        sms__complain(reader, node, "%s has no instance %ld for process '%.60s'", use->label, process->instance,
                      process->name);
}

void sms__check_parts(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t p = 0; p < scenario->policies && scenario->shares; p++) {
        const struct sms__policy_use *use = &scenario->policy[p];
        for (size_t v = 0; v < scenario->vms && reader->errors->count <= SMS_ERRORS_MAX; v++) {
            if (sms__is_like_last(scenario->vm, v))
                continue;
            check_instance(reader, scenario, use, &scenario->vm[v]);
            check_chunks(reader, scenario, use, &scenario->vm[v]);
            check_greens_of(reader, scenario, use, &scenario->vm[v]);
        }
    }
}
