/* Between file.c and library.c. */
#ifndef SMS_MODEL_FILE_H
#define SMS_MODEL_FILE_H

#include "model.h"

#include <string.h>

enum sms__document { SMS__DOCUMENT_DEVICE, SMS__DOCUMENT_WORKLOAD, SMS__DOCUMENT_SCENARIO, SMS__DOCUMENT_PLAN };

/* library.c: the kind of a document; -1: none. */
int sms__document_kind(const struct sms__node *root);
void sms__file_add_device(struct sms_file *file, const struct sms__node *node);

static inline struct sms__reader sms__file_reader(struct sms_file *file)
{
    return (struct sms__reader){.arena = &file->arena, .errors = file->errors};
}

#endif
