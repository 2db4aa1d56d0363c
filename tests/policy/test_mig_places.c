/* Place policies of MIG instances by hand, and ParvaGPU's published deployments (SC 2024). The planner that makes a
 * service's segments is ParvaGPU's own (src/configurator.c, and the second pass of allocator.c); where each goes, the
 * policy says. Rows must agree in all but the place, and in the place too on GPUs where no published rows overlap.
 * Reads cluster/parvagpu_*.csv and share/parvagpu_a100_mig_mps.csv from $SMSCHED_DATA, by default ../shared/data; that
 * test is skipped without them. */
#include "placing_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct sms_place_policy sms_place_policy_edge, sms_place_policy_parvagpu;

/* A node of such GPUs, whose layouts change freely. */
struct split_node {
    struct sms_node_view view;
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_layout layout[SMS_NODE_GPUS_MAX];
};

static void make_split(struct split_node *node, uint32_t gpus)
{
    *node = (struct split_node){.view = {.model = 0, .gpus = gpus, .mig = &a100}};
    node->view.gpu = node->gpu;
    node->view.layout = node->layout;
    for (uint32_t i = 0; i < gpus; i++) {
        node->layout[i] = (struct sms_layout){.split = true, .changes = SMS_LAYOUT_FREE};
        node->gpu[i] =
            (struct sms_gpu_view){.milli_left = 1000, .profiles = sms_layout_profiles(&a100, &node->layout[i])};
    }
}

static void change(struct split_node *node, uint32_t gpu, uint32_t profile, int by)
{
    node->gpu[gpu].milli_left -= (uint32_t)by * a100.profile[profile].slices * 125;
    node->gpu[gpu].profiles = sms_layout_profiles(&a100, &node->layout[gpu]);
}

/* Puts a pod where the policy wants it. Returns 10 x GPU + slice, or -1: it wants it nowhere. */
static int put(const struct sms_place_policy *policy, struct split_node *node, uint32_t profile)
{
    struct sms_pod_view pod = {.gpus = 1, .profile = profile, .models = UINT64_MAX};
    uint8_t chosen[SMS_NODE_GPUS_MAX] = {0};
    uint32_t gpu = 0;
    if (!sms_node_fits(&node->view, &pod) || isinf(policy->score(NULL, &node->view, &pod, chosen)))
        return -1;
    while (!chosen[gpu])
        gpu++;
    uint32_t slice = chosen[gpu] - (uint32_t)SMS_SLICE;
    assert_true(sms_layout_starts(&a100, &node->layout[gpu], profile) >> slice & 1);
    sms_layout_take(&a100, &node->layout[gpu], profile, slice);
    change(node, gpu, profile, 1);
    return (int)(10 * gpu + slice);
}

/* Four 1g go to slices 6 to 3. The 3g at slice 4 is no longer to be had, so it goes to the second GPU, and so does the
 * 4g; slice 0 of the first takes a 2g, since 2 is free as well and the later goes first. */
static void edge_packs_from_the_last_slice_of_the_fullest_gpu(void **state)
{
    struct split_node node;
    (void)state;
    make_split(&node, 2);
    for (int i = 0; i < 4; i++)
        assert_int_equal(put(&sms_place_policy_edge, &node, 1), 6 - i);
    assert_int_equal(put(&sms_place_policy_edge, &node, 3), 14);
    assert_int_equal(put(&sms_place_policy_edge, &node, 4), 10);
    assert_int_equal(put(&sms_place_policy_edge, &node, 2), 0);
    assert_int_equal(put(&sms_place_policy_edge, &node, 1), 2);
    assert_int_equal(put(&sms_place_policy_edge, &node, 3), -1);
}

/* 4g + 3g leave nothing of seven compute slices; a 3g has no other place than slice 4; 2g begin at 0, then at 4; of two
 * GPUs with three and five slices in use, the 2g goes to the one with five. */
static void parvagpu_leaves_the_fewest_compute_slices(void **state)
{
    struct split_node node;
    (void)state;
    make_split(&node, 4);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 4), 0);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 3), 4);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 3), 14);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 3), 24);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 2), 10);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 2), 12);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 1), 20);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 7), 30);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 1), 21);
}

/* 1g.10gb has two slices of memory and one of compute, so three of them and a 2g take five of seven. */
static void parvagpu_counts_slices_of_compute(void **state)
{
    struct split_node node;
    (void)state;
    make_split(&node, 1);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 5), 0);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 5), 6);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 5), 4);
    assert_int_equal(put(&sms_place_policy_parvagpu, &node, 2), 2);
}

/* ---- the planner ---- */

enum { MODELS = 11, SIZES = 5, BATCHES = 9, PROCESSES = 5, GPUS = 16, SLOTS = 7, ROWS = 100 };

static const int size_at[SIZES] = {1, 2, 3, 4, 7};

struct point {
    int size, batch, processes;
    float rate, latency_ms;
};

struct service {
    char name[32];
    struct point profile[SIZES][BATCHES][PROCESSES];
    float wanted, slo_ms;
    const struct point *optimal, *last, *of_size[SIZES];
    int optimals;
};

