/* Folders of results, which are replaced as a whole. Invariant: a file that no manifest lists is never removed. */
#define _GNU_SOURCE /* renameat2 */
#include "folder.h"
#include "json_write.h"
#include "memory.h"

#include "../base/member.h"
#include "../base/room.h"
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char manifest_name[] = "manifest.json";
enum { FILES_MAX = 10000, FILE_PATH_BYTES = SMS__PATH_BYTES + 300, TRIES = 100, WAITS = 500 };
enum { RACED = -1 }; /* beside the codes SMS_*: the name is to be tried again */

static void add_name(struct sms__file_names *names, const char *name)
{
    char **grown = sms__room(names->name, names->count, sizeof *grown);
    char *copy = strdup(name);
    if (grown)
        names->name = grown;
    names->failed |= !grown || !copy;
    if (grown && copy)
        grown[names->count++] = copy;
    else
        free(copy);
}

static bool has_name(const struct sms__file_names *names, const char *name)
{
    return sms__find_name(name, names->count, sms__text_at, names->name) < names->count;
}

static void release_names(struct sms__file_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct sms__file_names){0};
}

/* Lists the entries of a folder without the manifest. Returns false with errno if it cannot be read. */
static bool list_entries(const char *folder, struct sms__file_names *names)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return false;
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, manifest_name) != 0)
            add_name(names, entry->d_name);
    closedir(dir);
    return true;
}

static json_t *load_manifest(const char *folder)
{
    struct sms_errors unsaid = {0};
    char path[FILE_PATH_BYTES];
    json_t *manifest;
    snprintf(path, sizeof path, "%s/%s", folder, manifest_name);
    if (sms__read_json(path, &manifest, &unsaid) == SMS_ENOMEM)
        sms__note_memory(NULL);
    return manifest;
}

/* Lists the files in the folder's manifest. Returns false if there is no manifest with a list. */
static bool list_own(const char *folder, struct sms__file_names *names)
{
    json_t *manifest = load_manifest(folder);
    const json_t *files = json_object_get(manifest, "files");
    for (size_t i = 0; i < json_array_size(files) && i < FILES_MAX; i++)
        if (json_is_string(json_array_get(files, i)))
            add_name(names, json_string_value(json_array_get(files, i)));
    names->failed |= sms__memory_failed(); /* then the manifest may list more */
    bool listed = json_is_array(files);
    json_decref(manifest);
    return listed;
}

bool sms__folder_lists(const char *path)
{
    char target[SMS__TARGET_BYTES], folder[FILE_PATH_BYTES];
    struct sms__file_names own = {0};
    if (!sms__target_of(path, target))
        return false;
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    snprintf(folder, sizeof folder, "%.*s.", (int)(name - target), target);
    bool listed = list_own(folder, &own) && (!strcmp(name, manifest_name) || has_name(&own, name));
    release_names(&own);
    return listed;
}

static void put_path(char path[FILE_PATH_BYTES], const char *folder, const char *name)
{
    snprintf(path, FILE_PATH_BYTES, "%s/%s", folder, name);
}

static void remove_file(const char *folder, const char *name)
{
    char path[FILE_PATH_BYTES];
    put_path(path, folder, name);
    unlink(path);
}

static bool move_file(const char *from, const char *to, const char *name)
{
    char old[FILE_PATH_BYTES], new[FILE_PATH_BYTES];
    put_path(old, from, name);
    put_path(new, to, name);
    return renameat2(AT_FDCWD, old, AT_FDCWD, new, RENAME_NOREPLACE) == 0 ||
           (errno == EINVAL && access(new, F_OK) && rename(old, new) == 0);
}

/* Empties a folder that was replaced. Files that are not its own move to the new folder, and so do its own files that
 * the new manifest lists. Without a manifest it was never complete, and all of it is the program's. */
static void empty_into(const char *old, const char *target)
{
    struct sms__file_names own = {0}, wanted = {0}, entries = {0};
    bool complete = list_own(old, &own), readable = list_entries(old, &entries);
    list_own(target, &wanted);
    bool known = readable && !own.failed && !wanted.failed && !entries.failed;
    for (size_t i = 0; known && i < entries.count; i++) {
        const char *name = entries.name[i];
        bool listed = !complete || has_name(&own, name);
        if (complete && (!listed || has_name(&wanted, name)) && move_file(old, target, name))
            continue;
        if (listed)
            remove_file(old, name);
    }
    release_names(&entries);
    /* If something could not be moved, the manifest stays, to tell it from the program's own files. */
    if (known && list_entries(old, &entries) && entries.count == 0) {
        remove_file(old, manifest_name);
        rmdir(old);
    }
    release_names(&own);
    release_names(&wanted);
    release_names(&entries);
}

