/* Plug-ins of a file: shared objects whose policies and models the file's scenarios may name (smsched/plugin.h). They
 * are open as long as the file is loaded. */
#ifndef SMS_MODEL_POLICY_PLUGINS_H
#define SMS_MODEL_POLICY_PLUGINS_H

#include "../file.h"

struct sms__plugin {
    const char *path;  /* absolute */
    const char *given; /* as it was written, in the options or a scenario */
    const char *bytes; /* [size]: of the shared object, for keys of results */
    size_t size;
    void *handle;
};

/* Opens the plug-ins of the options and of the document's scenarios, and adds what they offer to the options. Complains
 * of each that is refused. */
void sms__plugins_open(struct sms_file *file, struct sms_load_options *options, const struct sms__doc *doc);

/* Takes the plug-ins of the file's library, which stay the library's. */
void sms__plugins_borrow(struct sms_file *file, struct sms_load_options *options);

/* Complains of plug-ins that the scenario names, and that the file does not have. */
void sms__plugins_expect(struct sms_file *file, const struct sms__node *scenario);

void sms__plugins_close(struct sms_file *file);

#endif
