/* Opens plug-ins. A shared object runs code as it is opened, so all that can be told from its bytes is checked before.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "plugins.h"
#include "registry.h"

#include "../../base/read.h"

#include <smsched/plugin.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PLUGIN_BYTES_MAX = 64 << 20, SAID_BYTES = 300 };

/* A plug-in that is being opened. */
struct opening {
    struct sms_file *file;
    struct sms_load_options *options;
    const char *path;             /* as it was written */
    const struct sms__node *node; /* where; NULL: in the options */
    struct sms__plugin plugin;
    const struct sms_plugin *has;
    enum sms_code unread; /* SMS_EIO: its file cannot be read */
};

/* Refuses the plug-in. Returns false. */
__attribute__((format(printf, 2, 3))) static bool refuse(const struct opening *opening, const char *format, ...)
{
    struct sms_errors *errors = sms__file_reader(opening->file).errors;
    const enum sms_code code = opening->unread ? opening->unread : SMS_EINPUT;
    char text[SAID_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    opening->file->lacks_plugin = true;
    if (opening->node)
        sms__error(errors, code, opening->node->mark, "plug-in '%.100s' %s", opening->path, text);
    else
        sms__fail(errors, code, opening->path, "this plug-in %s", text);
    return false;
}

/* Finds the file. A name of a scenario is relative to the scenario's file. */
static bool find_file(struct opening *opening)
{
    struct sms__arena *arena = &opening->file->arena;
    const char *from = opening->node ? opening->node->mark.file : "", *slash = strrchr(from, '/');
    const char *path = opening->path;
    char real[PATH_MAX];
    if (path[0] != '/' && slash)
        path = sms__print(arena, "%.*s%s", (int)(slash + 1 - from), from, path);
    if (!realpath(path, real)) {
        const bool absent = errno == ENOENT;
        opening->unread = absent ? SMS_OK : SMS_EIO;
        refuse(opening, "cannot be %s: %s", absent ? "found" : "read", strerror(errno));
        return false;
    }
    opening->plugin.path = sms__copy(arena, real, strlen(real));
    return true;
}

static bool read_bytes(struct opening *opening)
{
    struct sms_errors errors = {0};
    char *bytes;
    int code = sms__file_bytes(&opening->file->arena, opening->plugin.path, PLUGIN_BYTES_MAX, &bytes,
                               &opening->plugin.size, &errors);
    opening->unread = code == SMS_EIO ? code : SMS_OK;
    if (code)
        return refuse(opening, "%s%s", code == SMS_EIO ? "cannot be read: " : "",
                      errors.count ? errors.item[0].message : "does not fit into memory");
    opening->plugin.bytes = bytes;
    return true;
}

/* Whether all that is loaded into memory is in the file: the loader reads beyond the end of one that was cut off, which
 * ends the program. */
static bool is_whole(const struct opening *opening, const Elf64_Ehdr *header)
{
    const size_t size = opening->plugin.size;
    bool whole = header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phoff <= size &&
                 header->e_phnum <= (size - header->e_phoff) / sizeof(Elf64_Phdr);
    for (size_t i = 0; whole && i < header->e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, opening->plugin.bytes + header->e_phoff + i * sizeof part, sizeof part);
        whole = part.p_offset <= size && part.p_filesz <= size - part.p_offset;
    }
    return whole;
}

static bool check_elf(const struct opening *opening)
{
    Elf64_Ehdr header = {0};
    memcpy(&header, opening->plugin.bytes, opening->plugin.size < sizeof header ? opening->plugin.size : sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN)
        return refuse(opening, "is not a shared object; 'cc -shared -fPIC' makes one of a C file");
    return is_whole(opening, &header) || refuse(opening, "is cut off: its file lacks what it says it has");
}

static bool open_object(struct opening *opening)
{
    const char *path = opening->plugin.path;
    opening->plugin.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opening->plugin.handle) {
        const char *why = dlerror();
        const size_t length = strlen(path);
        why = why && !strncmp(why, path, length) ? why + length + strspn(why + length, ": ") : why;
        refuse(opening, "cannot be loaded: %s", why ? why : "no reason is known");
        return false;
    }
    opening->has = dlsym(opening->plugin.handle, "sms_plugin");
    if (!opening->has)
        refuse(opening, "has no symbol sms_plugin; its file ends with SMS_PLUGIN(...)");
    return opening->has;
}

/* The version comes first in all versions, so it may be read of any. */
static bool check_version(const struct opening *opening)
{
    static const unsigned version[2] = {SMS_PLUGIN_VERSION};
    static const size_t sizes[SMS_PLUGIN_STRUCTS] = {SMS_PLUGIN_SIZES};
    const struct sms_plugin *has = opening->has;
    if (memcmp(has->version, version, sizeof version) != 0)
        return refuse(opening, "was built for smsched %u.%u, and this is %u.%u; build it again", has->version[0],
                      has->version[1], version[0], version[1]);
    return memcmp(has->sizes, sizes, sizeof sizes) == 0 ||
           refuse(opening, "was built with other headers than this smsched; build it again");
}

/* Whether a name of this kind is another's: queue disciplines and models have names of their own, all others share
 * theirs, because `policies:` names them all. */
static bool is_taken(const struct sms_load_options *options, enum sms__known_kind kind, const char *name)
{
    bool taken = false;
    for (enum sms__known_kind other = 0; other < SMS__KINDS; other++) {
        const bool own =
            other == SMS__QUEUE || other == SMS__CONTENTION || kind == SMS__QUEUE || kind == SMS__CONTENTION;
        taken |= (!own || other == kind) && sms__find_known(options, other, name).name;
    }
    return taken;
}

