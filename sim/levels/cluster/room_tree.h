/* What nodes have left, in a tree that all kinds of pods share: a vertex has the most of each quantity that any node
 * below it has, and the highest rank. Wins where the order of nodes is the same for all pods, as a change of a node is
 * looked at once and not again for each kind. Fails where the nodes that come first are those that fit nothing, because
 * it looks at them all: the fullest node comes first for best fit. */
#ifndef SMS_LEVELS_CLUSTER_ROOM_TREE_H
#define SMS_LEVELS_CLUSTER_ROOM_TREE_H

#include "../../base/arena.h"
#include "ledger.h"

struct sms__room_tree;

/* All nodes then have nothing, and rank 0. */
struct sms__room_tree *sms__room_tree_new(struct sms__arena *arena, size_t nodes);
/* What the node has left, and its rank, a finite number. */
void sms__room_tree_set(struct sms__room_tree *tree, const struct sms__room *room, double rank);
/* Finds the node with the highest rank of those that the pod fits, of equal ones the lowest; UINT32_MAX: it fits none.
 * `node` are the views of all nodes. False: it was given up, because too many vertices promise room that no node has.
 * A search may look at some; *looks are how many more all searches for the shape may look at together. */
bool sms__room_tree_find(const struct sms__room_tree *tree, const struct sms_node_view *node,
                         const struct sms_pod_view *pod, uint32_t *looks, uint32_t *found);

#endif
