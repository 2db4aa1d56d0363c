/* Between file.c and library.c. */
#ifndef SMS_MODEL_FILE_H
#define SMS_MODEL_FILE_H

#include "model.h"

#include <string.h>

enum sms__document { SMS__DOCUMENT_DEVICE, SMS__DOCUMENT_WORKLOAD, SMS__DOCUMENT_SCENARIO, SMS__DOCUMENT_PLAN };

/* library.c: the kind of a document; -1: none. */
int sms__document_kind(const struct sms__node *root);
void sms__file_add_device(struct sms_file *file, const struct sms__node *node);
void sms__file_add_workload(struct sms_file *file, const struct sms__node *node);

static inline struct sms__reader sms__file_reader(struct sms_file *file)
{
    return (struct sms__reader){.arena = &file->arena, .errors = file->errors};
}

/* NULL if there is room left: capacities are powers of two. */
static inline void *sms__file_grow(struct sms__arena *arena, const void *old, size_t count, size_t size)
{
    if (count & (count - 1))
        return NULL;
    char *grown = sms__alloc(arena, count ? count * 2 : 1, size);
    if (count)
        memcpy(grown, old, count * size);
    return grown;
}

#define SMS__PUSH(file, list, count, value)                                                                            \
    do {                                                                                                               \
        void *grown_ = sms__file_grow(&(file)->arena, (file)->list, (file)->count, sizeof *(file)->list);              \
        if (grown_)                                                                                                    \
            (file)->list = grown_;                                                                                     \
        (file)->list[(file)->count++] = (value);                                                                       \
    } while (0)

#endif
