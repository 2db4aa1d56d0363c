/* Prints a packing: what fits, the bound, one table GPU by GPU, and what does not fit and why. */
#include "pack.h"

const char *sms__pack_why(struct sms__arena *arena, const struct sms__pack *pack, size_t p)
{
    const char *text = "", *before = "";
    for (size_t k = 0; k < pack->kinds; k++, before = "; ") {
        const struct sms__group *alone = sms__pack_alone(pack, k, p);
        text = sms__print(arena, "%s%son %s %s", text, before, pack->kind[k].name,
                          alone->works ? "it runs alone, but all GPUs are taken" : alone->why);
    }
    return text;
}

static void put_kinds(const struct sms__pack *pack, const uint64_t *gpus, FILE *to)
{
    const char *before = "";
    for (size_t k = 0; k < pack->kinds; k++) {
        const uint64_t count = gpus ? gpus[k] : pack->kind[k].gpus;
        if (!count)
            continue;
        fprintf(to, "%s%llu %s", before, (unsigned long long)count, pack->kind[k].name);
        before = ", ";
    }
}

static void print_answer(const struct sms__pack *pack, FILE *to)
{
    fprintf(to, "%llu program%s on ", (unsigned long long)pack->copies, pack->copies == 1 ? "" : "s");
    put_kinds(pack, NULL, to);
    if (pack->all_placed == pack->copies)
        fprintf(to, ": all fit, on %zu", pack->gpus);
    else
        fprintf(to, ": %llu fit", (unsigned long long)pack->all_placed);
    fprintf(to, "; their jobs would keep %.2f dedicated GPUs busy, each of the kind that suits its program best\n",
            pack->worth);
    fprintf(to, "  bound: no packing exceeds %.2f", pack->bound);
    if (pack->all_placed < pack->copies)
        fprintf(to, ", or places more than %llu", (unsigned long long)pack->bound_placed);
    fprintf(to, ", given memory, the demands of kernels, and what pairs achieve; the gap is %.1f %%\n",
            pack->bound > 0 ? 100 * (1 - pack->worth / pack->bound) : 0);
    if (pack->gpus) {
        fprintf(to, "  fewest GPUs for as many programs: %llu (", (unsigned long long)pack->fewest);
        put_kinds(pack, pack->fewest_of, to);
        fprintf(to, "); at least %llu %s needed\n", (unsigned long long)pack->least_gpus,
                pack->least_gpus == 1 ? "is" : "are");
    }
}

static void print_tried(const struct sms__pack *pack, FILE *to)
{
    fprintf(to, "  tried: %zu group%s, %zu in full runs, from which the best were picked", pack->groups,
            pack->groups == 1 ? "" : "s", pack->wholes);
    if (pack->open)
        fputs("; groups that may be better were left out", to);
    if (pack->pairs)
        fprintf(to, "; pairs on one GPU: %zu", pack->pairs);
    if (pack->pairs && pack->apart)
        fprintf(to, ", %zu with a program that needs a GPU to itself", pack->apart);
    if (pack->pairs && pack->no_memory)
        fprintf(to, ", %zu without enough memory", pack->no_memory);
    if (pack->pairs && pack->too_much)
        fprintf(to, ", %zu with more load than it can do", pack->too_much);
    fputs("\n", to);
}

static void print_table(const struct sms__pack *pack, const struct sms__screen *screen)
{
    struct sms__columns columns = {0};
    char label[400];
    for (size_t i = 0; i < pack->gpus; i++)
        sms__columns_widen(&columns, &pack->gpu[i].group->advice, pack->gpu[i].group->best);
    struct sms__table_out *table = sms__columns_begin(&columns, "GPU");
    for (size_t i = 0; i < pack->gpus; i++) {
        const struct sms__group *group = pack->gpu[i].group;
        snprintf(label, sizeof label, "%s: %s", pack->gpu[i].name, group->best->way->label);
        sms__columns_add(&columns, table, &group->advice, group->best, label);
    }
    sms__table_print(table, screen);
}

/* GPUs with the same programs have the same notes. */
static void print_notes(const struct sms__pack *pack, struct sms__trust *trust, FILE *to)
{
    for (size_t i = 0; i < pack->gpus; i++) {
        const struct sms__group *group = pack->gpu[i].group;
        if (group->size < 2 || (i && pack->gpu[i - 1].group == group))
            continue;
        fprintf(to, "\n%s\n", pack->gpu[i].name);
        sms__advice_print_notes(&group->advice, trust, to);
    }
}

void sms__pack_print(const struct sms__pack *pack, struct sms__arena *arena, struct sms__trust *trust,
                     const struct sms__screen *screen)
{
    FILE *to = screen->to;
    print_answer(pack, to);
    print_tried(pack, to);
    sms__print_ignored(pack->programs, to);
    for (size_t p = 0; p < pack->programs->count; p++) {
        const struct sms__program *program = &pack->programs->program[p];
        if (pack->placed[p] < program->least)
            fprintf(to, "  does not fit: %s, %llu of %llu: %s\n", program->name,
                    (unsigned long long)(program->least - pack->placed[p]), (unsigned long long)program->least,
                    sms__pack_why(arena, pack, p));
    }
    if (!pack->gpus)
        return;
    fputs("\n", to);
    print_table(pack, screen);
    fprintf(to, "\n  work: how many dedicated GPUs of this kind, each running one program, would do the same work%s\n",
            sms__has_loads(pack->programs)
                ? "; a program that keeps up with its requests counts as one here, and by the time of its jobs above"
                : "");
    sms__print_slowdown(pack->programs, to);
    sms__print_loads(pack->programs, to);
    print_notes(pack, trust, to);
}
