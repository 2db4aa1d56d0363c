/* Computes the key of a point, a hash of everything that determines its results. Results are reused only under an equal
 * key, so whatever changes results must be part of it. */
#include "sweep.h"
#include "../base/room.h"
#include "../base/sources.h"
#include "../model/file.h"
#include "../model/policy/plugins.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

struct hash {
    const struct sms__node *node; /* NULL: not hashed yet */
    unsigned char digest[SMS__KEY_BYTES];
};

/* Hashes of documents, each computed once. */
struct sms__hashes {
    struct hash *model;
    size_t models;
    struct hash scenario[]; /* by the scenario's index in the plan */
};

int sms__worker_context_open(const struct sms__plan *plan, bool shared, struct sms__worker_context *context,
                             struct sms_errors *errors)
{
    int code = SMS_OK;
    *context = (struct sms__worker_context){
        .plan = plan,
        .shared = shared,
        .hashes = calloc(1, sizeof(struct sms__hashes) + plan->scenarios * sizeof(struct hash))};
    context->library = calloc(plan->bases, sizeof *context->library);
    if (!context->library || !context->hashes)
        code = sms__fail(errors, SMS_ENOMEM, plan->path, "out of memory");
    for (size_t i = 0; context->library && i < plan->bases && code == SMS_OK; i++)
        if (shared)
            context->library[i] = plan->base[i].library;
        else
            code = sms_file_load(plan->base[i].path, plan->options, &context->library[i], errors);
    if (code)
        sms__worker_context_close(context);
    return code;
}

void sms__worker_context_close(struct sms__worker_context *context)
{
    for (size_t i = 0; context->library && !context->shared && i < context->plan->bases; i++)
        sms_file_free(context->library[i]);
    free(context->library);
    if (context->hashes)
        free(context->hashes->model);
    free(context->hashes);
    *context = (struct sms__worker_context){0};
}

/* Hashes the length first, so that different sequences of texts never hash the same bytes. */
static void add_bytes(SHA2_CTX *sha, const void *bytes, size_t size)
{
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)size >> 8 * i);
    SHA256Update(sha, length, sizeof length);
    SHA256Update(sha, bytes, size);
}

static void add_text(SHA2_CTX *sha, const char *text) { add_bytes(sha, text, strlen(text)); }

static void hash_document(struct sms__arena *arena, const struct sms__node *node, struct hash *hash)
{
    SHA2_CTX sha;
    SHA256Init(&sha);
    add_text(&sha, sms__node_flow(arena, node));
    SHA256Final(hash->digest, &sha);
    hash->node = node;
}

struct key {
    struct sms__worker_context *context;
    struct sms__arena arena;
    uint64_t point;
    const char *models;
    SHA2_CTX sha;
    unsigned char name[SMS__KEY_BYTES];
};

static const struct hash *model_hash(struct key *key, const struct sms__node *node)
{
    struct sms__hashes *hashes = key->context->hashes;
    for (size_t i = 0; i < hashes->models; i++)
        if (hashes->model[i].node == node)
            return &hashes->model[i];
    struct hash *grown = sms__room(hashes->model, hashes->models, sizeof *grown);
    if (!grown)
        return NULL;
    hashes->model = grown;
    hash_document(&key->arena, node, &grown[hashes->models]);
    return &grown[hashes->models++];
}

static void add_changes(struct key *key, const struct sms__coordinates *coordinates)
{
    const struct sms__plan *plan = key->context->plan;
    for (int i = 0; i < SMS__FIXED; i++) {
        const struct sms__node *fixed = sms__point_fixed(plan, coordinates, i);
        add_text(&key->sha, fixed ? sms__node_flow(&key->arena, fixed) : "");
    }
    for (size_t c = 0; c < plan->columns; c++) {
        add_text(&key->sha, plan->column[c].path->text);
        add_text(&key->sha, sms__node_flow(&key->arena, sms__point_value(&key->arena, plan, coordinates, c)));
    }
}