struct row {
    int slo, gpu, place, size, batch, processes;
    char model[32];
};

struct plan {
    struct service service[MODELS];
    int services;
    struct split_node node;
    int held[GPUS][SLOTS], size[GPUS][SLOTS]; /* 1 + the service of the instance that begins there */
    int queue[SIZES][ROWS], queued[SIZES], taken[SIZES];
};

static FILE *open_data(const char *name)
{
    const char *data = getenv("SMSCHED_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", data ? data : SOURCE_DIR "/../shared/data", name);
    return fopen(path, "r");
}

static struct service *service_of(struct plan *plan, const char *name)
{
    int i = 0;
    while (i < plan->services && strcmp(plan->service[i].name, name) != 0)
        i++;
    if (i == plan->services) {
        assert_true(i < MODELS);
        snprintf(plan->service[plan->services++].name, sizeof plan->service[i].name, "%s", name);
    }
    return &plan->service[i];
}

static void read_profiles(struct plan *plan, FILE *from)
{
    char line[256], name[32];
    int size, batch, processes;
    float rate, latency;
    while (fgets(line, sizeof line, from)) {
        if (sscanf(line, "%31[^,],%d,%d,%d,%f,%f", name, &size, &batch, &processes, &rate, &latency) != 6)
            continue;
        int at = size == 7 ? 4 : size - 1, log = 0;
        while (1 << log < batch)
            log++;
        service_of(plan, name)->profile[at][log][processes - 1] =
            (struct point){size, batch, processes, rate * (float)processes, latency * 1000};
    }
    fclose(from);
}

static void read_services(struct plan *plan, FILE *from, int wanted)
{
    char line[256], name[32];
    int slo;
    float rate, latency;
    while (fgets(line, sizeof line, from))
        if (sscanf(line, "%d,%31[^,],%f,%f", &slo, name, &rate, &latency) == 4 && slo == wanted) {
            service_of(plan, name)->wanted = rate;
            service_of(plan, name)->slo_ms = floorf(latency);
        }
    fclose(from);
}

/* The point with the highest rate for each slice, and that of each size. */
static void choose_points(struct service *service)
{
    float best = 0, of_size[SIZES] = {0};
    for (int i = 0; i < SIZES * BATCHES * PROCESSES; i++) {
        int s = i / (BATCHES * PROCESSES);
        const struct point *point = &service->profile[s][i / PROCESSES % BATCHES][i % PROCESSES];
        float each = point->rate / (float)size_at[s];
        if (!(point->latency_ms < service->slo_ms / 2 * 0.9))
            continue;
        if (each > best) {
            best = each;
            service->optimal = point;
        }
        if (each > of_size[s]) {
            of_size[s] = each;
            service->of_size[s] = point;
        }
    }
    service->optimals = (int)floorf(service->wanted / service->optimal->rate);
    service->optimals -= fmodf(service->wanted, service->optimal->rate) == 0;
    float rest = service->wanted - service->optimal->rate * (float)service->optimals;
    for (int s = 0; s < SIZES && !service->last; s++)
        if (service->of_size[s] && rest <= service->of_size[s]->rate)
            service->last = service->of_size[s];
}

static void enqueue(struct plan *plan, int service, int size)
{
    int s = size == 7 ? 4 : size - 1;
    plan->queue[s][plan->queued[s]++] = service;
}

/* Places as many segments, the largest first. */
static void dequeue(struct plan *plan, int count)
{
    for (int s = SIZES - 1; s >= 0; s--)
        while (count > 0 && plan->taken[s] < plan->queued[s]) {
            int service = plan->queue[s][plan->taken[s]++];
            int at = put(&sms_place_policy_parvagpu, &plan->node, (uint32_t)size_at[s]);
            assert_true(at >= 0);
            plan->held[at / 10][at % 10] = service + 1;
            plan->size[at / 10][at % 10] = size_at[s];
            count--;
        }
}

static int used(const struct plan *plan, int gpu)
{
    int sum = 0;
    for (int j = 0; j < SLOTS; j++)
        sum += plan->held[gpu][j] ? plan->size[gpu][j] : 0;
    return sum;
}

/* Splits `rate` into segments of two slices and of one. Returns how many. */
static int split_rate(struct plan *plan, int i, float *rate)
{
    const struct service *service = &plan->service[i];
    const struct point *one = service->of_size[0], *two = service->of_size[1];
    int ones = 0, twos = 0;
    if (two && (!one || two->rate / 2 > one->rate))
        twos = (int)(one ? floorf(*rate / two->rate) : ceilf(*rate / two->rate));
    *rate -= two ? (float)twos * two->rate : 0;
    if (one)
        ones = (int)ceilf(*rate / one->rate);
    ones = ones > 0 ? ones : 0;
    *rate -= one ? (float)ones * one->rate : 0;
    for (int k = 0; k < twos; k++)
        enqueue(plan, i, 2);
    for (int k = 0; k < ones; k++)
        enqueue(plan, i, 1);
    return ones + twos;
}

