/* `caps:` of a mode: the share of the SMs that some processes have under it, whatever their active_threads say. So a
 * scenario compares unlike caps with each other, and with other modes, as policies of one table. */
#include "../limits.h"
#include "../scenario.h"
#include "modes.h"

#include <string.h>

enum { CAPS_MAX = 1000 };

static void read_cap(struct sms__reader *reader, const struct sms__node *name, const struct sms__node *share,
                     struct sms__cap *cap)
{
    struct sms__quantity number = {.value = 1};
    if (sms__expect_kind(reader, name, SMS__SCALAR))
        sms__read_number(reader, share, SMS__RATIO, SMS__THREADS_LEAST, 1, &number);
    *cap = (struct sms__cap){name, number.value};
}

void sms__read_caps(struct sms__reader *reader, const struct sms__node *map, struct sms__mode *mode)
{
    if (!sms__expect_map(reader, map, CAPS_MAX))
        return;
    if (map->items == 0)
        sms__complain(reader, map, "caps: the mapping is empty");
    struct sms__cap *cap = SMS__NEW(reader->arena, struct sms__cap, map->items / 2);
    const size_t before = reader->errors->count;
    for (size_t i = 0; i + 1 < map->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2)
        if (sms__is_first(reader, map, i))
            read_cap(reader, map->item[i], map->item[i + 1], &cap[i / 2]);
    if (reader->errors->count > before)
        return;
    mode->cap = cap;
    mode->caps = map->items / 2;
}

const char *sms__caps_label(struct sms__arena *arena, const struct sms__mode *mode, const char *label)
{
    const char *text = "";
    for (size_t i = 0; i < mode->caps; i++)
        text =
            sms__print(arena, "%s%s%s:%.6g%%", text, i ? "+" : "", mode->cap[i].name->text, mode->cap[i].share * 100);
    if (mode->caps == 0)
        return label;
    return strchr(label, '(') ? sms__print(arena, "%.*s caps=%s)", (int)strlen(label) - 1, label, text)
                              : sms__print(arena, "%s(caps=%s)", label, text);
}

static void check_cap(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__cap *cap)
{
    bool found = false;
    if (sms__has_error(reader->errors, &cap->name->mark, NULL))
        return;
    if (scenario->cluster) {
        sms__complain(reader, cap->name, "caps are of processes; a pod has active_threads of its own");
        return;
    }
    for (size_t v = 0; v < scenario->vms && !found; v++)
        found = sms__cap_names(cap, &scenario->vm[v]);
    if (!found)
        sms__complain_unknown(reader, cap->name, "process", scenario->vms, SMS__NAMES(scenario->vm, name));
}

static void check_caps(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__mode *mode)
{
    const struct sms__mode *shared;
    for (size_t m = 0; (shared = sms__mode_shared(mode, m)); m++)
        for (size_t i = 0; i < shared->caps; i++)
            check_cap(reader, scenario, &shared->cap[i]);
}

void sms__check_caps(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const struct sms__modes *of_nodes = scenario->cluster ? scenario->cluster->profiles.modes : NULL;
    for (size_t v = 0; v < scenario->vms; v++)
        if (!*scenario->vm[v].name) /* which was complained of, and may be the one that a cap means */
            return;
    for (size_t p = 0; p < scenario->policies; p++)
        check_caps(reader, scenario, &scenario->policy[p].mode);
    for (size_t i = 0; of_nodes && i < of_nodes->count; i++)
        check_caps(reader, scenario, of_nodes->mode[i]);
}
