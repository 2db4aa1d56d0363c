/* Indices of names, and groups of rows. Files may have any number of them, so both take time n log n. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

/* A branch of a crit-bit tree. It has the first bit at which the names below it differ. The depth is at most the number
 * of bits of a name, so no choice of names makes the tree slow, as it could with a hash table. A link is 2 * branch, or
 * 2 * name + 1. */
struct sms__name_branch {
    size_t link[2];
    unsigned at;       /* byte */
    unsigned char bit; /* mask in the byte */
};

/* A name has zeros beyond its end. */
static int side(const struct sms__name_branch *branch, const char *name, size_t length)
{
    return branch->at < length && ((unsigned char)name[branch->at] & branch->bit) != 0;
}

static size_t add_name(struct sms__arena *arena, struct sms__names *names, const char *name, size_t length)
{
    *SMS__APPEND(arena, names->name, names->count) = sms__copy(arena, name, length);
    return names->count - 1;
}

static unsigned char highest_bit(unsigned char bits)
{
    unsigned char bit = 0x80;
    while (!(bits & bit))
        bit >>= 1;
    return bit;
}

/* Inserts a branch above all branches whose names differ at a later bit. */
static void add_branch(struct sms__arena *arena, struct sms__names *names, struct sms__name_branch made,
                       const char *name, size_t length)
{
    const size_t leaf = 2 * (names->count - 1) + 1, number = names->branches;
    *SMS__APPEND(arena, names->branch, names->branches) = made;
    size_t *link = &names->root;
    while (!(*link & 1)) {
        struct sms__name_branch *branch = &names->branch[*link / 2];
        if (branch->at > made.at || (branch->at == made.at && branch->bit < made.bit))
            break;
        link = &branch->link[side(branch, name, length)];
    }
    const int own = side(&made, name, length);
    names->branch[number].link[own] = leaf;
    names->branch[number].link[!own] = *link;
    *link = 2 * number;
}

size_t sms__name_index(struct sms__arena *arena, struct sms__names *names, const char *name)
{
    const size_t length = strlen(name);
    size_t link = names->root, at = 0;
    if (names->count == 0) {
        names->root = 1;
        return add_name(arena, names, name, length);
    }
    while (!(link & 1))
        link = names->branch[link / 2].link[side(&names->branch[link / 2], name, length)];
    const char *nearest = names->name[link / 2];
    while (name[at] && name[at] == nearest[at])
        at++;
    if (name[at] == nearest[at])
        return link / 2;
    const struct sms__name_branch branch = {.at = (unsigned)at,
                                            .bit = highest_bit((unsigned char)(name[at] ^ nearest[at]))};
    const size_t number = add_name(arena, names, name, length);
    add_branch(arena, names, branch, name, length);
    return number;
}

/* ---- groups ---- */

static int by_scenario(const void *a, const void *b)
{
    const struct sms__row *x = a, *y = b;
    if (x->scenario != y->scenario)
        return x->scenario < y->scenario ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_policy(const void *a, const void *b)
{
    const struct sms__row *x = a, *y = b;
    return x->scenario == y->scenario && x->policy != y->policy ? (x->policy > y->policy ? 1 : -1) : by_scenario(a, b);
}

void sms__group_rows(struct sms__arena *arena, struct sms__rows *rows, size_t size, bool policies)
{
    struct sms__groups *groups = &rows->groups;
    if (rows->count)
        qsort(rows->row, rows->count, size, policies ? by_policy : by_scenario);
    for (size_t i = 0; i < rows->count; i++) {
        const struct sms__row *row = (const struct sms__row *)((const char *)rows->row + i * size);
        struct sms__group_of *last = groups->count ? &groups->item[groups->count - 1] : NULL;
        if (!last || last->scenario != row->scenario || (policies && last->policy != row->policy)) {
            last = SMS__APPEND(arena, groups->item, groups->count);
            *last = (struct sms__group_of){row->scenario, row->policy, i, 0, row->number};
        }
        last->count++;
    }
}

struct sms__groups sms__groups_of(const struct sms__groups *groups, size_t scenario)
{
    size_t from = 0, to = groups->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (groups->item[middle].scenario < scenario)
            from = middle + 1;
        else
            to = middle;
    }
    while (to < groups->count && groups->item[to].scenario == scenario)
        to++;
    return (struct sms__groups){.item = groups->item ? groups->item + from : NULL, .count = to - from};
}

const struct sms__group_of *sms__group_of(const struct sms__groups *groups, size_t policy)
{
    for (size_t from = 0, to = groups->count; from < to;) {
        size_t middle = from + (to - from) / 2;
        const struct sms__group_of *group = &groups->item[middle];
        if (group->policy == policy)
            return group;
        if (group->policy < policy)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}