static void add_scenario(struct key *key, const struct sms__coordinates *coordinates)
{
    const struct sms__node *node = coordinates->base->scenario[coordinates->scenario];
    struct hash *hash = &key->context->hashes->scenario[coordinates->scenario];
    for (const struct sms__base *base = key->context->plan->base; base < coordinates->base; base++)
        hash += base->scenarios;
    if (!hash->node) {
        hash_document(&key->arena, sms__node_pick(&key->arena, node, (const char *const[]){"expect", NULL}, false),
                      hash);
        hash->node = node;
    }
    add_bytes(&key->sha, hash->digest, sizeof hash->digest);
}

/* Adds the contents of the plug-ins that the base's scenarios may name, as they were opened. */
static void add_opened(struct key *key, const struct sms_file *library)
{
    for (size_t i = 0; i < library->plugins; i++)
        add_bytes(&key->sha, library->plugin[i].bytes, library->plugin[i].size);
}

/* Adds the hash of a policy's or contention model's file. Returns false if this program has no such file. */
static bool add_plugin(struct key *key, const char *file)
{
    bool all = !strcmp(file, sms__all_plugins), found = all;
    for (const struct sms__plugin_source *plugin = sms__plugin_sources; plugin->file; plugin++) {
        if (!all && strcmp(plugin->file, file) != 0)
            continue;
        add_text(&key->sha, plugin->file);
        add_text(&key->sha, plugin->hash);
        found = true;
    }
    return found;
}

static bool add_model(struct key *key, struct sms_file *library, bool device, const char *name)
{
    const struct sms__node *node[SMS__SOURCE_DOCUMENTS];
    const size_t nodes = sms__library_documents(library, key->context->plan->options, device, name, node);
    add_text(&key->sha, device ? "device" : "workload");
    add_text(&key->sha, name);
    for (size_t i = 0; i < nodes; i++) {
        const struct hash *hash = model_hash(key, node[i]);
        if (!hash)
            return false;
        add_bytes(&key->sha, hash->digest, sizeof hash->digest);
    }
    return nodes > 0;
}

/* Each line of the list is "d NAME" for a device, "w NAME" for a workload, or "p FILE" for a policy or contention
 * model. */
static bool add_models(struct key *key, const struct sms__coordinates *coordinates)
{
    struct sms_file *library = key->context->library[coordinates->base - key->context->plan->base];
    const char *line = key->models;
    while (*line) {
        size_t length = strcspn(line, "\n");
        if (length < 3 || line[length] != '\n')
            return false;
        const char *name = sms__copy(&key->arena, line + 2, length - 2);
        if (!(line[0] == 'p' ? add_plugin(key, name) : add_model(key, library, line[0] == 'd', name)))
            return false;
        line += length + 1;
    }
    return true;
}

static int build_key(void *user)
{
    struct key *key = user;
    struct sms__coordinates coordinates;
    sms__point_coordinates(key->context->plan, key->point, &coordinates);
    SHA256Init(&key->sha);
    add_text(&key->sha, SMSCHED_VERSION);
    add_text(&key->sha, sms__sources());
    const unsigned keep = key->context->plan->keep;
    add_bytes(&key->sha, (unsigned char[]){(unsigned char)keep, (unsigned char)(keep >> 8)}, 2);
    add_scenario(key, &coordinates);
    add_changes(key, &coordinates);
    add_opened(key, key->context->library[coordinates.base - key->context->plan->base]);
    SHA2_CTX before_models = key->sha;
    SHA256Final(key->name, &before_models);
    return !key->models || add_models(key, &coordinates) ? SMS_OK : SMS_EINPUT;
}

bool sms__point_key(struct sms__worker_context *context, uint64_t point, const char *models, uint64_t *name,
                    unsigned char key[SMS__KEY_BYTES])
{
    struct key build = {.context = context, .point = point, .models = models};
    int code = sms__guard(&build.arena, build_key, &build);
    sms__arena_release(&build.arena);
    if (code == SMS_OK && name)
        memcpy(name, build.name, sizeof *name);
    if (code == SMS_OK && models)
        SHA256Final(key, &build.sha);
    return code == SMS_OK;
}
