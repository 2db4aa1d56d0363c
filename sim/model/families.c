/* Families of devices: documents of models/families.yaml, which are read once for each file. */
#include "file.h"

static const char *name_of(const void *user, size_t i)
{
    const struct sms__node *name = sms__node_get(((const struct sms__doc *)user)->root[i], "family");
    return name && name->kind == SMS__SCALAR ? name->text : "";
}

/* Without such a file there is a document without families. NULL, with a complaint, if it cannot be read. */
static const struct sms__doc *load(struct sms_file *file)
{
    struct sms__doc *doc = SMS__NEW(&file->arena, struct sms__doc, 1);
    char *path = SMS__NEW(&file->arena, char, SMS__MODELS_BYTES); /* which marks keep */
    const bool found = sms__find_in_models(file->options, "families.yaml", path);
    const int code = found ? sms__doc_load(&file->arena, path, doc, file->errors) : SMS_OK;
    if (code == SMS_ENOMEM)
        sms__arena_give_up(&file->arena);
    return code ? NULL : doc;
}

const struct sms__node *sms__find_family(struct sms__reader *reader, const struct sms__node *name)
{
    struct sms_file *file = reader->user;
    file->families = file->families ? file->families : load(file);
    if (!file->families)
        return NULL;
    const size_t i = sms__find_name(name->text, file->families->roots, name_of, file->families);
    if (i < file->families->roots)
        return file->families->root[i];
    sms__complain_unknown(reader, name, "family", file->families->roots, name_of, file->families);
    return NULL;
}
