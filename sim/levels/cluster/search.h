/* The search for a node that takes a pod, by the order and the scores of the place policy. */
#ifndef SMS_LEVELS_CLUSTER_SEARCH_H
#define SMS_LEVELS_CLUSTER_SEARCH_H

#include <smsched/place.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sms__cluster_run;

void sms__node_search_init(struct sms__cluster_run *run);
/* Reserves memory to cache what is known of a shape; false: the budget of all shapes together is spent. */
bool sms__search_reserve(struct sms__cluster_run *run, double bytes);

/* The node for a pod of the shape; SMS__NO_NODE: it fits none. The run is stopped where the policy's score is no
 * number.
 */
uint32_t sms__find_node(struct sms__cluster_run *run, uint32_t shape);
/* The node that was found last, from which the order `next` goes on, and back to it where a find comes to nothing. */
size_t sms__search_last(const struct sms__cluster_run *run);
void sms__search_rewind(struct sms__cluster_run *run, size_t last);
/* The same among the given nodes, in ascending order, all of which are feasible; there is at least one. */
uint32_t sms__find_among(struct sms__cluster_run *run, uint32_t shape, const uint32_t *node, size_t nodes);

/* The GPUs that the policy chooses for a pod on a node that it fits, and the policy's score of that. */
double sms__score_node(const struct sms__cluster_run *run, const struct sms_node_view *node,
                       const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX]);
/* The same, checked, as bits. Returns NULL, or what is wrong with the policy's answer. */
const char *sms__choose_gpus(struct sms__cluster_run *run, const struct sms_node_view *node,
                             const struct sms_pod_view *pod, uint16_t *gpus);

#endif
