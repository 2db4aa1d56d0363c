#include "sweep.h"
#include "../base/sources.h"
#include "../model/file.h"

#include <stdio.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

struct hash {
    const struct sms__node *node; /* NULL: not yet known */
    unsigned char of[SMS__KEY_BYTES];
};

/* Of documents, each hashed once. */
struct sms__hashes {
    struct hash *model;
    size_t models;
    struct hash scenario[]; /* by number in the plan */
};

struct sms__hashes *sms__hashes_new(size_t scenarios)
{
    return calloc(1, sizeof(struct sms__hashes) + scenarios * sizeof(struct hash));
}

void sms__hashes_free(struct sms__hashes *hashes)
{
    if (hashes)
        free(hashes->model);
    free(hashes);
}

/* With its length, so that no two sequences of texts are one. */
static void add(SHA2_CTX *context, const void *bytes, size_t size)
{
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)size >> 8 * i);
    SHA256Update(context, length, sizeof length);
    SHA256Update(context, bytes, size);
}

static void add_text(SHA2_CTX *context, const char *text) { add(context, text, strlen(text)); }

static void hash_document(struct sms__arena *arena, const struct sms__node *node, struct hash *hash)
{
    SHA2_CTX context;
    SHA256Init(&context);
    add_text(&context, sms__node_flow(arena, node));
    SHA256Final(hash->of, &context);
    hash->node = node;
}

struct key {
    struct sms__reach *reach;
    struct sms__arena arena;
    uint64_t point;
    const char *models;
    SHA2_CTX context;
};

static const struct hash *model_hash(struct key *key, const struct sms__node *node)
{
    struct sms__hashes *hashes = key->reach->hashes;
    for (size_t i = 0; i < hashes->models; i++)
        if (hashes->model[i].node == node)
            return &hashes->model[i];
    struct hash *grown = realloc(hashes->model, (hashes->models + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    hashes->model = grown;
    hash_document(&key->arena, node, &grown[hashes->models]);
    return &grown[hashes->models++];
}

static void add_changes(struct key *key, const struct sms__place *place)
{
    const struct sms__plan *plan = key->reach->plan;
    for (int i = 0; i < SMS__FIXED; i++)
        add_text(&key->context, plan->fixed[i] ? sms__node_flow(&key->arena, plan->fixed[i]) : "");
    for (size_t i = 0; i < plan->axes; i++)
        for (size_t c = 0; c < plan->axis[i].columns; c++) {
            const struct sms__node *value = sms__column_value(&key->arena, plan, &plan->axis[i], place->position[i], c);
            add_text(&key->context, plan->column[plan->axis[i].first + c].path->text);
            add_text(&key->context, sms__node_flow(&key->arena, value));
        }
}

static void add_scenario(struct key *key, const struct sms__place *place)
{
    const struct sms__node *node = place->base->scenario[place->scenario];
    struct hash *hash = &key->reach->hashes->scenario[place->scenario];
    for (const struct sms__base *base = key->reach->plan->base; base < place->base; base++)
        hash += base->scenarios;
    if (!hash->node) {
        hash_document(&key->arena, sms__node_without(&key->arena, node, "expect"), hash);
        hash->node = node;
    }
    add(&key->context, hash->of, sizeof hash->of);
}

/* "d NAME" or "w NAME" a line. */
static bool add_models(struct key *key, const struct sms__place *place)
{
    struct sms_file *library = key->reach->library[place->base - key->reach->plan->base];
    const char *line = key->models;
    while (*line) {
        size_t length = strcspn(line, "\n");
        if (length < 3 || line[length] != '\n')
            return false;
        const char *name = sms__copy(&key->arena, line + 2, length - 2);
        const struct sms__node *node = sms__library_document(library, key->reach->plan->options, line[0] == 'd', name);
        const struct hash *hash = node ? model_hash(key, node) : NULL;
        if (!hash)
            return false;
        add(&key->context, line, length);
        add(&key->context, hash->of, sizeof hash->of);
        line += length + 1;
    }
    return true;
}

static int make_key(void *user)
{
    struct key *key = user;
    struct sms__place place;
    sms__point_place(key->reach->plan, key->point, &place);
    SHA256Init(&key->context);
    add_text(&key->context, SMSCHED_VERSION);
    add_text(&key->context, sms__sources());
    const unsigned keep = key->reach->plan->keep;
    add(&key->context, (unsigned char[]){(unsigned char)keep, (unsigned char)(keep >> 8)}, 2);
    add_scenario(key, &place);
    add_changes(key, &place);
    return add_models(key, &place) ? SMS_OK : SMS_EINPUT;
}

bool sms__point_key(struct sms__reach *reach, uint64_t point, const char *models, unsigned char key[SMS__KEY_BYTES])
{
    struct key making = {.reach = reach, .point = point, .models = models};
    int code = sms__guard(&making.arena, make_key, &making);
    sms__arena_release(&making.arena);
    if (code == SMS_OK)
        SHA256Final(key, &making.context);
    return code == SMS_OK;
}

char *sms__point_models(const struct sms_file *file)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < file->devices; i++)
        size += strlen(file->device[i]->name) + 3;
    for (size_t i = 0; i < file->workloads; i++)
        size += strlen(file->workload[i]->name) + 3;
    char *models = malloc(size);
    if (!models)
        return NULL;
    models[0] = '\0';
    for (size_t i = 0; i < file->devices; i++)
        used += (size_t)snprintf(models + used, size - used, "d %s\n", file->device[i]->name);
    for (size_t i = 0; i < file->workloads; i++)
        used += (size_t)snprintf(models + used, size - used, "w %s\n", file->workload[i]->name);
    return models;
}
