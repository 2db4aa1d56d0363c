/* Writes the cluster trace of 2023 as a scenario of nodes and pods. */
#include "openb.h"

#include <string.h>

/* Thousandths as a decimal number without trailing zeros: 6, 11.908, 46.5. */
static void print_milli(uint64_t milli, FILE *to)
{
    char text[32];
    snprintf(text, sizeof text, "%llu.%03llu", (unsigned long long)milli / 1000, (unsigned long long)milli % 1000);
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    fprintf(to, "%.*s", (int)length, text);
}

/* An empty cell. */
static void print_none(FILE *to) { fputs(", ~", to); }

static void write_resources(const struct sms__openb_resources *resources, FILE *to)
{
    fprintf(to, "        - [%s, ", resources->name);
    print_milli(resources->cpu_milli, to);
    fprintf(to, ", %llu MiB, %llu", (unsigned long long)resources->memory_mib, (unsigned long long)resources->gpus);
}

static void write_node(const struct sms__openb_node *node, FILE *to)
{
    write_resources(&node->capacity, to);
    if (node->model)
        fprintf(to, ", %s, %llu MiB", node->model->name, (unsigned long long)node->model->mib);
    else
        fputs(", ~, ~", to);
    fputs("]\n", to);
}

static void write_models(uint32_t models, FILE *to)
{
    const char *between = ", [";
    if (!models) {
        print_none(to);
        return;
    }
    for (size_t m = 0; m < SMS__OPENB_MODELS; m++) {
        if (!(models >> m & 1))
            continue;
        fprintf(to, "%s%s", between, sms__openb_models[m].name);
        between = ", ";
    }
    fputs("]", to);
}

/* The optional columns that the list of pods fills. */
struct given_columns {
    bool models, start, duration;
    uint64_t first_s;
};

static struct given_columns find_given(const struct sms__openb *openb, bool inflated)
{
    struct given_columns given = {.start = openb->times && !inflated, .duration = openb->ends && !inflated};
    given.first_s = UINT64_MAX;
    for (size_t p = 0; p < openb->pods; p++) {
        given.models |= openb->pod[p].models != 0;
        given.first_s = openb->pod[p].created_s < given.first_s ? openb->pod[p].created_s : given.first_s;
    }
    return given;
}

static void write_pod(const struct sms__openb_pod *pod, const struct given_columns *given, FILE *to)
{
    write_resources(&pod->request, to);
    if (pod->request.gpus) {
        fputs(", ", to);
        print_milli(100 * pod->gpu_milli, to); /* a thousandth is a tenth of a percent */
        fputs(" %", to);
    } else {
        print_none(to);
    }
    if (given->models)
        write_models(pod->models, to);
    if (given->start)
        fprintf(to, ", %llu s", (unsigned long long)(pod->created_s - given->first_s));
    if (given->duration && pod->deleted_s > pod->created_s)
        fprintf(to, ", %llu s", (unsigned long long)(pod->deleted_s - pod->created_s));
    else if (given->duration && pod->deleted)
        fputs(", 0.5 s", to); /* it was created and deleted within a second */
    else if (given->duration)
        print_none(to);
    fputs("]\n", to);
}

static void write_nodes(const struct sms__openb *openb, FILE *to)
{
    fputs("nodes:\n  - table:\n      columns: [name, cpu, memory, gpus, model, gpu_memory]\n      rows:\n", to);
    for (size_t n = 0; n < openb->nodes; n++)
        write_node(&openb->node[n], to);
}

static void write_pods(const struct sms__openb *openb, double inflate, FILE *to)
{
    const struct given_columns given = find_given(openb, inflate > 0);
    fputs("pods:\n", to);
    if (inflate > 0)
        fprintf(to, "  - {sample: trace, until: %.10g %%}\n  - name: trace\n    table:\n", 100 * inflate);
    else
        fputs("  - table:\n", to);
    fprintf(to, "      columns: [name, cpu, memory, gpus, gpu%s%s%s]\n      rows:\n", given.models ? ", models" : "",
            given.start ? ", start" : "", given.duration ? ", duration" : "");
    for (size_t p = 0; p < openb->pods; p++)
        write_pod(&openb->pod[p], &given, to);
}

int sms__import_openb(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                      const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct sms__openb openb = {0};
    const char *name = options->name ? options->name : sms__import_name(arena, paths[1]);
    (void)n_paths; /* two, as its importer says */
    int code = sms__openb_read(arena, paths[0], paths[1], &openb, errors);
    if (code || errors->count)
        return code ? code : SMS_EINPUT;
    fprintf(to, "# A cluster and its pods, written by 'smsched import openb'.\nscenario: %s\n", name);
    fputs("question: Which policy allocates most of the cluster's GPUs before it is full?\n", to);
    write_nodes(&openb, to);
    fputs("policies: [random, first_fit, dot_product, gpu_clustering, gpu_packing, best_fit, fgd,\n"
          "           {fgd: {order: exact}}]\n",
          to);
    write_pods(&openb, options->inflate, to);
    fprintf(to, "run: {seed: 1, replications: %d}\n", options->inflate > 0 ? 10 : 1);
    return SMS_OK;
}
