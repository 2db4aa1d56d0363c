/* A packing as JSON, for schedulers and scripts. */
#include "pack.h"

#include "../report/json_write.h"

static json_t *gpu_of(const struct sms__pack *pack, const struct sms__packed *gpu)
{
    const struct sms__advice *advice = &gpu->group->advice;
    json_t *object = sms__outlook_json(advice, (size_t)(gpu->group->best - advice->outlook));
    json_object_del(object, "rank");
    json_object_set_new(object, "gpu", sms__json_text(gpu->name));
    json_object_set_new(object, "device", sms__json_text(pack->kind[gpu->group->kind].name));
    json_object_set_new(object, "draws", json_integer((json_int_t)advice->draws));
    json_object_set_new(object, "held", json_integer((json_int_t)advice->held));
    if (advice->decides)
        json_object_set_new(object, "decides", sms__json_text(advice->decides));
    return object;
}

static json_t *ignored_of(const struct sms__pack *pack)
{
    struct sms__buffer text = {0};
    FILE *to = sms__buffer_open(&text);
    if (to)
        sms__print_ignored(pack->programs, to);
    return sms__lines_json(&text, to);
}

json_t *sms__pack_json(const struct sms__pack *pack, struct sms__arena *arena)
{
    json_t *gpus = json_array(), *unplaced = json_array(), *fewest = json_object();
    for (size_t i = 0; i < pack->gpus; i++)
        json_array_append_new(gpus, gpu_of(pack, &pack->gpu[i]));
    for (size_t p = 0; p < pack->programs->count; p++) {
        const struct sms__program *program = &pack->programs->program[p];
        if (pack->placed[p] < program->least)
            json_array_append_new(unplaced, json_pack("{so sI so}", "program", sms__json_text(program->name), "copies",
                                                      (json_int_t)(program->least - pack->placed[p]), "why",
                                                      sms__json_text(sms__pack_why(arena, pack, p))));
    }
    for (size_t k = 0; k < pack->kinds; k++)
        json_object_set_new(fewest, pack->kind[k].name, json_integer((json_int_t)pack->fewest_of[k]));
    return json_pack("{sI sI so so sI sI so sI sI sI sb so so so}", "copies", (json_int_t)pack->copies, "placed",
                     (json_int_t)pack->all_placed, "work_ratio", sms__json_number(pack->worth), "bound_work_ratio",
                     sms__json_number(pack->bound), "bound_placed", (json_int_t)pack->bound_placed, "fewest_gpus",
                     (json_int_t)pack->fewest, "fewest_by_device", fewest, "bound_fewest_gpus",
                     (json_int_t)pack->least_gpus, "groups", (json_int_t)pack->groups, "whole_groups",
                     (json_int_t)pack->wholes, "groups_left", (int)pack->open, "gpus", gpus, "unplaced", unplaced,
                     "ignored", ignored_of(pack));
}
