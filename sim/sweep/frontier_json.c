/* The answers of a search as JSON, for programs that act on them. */
#include "frontier.h"

#include "../report/json_write.h"

#include <stdlib.h>

struct writing {
    const struct sms__search *search;
    struct sms__arena *arena;
    json_t *object, *answers;
};

static bool add_answer(void *user, const struct sms__search_row *row)
{
    const struct writing *writing = user;
    const struct sms__plan *plan = writing->search->plan;
    const char *const *names = sms__search_names(plan);
    json_t *answer = json_object(), *at = sms__json_keep(answer, "at", json_object());
    json_object_set_new(answer, "scenario", sms__json_text(row->coordinates->base->name[row->coordinates->scenario]));
    for (size_t c = 0; c < sms__search_columns(plan); c++)
        json_object_set_new(at, plan->column[c].path->text,
                            sms__json_text(sms__point_text(writing->arena, plan, row->coordinates, c)));
    json_object_set_new(answer, "policy", sms__json_text(row->found->policy));
    for (int i = 0; i < 2; i++)
        json_object_set_new(answer, names[i],
                            !*row->value[i]                       ? json_null()
                            : plan->search.find == SMS__FIND_BEST ? json_real(strtod(row->value[i], NULL))
                                                                  : sms__json_text(row->value[i]));
    json_object_set_new(answer, "state", json_string(row->state));
    json_object_set_new(answer, "remark", sms__json_text(row->remark));
    json_object_set_new(answer, "points", json_integer((json_int_t)row->found->points));
    json_object_set_new(answer, "replications", json_integer((json_int_t)row->found->replications));
    return json_array_append_new(writing->answers, answer) == 0;
}

static int add_all(void *user)
{
    struct writing *writing = user;
    json_object_set_new(writing->object, "asks",
                        sms__json_text(sms__search_says(writing->arena, writing->search->plan)));
    return sms__search_rows(writing->search, writing->arena, add_answer, writing) ? SMS_OK : SMS_ENOMEM;
}

json_t *sms__search_json(const struct sms__search *search)
{
    struct sms__arena arena = {0};
    json_t *object = json_object(), *answers = json_array();
    struct writing writing = {search, &arena, object, answers};
    const int code = sms__guard(&arena, add_all, &writing);
    sms__arena_release(&arena);
    json_object_set_new(object, "answers", answers);
    if (code == SMS_OK)
        return object;
    json_decref(object);
    return NULL;
}
