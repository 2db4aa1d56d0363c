/* Names that must differ from each other. */
#ifndef SMS_MODEL_NAMES_H
#define SMS_MODEL_NAMES_H

#include "../yaml/fields.h"

/* Complains of names that come twice, with numbers or without; sorts them. Empty ones are none. */
struct sms__named {
    const char *name;
    const struct sms__node *node;
    uint64_t several; /* it stands for NAME1 to NAME with that number; 0: for NAME alone */
    bool apart;       /* it is in no results: only its equals are its namesakes */
};
void sms__check_names(struct sms__reader *reader, struct sms__named *named, size_t count, const char *what);

#endif