/* Checks that every file that a new one would replace is listed. `names` is NULL before there are new ones. */
static int check_entries(const char *path, const struct sms__file_names *names, struct sms_errors *errors)
{
    struct sms__file_names own = {0}, entries = {0};
    int code = SMS_OK;
    bool complete = list_own(path, &own);
    if (!list_entries(path, &entries))
        code = sms__fail(errors, SMS_EIO, path, "cannot be read: %s", strerror(errno));
    if (own.failed || entries.failed)
        code = sms__fail(errors, SMS_ENOMEM, path, "out of memory");
    for (size_t i = 0; code == SMS_OK && i < entries.count; i++) {
        const char *name = entries.name[i];
        if (!complete)
            code = sms__fail(errors, SMS_EIO, path,
                             "holds '%s', and no manifest of smsched that lists its files; move or remove it, or name "
                             "another folder",
                             name);
        else if (names && has_name(names, name) && !has_name(&own, name))
            code = sms__fail(errors, SMS_EIO, path,
                             "holds '%s', which smsched did not write and would have to replace; move it", name);
    }
    release_names(&own);
    release_names(&entries);
    return code;
}

/* Checks that a folder of the kind may take the name. Sets `exists` if it would replace one. */
static int check_target(const char *path, enum sms__folder_kind kind, const struct sms__file_names *names, bool *exists,
                        struct sms_errors *errors)
{
    struct stat st;
    *exists = lstat(path, &st) == 0;
    if (!*exists)
        return errno == ENOENT ? SMS_OK : sms__fail(errors, SMS_EIO, path, "cannot be made: %s", strerror(errno));
    if (kind == SMS__FOLDER_NEW)
        return sms__fail(errors, SMS_EIO, path, "exists already; name another folder, or replace results with --force");
    if (!S_ISDIR(st.st_mode))
        return sms__fail(errors, SMS_EIO, path, "is %s; move it, or name another folder",
                         S_ISLNK(st.st_mode) ? "a symbolic link" : "not a folder");
    if (!(st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) || access(path, W_OK))
        return sms__fail(errors, SMS_EIO, path, "is write-protected: it is not replaced");
    return check_entries(path, names, errors);
}

int sms__folder_check(const char *path, enum sms__folder_kind kind, struct sms_errors *errors)
{
    bool exists;
    char target[SMS__TARGET_BYTES];
    if (!sms__target_of(path, target))
        return sms__fail(errors, SMS_EIO, path, "the name is too long");
    return check_target(target, kind, NULL, &exists, errors);
}

int sms__folder_begin(struct sms__folder *folder, const char *path, enum sms__folder_kind kind,
                      struct sms_errors *errors)
{
    folder->kind = kind;
    int code = sms__folder_check(path, kind, errors);
    return code ? code : sms__partial_folder(&folder->partial, path, empty_into, errors);
}

FILE *sms__folder_open(struct sms__folder *folder, const char *name, struct sms_errors *errors)
{
    char path[FILE_PATH_BYTES];
    put_path(path, folder->partial.name, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file) {
        sms__folder_add(folder, name);
        return file;
    }
    int why = errno;
    if (fd >= 0)
        close(fd);
    put_path(path, folder->partial.target, name); /* for messages */
    sms__fail(errors, SMS_EIO, path, "cannot be written: %s", strerror(why));
    return NULL;
}

int sms__folder_close(struct sms__folder *folder, const char *name, FILE *file, struct sms_errors *errors)
{
    char path[FILE_PATH_BYTES];
    put_path(path, folder->partial.target, name); /* for messages */
    return sms__close_whole(file, path, errors);
}

void sms__folder_add(struct sms__folder *folder, const char *name) { add_name(&folder->names, name); }

