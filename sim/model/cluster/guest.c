/* Finds guests, and refuses what only they know where there are none (guest.h). */
#include "../scenario.h"

#include <string.h>

const struct sms__guest *sms__find_guest(const char *kind)
{
    for (const struct sms__guest *const *guest = sms__guests; *guest; guest++)
        if ((*guest)->kind && !strcmp((*guest)->kind, kind))
            return *guest;
    return NULL;
}

void sms__refuse_guest_key(struct sms__reader *reader, const struct sms__node *node, const char *what)
{
    const char *kind = sms__scheduler_kinds[1];
    if (kind)
        sms__complain(reader, node, "%s is for scheduler: {kind: %s}", what, kind);
    else
        sms__complain(reader, node, "%s is for schedulers that this build is without", what);
}

void sms__read_guest_nodes(struct sms__reader *reader, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    if (cluster->guest)
        cluster->guest->read_nodes(reader, scenario);
    for (size_t k = 0; k < cluster->kinds && !cluster->guest && reader->errors->count <= SMS_ERRORS_MAX; k++) {
        const struct sms__node *key = sms__find_key(cluster->node[k].node, sms__guest_node_keys);
        if (key)
            sms__refuse_guest_key(reader, key, sms__print(reader->arena, "'%s'", key->text));
    }
}