/* Whether the one policy or model of `one` is right, and its name free. */
static bool check_one(const struct opening *opening, enum sms__known_kind kind, const struct sms_load_options *one)
{
    const char *wrong = sms__options_misuse(one);
    if (wrong)
        return refuse(opening, "is wrong: %s", wrong);
    const char *name = sms__known_at(one, kind, 0).name;
    return !is_taken(opening->options, kind, name) ||
           refuse(opening, "names something '%s', and that name is taken", name);
}

/* Adds what a plug-in offers of a kind to the options. Returns whether all was right. `offered` has one
 * pointer more than SMS_PLUGIN_MOST to structs of the kind, those that there are first, and then NULL. */
static bool add_kind(const struct opening *opening, enum sms__known_kind kind, const void *offered)
{
    size_t count = sms__count_added(opening->options, kind);
    const void *list[SMS_PLUGIN_MOST + 1],
        **grown = SMS__NEW(&opening->file->arena, const void *, count + SMS_PLUGIN_MOST);
    memcpy(list, offered, sizeof list);
    if (list[SMS_PLUGIN_MOST])
        return refuse(opening, "has more than %d policies, modes or models of a kind", SMS_PLUGIN_MOST);
    for (size_t i = 0; i < count; i++)
        grown[i] = sms__known_at(opening->options, kind, i).item;
    for (size_t i = 0; i < SMS_PLUGIN_MOST && list[i]; i++) {
        struct sms_load_options one = {0};
        sms__set_added(&one, kind, &list[i], 1);
        if (!check_one(opening, kind, &one))
            return false;
        grown[count++] = list[i];
        sms__set_added(opening->options, kind, grown, count);
    }
    return true;
}

static void add_all(const struct opening *opening)
{
    const struct sms_plugin *has = opening->has;
    if (!has->block[0] && !has->share[0] && !has->place[0] && !has->queue[0] && !has->contention[0] && !has->mode[0])
        refuse(opening, "has no policy, mode or model in it");
    else if (add_kind(opening, SMS__BLOCK, has->block) && add_kind(opening, SMS__SHARE, has->share) &&
             add_kind(opening, SMS__PLACE, has->place) && add_kind(opening, SMS__QUEUE, has->queue) &&
             add_kind(opening, SMS__MODE, has->mode))
        add_kind(opening, SMS__CONTENTION, has->contention);
}

static bool has_plugin(const struct sms_file *file, const char *path)
{
    return sms__find_name(path, file->plugins, SMS__NAMES(file->plugin, path)) < file->plugins;
}

static void open_one(struct sms_file *file, struct sms_load_options *options, const char *path,
                     const struct sms__node *node)
{
    struct opening opening = {.file = file, .options = options, .path = path, .node = node};
    opening.plugin.given = sms__copy(&file->arena, path, strlen(path));
    if (!find_file(&opening) || has_plugin(file, opening.plugin.path) || !read_bytes(&opening) || !check_elf(&opening))
        return;
    struct sms__plugin *kept = SMS__APPEND(&file->arena, file->plugin, file->plugins);
    *kept = opening.plugin; /* room first: then nothing is lost that is open */
    const bool opened = open_object(&opening);
    *kept = opening.plugin;
    if (opened && check_version(&opening))
        add_all(&opening);
}

/* Calls `take` for each path of the scenario's `plugins:`, a name or a list of names. */
static void each_path(struct sms_file *file, const struct sms__node *scenario, struct sms_load_options *options,
                      void (*take)(struct sms_file *, struct sms_load_options *, const char *,
                                   const struct sms__node *))
{
    struct sms__reader reader = sms__file_reader(file);
    const struct sms__node *node = sms__node_get(scenario, "plugins");
    const bool list = node && node->kind == SMS__LIST;
    for (size_t i = 0; node && i < (list ? node->items : 1); i++) {
        const struct sms__node *item = list ? node->item[i] : node;
        const char *path = sms__read_text(&reader, item);
        if (path)
            take(file, options, path, item);
    }
}

void sms__plugins_open(struct sms_file *file, struct sms_load_options *options, const struct sms__doc *doc)
{
    for (size_t i = 0; options->plugins && options->plugins[i]; i++)
        open_one(file, options, options->plugins[i], NULL);
    for (size_t i = 0; i < doc->roots; i++)
        if (sms__document_kind(doc->root[i]) == SMS__DOCUMENT_SCENARIO)
            each_path(file, doc->root[i], options, open_one);
}

void sms__plugins_borrow(struct sms_file *file, struct sms_load_options *options)
{
    file->plugin = file->library->plugin;
    file->plugins = file->library->plugins;
    file->borrows_plugins = true;
    for (size_t i = 0; i < file->plugins; i++) {
        struct opening opening = {.file = file, .options = options, .plugin = file->plugin[i]};
        opening.has = dlsym(opening.plugin.handle, "sms_plugin");
        add_all(&opening);
    }
}

static void expect_one(struct sms_file *file, struct sms_load_options *options, const char *path,
                       const struct sms__node *node)
{
    struct opening opening = {.file = file, .options = options, .path = path, .node = node};
    if (find_file(&opening) && !has_plugin(file, opening.plugin.path))
        refuse(&opening, "is not open, and a changed scenario cannot open it; --plugin does");
}

void sms__plugins_expect(struct sms_file *file, const struct sms__node *scenario)
{
    each_path(file, scenario, NULL, expect_one);
}

void sms__plugins_close(struct sms_file *file)
{
    for (size_t i = 0; i < file->plugins && !file->borrows_plugins; i++)
        if (file->plugin[i].handle)
            dlclose(file->plugin[i].handle);
}
