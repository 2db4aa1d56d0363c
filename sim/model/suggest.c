/* "Did you mean" for a device or workload that is found nowhere: the names in the file, then those of the models in the
 * folders. */
#include "file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAMES_MAX = 1024, NAME_BYTES = SMS__MODEL_NAME_BYTES, FOLDERS_DEEP = 3, PATH_BYTES = 4096 };

/* All memory is allocated before a folder is opened, so that none stays open when memory runs out. */
struct names {
    size_t count;
    char name[NAMES_MAX][NAME_BYTES];
};

static void add_name(struct names *names, const char *within, const char *name, size_t length)
{
    if (names->count == NAMES_MAX || length > NAME_BYTES)
        return;
    char *to = names->name[names->count];
    if (snprintf(to, NAME_BYTES, "%s%.*s", within, (int)length, name) >= NAME_BYTES)
        return;
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->name[i], to)) /* in the file, or in another folder */
            return;
    names->count++;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* `within` is "" or "FOLDER/", the part of the path that belongs to the names. */
static void add_folder(struct names *names, const char *root, const char *within, int deep)
{
    char path[PATH_BYTES], inner[NAME_BYTES];
    snprintf(path, sizeof path, "%s/%s", root, within);
    DIR *dir = opendir(path);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *name = entry->d_name, *end = strrchr(name, '.');
        bool fits = snprintf(path, sizeof path, "%s/%s%s", root, within, name) < PATH_BYTES &&
                    snprintf(inner, sizeof inner, "%s%s/", within, name) < NAME_BYTES;
        if (end && !strcmp(end, ".yaml"))
            add_name(names, within, name, (size_t)(end - name));
        else if (name[0] != '.' && fits && deep > 1 && is_folder(path))
            add_folder(names, root, inner, deep - 1);
    }
    if (dir)
        closedir(dir);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Sorted, for a folder has no order. */
static void add_models(struct names *names, const char *models, const char *kind)
{
    char root[PATH_BYTES];
    size_t before = names->count;
    if (!models || snprintf(root, sizeof root, "%s/%s", models, kind) >= PATH_BYTES)
        return;
    add_folder(names, root, "", FOLDERS_DEEP);
    qsort(names->name[before], names->count - before, NAME_BYTES, by_name);
}

static const char *name_at(const void *user, size_t i) { return ((const struct names *)user)->name[i]; }

bool sms__nearest_model(const char *const folder[2], const char *kind, const char *word,
                        char near[SMS__MODEL_NAME_BYTES])
{
    struct names *names = calloc(1, sizeof *names);
    for (size_t i = 0; names && i < 2; i++)
        add_models(names, folder[i], kind);
    const char *found = names ? sms__nearest(word, names->count, name_at, names) : NULL;
    snprintf(near, SMS__MODEL_NAME_BYTES, "%s", found ? found : "");
    free(names);
    return *near;
}

void sms__complain_unknown_model(struct sms_file *file, enum sms__document kind, const struct sms__node *node)
{
    struct sms__reader reader = sms__file_reader(file);
    bool device = kind == SMS__DOCUMENT_DEVICE;
    const char *installed = file->options->installed_models;
    const char *what = device ? "device" : "workload", *folder = device ? "devices" : "workloads";
    struct names *names = SMS__NEW(&file->arena, struct names, 1);
    for (size_t i = 0; i < (device ? file->devices : file->workloads); i++) {
        const char *name = device ? file->device[i]->name : file->workload[i]->name;
        const struct sms__node *own = device ? file->device[i]->node : file->workload[i]->node;
        if (file->doc && !strcmp(own->mark.file, file->doc->path)) /* of folders, those that are read are named below */
            add_name(names, "", name, strlen(name));
    }
    add_models(names, file->options->models, folder);
    add_models(names, installed, folder);
    if (names->count == 0) /* the program was copied without them */
        sms__complain(&reader, node, "unknown %s '%.60s': there are no %s in the file, nor in '%.200s'", what,
                      node->text, folder, installed);
    else
        sms__complain_unknown(&reader, node, what, names->count, name_at, names);
}