/* Lists also the files of the older folder that are not written again. */
static void keep_older(struct sms__folder *folder)
{
    struct sms__file_names own = {0};
    list_own(folder->partial.target, &own);
    for (size_t i = 0; i < own.count; i++)
        if (!has_name(&folder->names, own.name[i]))
            sms__folder_add(folder, own.name[i]);
    folder->names.failed |= own.failed;
    release_names(&own);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int write_manifest(struct sms__folder *folder, json_t *manifest, struct sms_errors *errors)
{
    json_t *files = json_array();
    if (folder->names.count)
        qsort(folder->names.name, folder->names.count, sizeof *folder->names.name, by_name);
    for (size_t i = 0; i < folder->names.count; i++)
        json_array_append_new(files, sms__json_path(folder->names.name[i]));
    json_object_set_new(manifest, "files", files);
    if (folder->names.failed || sms__memory_failed())
        return sms__fail(errors, SMS_ENOMEM, folder->partial.target, "out of memory");
    FILE *file = sms__folder_open(folder, manifest_name, errors);
    if (!file)
        return SMS_EIO;
    bool whole = sms__json_write(json_incref(manifest), file, JSON_INDENT(2)) == 0;
    int code = sms__folder_close(folder, manifest_name, file, errors);
    return code == SMS_OK && !whole ? sms__fail(errors, SMS_ENOMEM, folder->partial.target, "out of memory") : code;
}

/* Removes the files that are not on the list. Returns false if the folder cannot be read. */
static bool remove_scratch(const struct sms__folder *folder)
{
    struct sms__file_names entries = {0};
    bool known = list_entries(folder->partial.name, &entries) && !entries.failed;
    for (size_t i = 0; i < entries.count; i++)
        if (!has_name(&folder->names, entries.name[i]))
            remove_file(folder->partial.name, entries.name[i]);
    release_names(&entries);
    return known;
}

/* Both folders exist at every moment. If the file system cannot exchange them, there is a moment with none under the
 * name, and if the program ends there, the next writer finds the older one under the other name. */
static bool exchange(const struct sms__partial *partial)
{
    if (renameat2(AT_FDCWD, partial->name, AT_FDCWD, partial->target, RENAME_EXCHANGE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    char aside[SMS__PATH_BYTES];
    snprintf(aside, sizeof aside, "%s", partial->name);
    char *last = &aside[strlen(aside) - 1];
    *last = *last == '0' ? '1' : '0'; /* another temporary name */
    return rename(partial->target, aside) == 0 && rename(partial->name, partial->target) == 0 &&
           rename(aside, partial->name) == 0;
}

static bool take_name(const struct sms__partial *partial)
{
    if (renameat2(AT_FDCWD, partial->name, AT_FDCWD, partial->target, RENAME_NOREPLACE) == 0)
        return true;
    return (errno == EINVAL || errno == ENOSYS) && rename(partial->name, partial->target) == 0;
}

/* Locks the folder that is replaced, so that what was read of it holds until then: its writer keeps the lock until it
 * has emptied the one before. Returns its descriptor; -1 without such a folder or without locks. Others may lock it,
 * too, so it waits a while at most. */
static int lock_older(const char *target)
{
    for (int i = 0; i < WAITS; i++) {
        struct stat held, now;
        const int fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        const bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
        const bool waits = fd >= 0 && !locked && errno == EWOULDBLOCK;
        if (locked && fstat(fd, &held) == 0 && stat(target, &now) == 0 && held.st_ino == now.st_ino)
            return fd;
        if (fd >= 0)
            close(fd);
        if (!locked && !waits)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return -1;
}

/* Takes the manifest away again, to write another. */
static void withdraw_manifest(struct sms__folder *folder)
{
    struct sms__file_names *names = &folder->names;
    size_t kept = 0;
    remove_file(folder->partial.name, manifest_name);
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], manifest_name) != 0)
            names->name[kept++] = names->name[i];
        else
            free(names->name[i]);
    names->count = kept;
}

/* Returns RACED, and reports nothing, if there may be another try (`again`), because another writer took or removed the
 * name since it was looked at. */
static int publish(struct sms__folder *folder, bool exists, bool again, struct sms_errors *errors)
{
    struct sms__partial *partial = &folder->partial;
    if (!remove_scratch(folder))
        return sms__fail(errors, SMS_ENOMEM, partial->target, "out of memory");
    char inside[FILE_PATH_BYTES];
    put_path(inside, partial->name, manifest_name);
    sms__sync_folder_of(inside);
    if (!(exists ? exchange(partial) : take_name(partial))) {
        if (!again || errno != (exists ? ENOENT : EEXIST))
            return sms__fail(errors, SMS_EIO, partial->target, "cannot be made: %s", strerror(errno));
        withdraw_manifest(folder);
        return RACED;
    }
    sms__sync_folder_of(partial->target);
    if (exists)
        empty_into(partial->name, partial->target);
    sms__partial_unlock(partial);
    release_names(&folder->names);
    return SMS_OK;
}

static int try_end(struct sms__folder *folder, json_t *manifest, bool again, struct sms_errors *errors)
{
    bool exists = false;
    int code = check_target(folder->partial.target, folder->kind, &folder->names, &exists, errors);
    if (code == SMS_OK && exists && folder->kind == SMS__FOLDER_ADD)
        keep_older(folder);
    if (code == SMS_OK)
        code = write_manifest(folder, manifest, errors);
    return code ? code : publish(folder, exists, again, errors);
}

int sms__folder_end(struct sms__folder *folder, json_t *manifest, struct sms_errors *errors)
{
    int code = RACED;
    for (int left = TRIES; code == RACED; left--) {
        const int older = lock_older(folder->partial.target);
        code = try_end(folder, manifest, left > 0, errors);
        if (older >= 0)
            close(older);
    }
    json_decref(manifest);
    return code;
}

void sms__folder_abandon(struct sms__folder *folder)
{
    struct sms__partial *partial = &folder->partial;
    if (partial->name[0]) {
        release_names(&folder->names);
        remove_scratch(folder);
        remove_file(partial->name, manifest_name);
        rmdir(partial->name);
        sms__partial_unlock(partial);
    }
    release_names(&folder->names);
}
