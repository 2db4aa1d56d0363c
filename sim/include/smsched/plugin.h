/* Plug-ins: policies, sharing modes and contention models in shared objects. For authors of plug-ins.
 *
 * A plug-in is a policy's file as it would be in the tree, which includes this header, and with one more line:
 *
 *     SMS_PLUGIN(.block = {&sms_block_policy_NAME});
 *
 * It is compiled with `cc -std=c17 -ffp-contract=off -fPIC -shared NAME.c -o NAME.so`, and linked with nothing: what it
 * calls of these headers is in the program or library that opens it. `smsched new` writes all that
 * (docs/how-to/plugins.md). A program opens plug-ins with sms_load_options.plugins, a scenario with `plugins:`.
 *
 * Like policies, a plug-in keeps no state of its own: many runs may be under way at once. */
#ifndef SMSCHED_PLUGIN_H
#define SMSCHED_PLUGIN_H

#include <smsched/contention.h>
#include <smsched/mode.h>
#include <smsched/place.h>
#include <smsched/share.h>
#include <smsched/version.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Versions with the same major and minor number have the same binary interface. */
#define SMS_PLUGIN_VERSION SMSCHED_VERSION_MAJOR, SMSCHED_VERSION_MINOR

/* Sizes of what passes between the engine and a policy, in bytes, so that headers from between two versions are told
 * apart, too. */
#define SMS_PLUGIN_SIZES                                                                                               \
    sizeof(struct sms_block_policy), sizeof(struct sms_param), sizeof(struct sms_device_view),                         \
        sizeof(struct sms_resource_view), sizeof(struct sms_sm_view), sizeof(struct sms_block_request),                \
        sizeof(struct sms_share_policy), sizeof(struct sms_process_view), sizeof(struct sms_share_device_view),        \
        sizeof(struct sms_share_event), sizeof(struct sms_place_policy), sizeof(struct sms_place_view),                \
        sizeof(struct sms_node_view), sizeof(struct sms_gpu_view), sizeof(struct sms_pod_view),                        \
        sizeof(struct sms_monitored), sizeof(struct sms_typical_pod), sizeof(struct sms_queue_discipline),             \
        sizeof(struct sms_queued), sizeof(struct sms_contention), sizeof(struct sms_contention_view),                  \
        sizeof(struct sms_group), sizeof(struct sms_sharing_mode), sizeof(struct sms_mode_process),                    \
        sizeof(struct sms_profile_view), sizeof(struct sms_mig_view), sizeof(struct sms_layout),                       \
        sizeof(struct sms_open_pod), sizeof(struct sms_weighed), sizeof(struct sms_place_pace),                        \
        sizeof(struct sms_curve), sizeof(struct sms_pairs), sizeof(struct sms_join)

enum { SMS_PLUGIN_STRUCTS = 33, SMS_PLUGIN_MOST = 16 };

/* What a plug-in offers: lists that NULL ends, of at most SMS_PLUGIN_MOST each. */
struct sms_plugin {
    unsigned version[2];
    size_t sizes[SMS_PLUGIN_STRUCTS];
    const struct sms_block_policy *block[SMS_PLUGIN_MOST + 1];
    const struct sms_share_policy *share[SMS_PLUGIN_MOST + 1];
    const struct sms_place_policy *place[SMS_PLUGIN_MOST + 1];
    const struct sms_queue_discipline *queue[SMS_PLUGIN_MOST + 1];
    const struct sms_contention *contention[SMS_PLUGIN_MOST + 1];
    const struct sms_sharing_mode *mode[SMS_PLUGIN_MOST + 1];
};

/* Defines the symbol that is looked for. The arguments initialize the lists, as in .place = {&one, &other}. */
#define SMS_PLUGIN(...)                                                                                                \
    extern __attribute__((visibility("default"))) const struct sms_plugin sms_plugin;                                  \
    const struct sms_plugin sms_plugin = {.version = {SMS_PLUGIN_VERSION}, .sizes = {SMS_PLUGIN_SIZES}, __VA_ARGS__}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