/* The second pass: what is on GPUs with four slices in use or fewer is split and placed again. */
static void place_again(struct plan *plan)
{
    float rate[MODELS] = {0};
    for (int gpu = GPUS - 1; gpu >= 0; gpu--)
        for (int j = 0, few = used(plan, gpu) <= 4; j < SLOTS && few; j++) {
            int i = plan->held[gpu][j] - 1, size = plan->size[gpu][j];
            if (i < 0)
                continue;
            const struct service *service = &plan->service[i];
            rate[i] += size == service->optimal->size ? service->optimal->rate : service->last->rate;
            plan->held[gpu][j] = 0;
            sms_layout_give(&plan->node.layout[gpu], (uint32_t)j);
            change(&plan->node, (uint32_t)gpu, (uint32_t)size, -1);
            dequeue(plan, split_rate(plan, i, &rate[i]));
        }
}

static void make_plan(struct plan *plan)
{
    int segments = 0;
    make_split(&plan->node, GPUS);
    for (int i = 0; i < plan->services; i++) {
        struct service *service = &plan->service[i];
        if (service->wanted <= 0)
            continue;
        choose_points(service);
        for (int k = 0; k < service->optimals; k++, segments++)
            enqueue(plan, i, service->optimal->size);
        enqueue(plan, i, service->last->size);
        segments++;
    }
    dequeue(plan, segments);
    place_again(plan);
}

/* The point that an instance of the service runs at. */
static const struct point *point_of(const struct service *service, int size)
{
    if (size == service->optimal->size)
        return service->optimal;
    return size == service->last->size ? service->last : service->of_size[size == 7 ? 4 : size - 1];
}

static int read_rows(int slo, struct row *row)
{
    FILE *from = open_data("cluster/parvagpu_deployment_1_to_4.csv");
    char line[256];
    int rows = 0, node;
    while (from && fgets(line, sizeof line, from)) {
        struct row *r = &row[rows];
        rows += sscanf(line, "%d,%d,%d,%31[^,],%d,%d,%d,%d", &r->slo, &node, &r->gpu, r->model, &r->place, &r->size,
                       &r->batch, &r->processes) == 8 &&
                r->slo == slo;
    }
    if (from)
        fclose(from);
    return rows;
}

/* Whether a published instance on the GPU begins inside another: one of 3g takes slices 4 to 7, so none begins at 6. */
static bool overlap_on(const struct row *row, int rows, int gpu)
{
    bool any = false;
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < rows; b++)
            any |= row[a].gpu == gpu && row[b].gpu == gpu && row[b].place > row[a].place &&
                   row[b].place < row[a].place + (int)a100.profile[row[a].size].slices;
    return any;
}

static void check_slo(int slo, int gpus)
{
    struct plan *plan = calloc(1, sizeof *plan);
    struct row row[ROWS];
    int rows = read_rows(slo, row), found = 0, moved = 0, instances = 0, in_use = 0;
    read_profiles(plan, open_data("share/parvagpu_a100_mig_mps.csv"));
    read_services(plan, open_data("cluster/parvagpu_slo_1_to_4.csv"), slo);
    make_plan(plan);
    for (int g = 0; g < GPUS; g++) {
        in_use += used(plan, g) > 0;
        for (int j = 0; j < SLOTS; j++)
            instances += plan->held[g][j] > 0;
    }
    bool had[GPUS][SLOTS] = {0};
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < SLOTS; j++) {
            int i = plan->held[row[r].gpu][j] - 1, size = plan->size[row[r].gpu][j];
            bool place = j == row[r].place || overlap_on(row, rows, row[r].gpu);
            if (i < 0 || had[row[r].gpu][j] || !place || size != row[r].size ||
                strcmp(plan->service[i].name, row[r].model) != 0)
                continue;
            const struct point *point = point_of(&plan->service[i], size);
            had[row[r].gpu][j] = true;
            found += point->batch == row[r].batch && point->processes == row[r].processes;
            moved += j != row[r].place;
            break;
        }
    print_message("SLO %d: %d GPUs, %d of %d rows, %d of them at another place, as published ones overlap\n", slo,
                  in_use, found, rows, moved);
    assert_int_equal(in_use, gpus);
    assert_int_equal(instances, rows);
    assert_int_equal(found, rows);
    free(plan);
}

static void parvagpu_deploys_as_published(void **state)
{
    static const int gpus[] = {2, 3, 5, 7};
    (void)state;
    FILE *there = open_data("cluster/parvagpu_deployment_1_to_4.csv");
    if (!there)
        skip();
    fclose(there);
    for (int slo = 1; slo <= 4; slo++)
        check_slo(slo, gpus[slo - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_packs_from_the_last_slice_of_the_fullest_gpu),
        cmocka_unit_test(parvagpu_leaves_the_fewest_compute_slices),
        cmocka_unit_test(parvagpu_counts_slices_of_compute),
        cmocka_unit_test(parvagpu_deploys_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
