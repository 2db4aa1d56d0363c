/* The task monitor by hand: Algorithm 1 and the worker's side of Algorithm 2 of Kang 2022, in seconds. */
#include "tests/harness.h"

#include "sim/guests/realtime/monitor.h"
#include "sim/guests/realtime/observations.h"

#define S UINT64_C(1000000000000) /* a second, in ps */
#define MS UINT64_C(1000000000)

enum { NODES = 3, CONTAINERS = 8 };

/* A monitor that sees beginnings 0.2 s late and ends 0.3 s late. */
static const struct sms__monitor_rules fixed = {.model = SMS__MONITOR_CALIBRATED,
                                                .start_least_ps = 0.2 * S,
                                                .start_most_ps = 0.2 * S,
                                                .end_least_ps = 0.3 * S,
                                                .end_most_ps = 0.3 * S,
                                                .full = 1};

/* Sees all at once. */
static const struct sms__monitor_rules prompt = {.model = SMS__MONITOR_CALIBRATED, .full = 1};

static const struct sms__monitor_rules cycle = {
    .model = SMS__MONITOR_CYCLE, .query_ps = 60.0 * MS, .list_ps = 20.0 * MS, .top_ps = 12.0 * MS, .full = 1};

static const struct sms__node_use idle = {0, 24, 0};

struct setting {
    struct sms__arena arena;
    struct sms__monitor_rules rules;
    struct sms__monitor_record record;
    struct sms__monitor *monitor;
    void (*body)(struct setting *);
};

static int enter(void *user)
{
    struct setting *s = user;
    struct sms__histogram *const histograms[] = {&s->record.actual.late, &s->record.actual.early,
                                                 &s->record.observed.late, &s->record.observed.early};
    for (size_t i = 0; i < 4; i++)
        sms__histogram_init(histograms[i], &s->arena);
    s->monitor = sms__monitor_new(&s->arena, &s->rules, NODES, CONTAINERS, 1, &s->record);
    s->body(s);
    return SMS_OK;
}

static void with(const struct sms__monitor_rules *rules, void (*body)(struct setting *))
{
    struct setting s = {.rules = *rules, .body = body};
    assert_int_equal(sms__guard(&s.arena, enter, &s), SMS_OK);
    sms__arena_release(&s.arena);
}

/* The container on its node, once the node has observed all up to now; or NULL. */
static struct sms__monitored_pod *find(struct setting *s, size_t container, uint64_t now)
{
    struct sms__monitored_pod *pod = s->monitor->pod[container];
    if (pod)
        sms__monitor_catch_up(s->monitor, pod->node, now);
    return pod;
}

/* The record of a container's task that runs, or of its latest that ended. False: the monitor has none. */
static bool has_running(struct setting *s, size_t container, uint64_t number, uint64_t now, struct sms__task_info *info)
{
    struct sms__monitored_pod *pod = find(s, container, now);
    const struct sms__task *task = pod ? *sms__tasks_find_task(pod, number) : NULL;
    *info = task && task->seen ? task->info : (struct sms__task_info){0};
    return task && task->seen;
}

static bool has_latest(struct setting *s, size_t container, uint64_t now, struct sms__task_info *info)
{
    const struct sms__monitored_pod *pod = find(s, container, now);
    *info = pod && pod->has_latest ? pod->latest : (struct sms__task_info){0};
    return pod && pod->has_latest;
}

static void run_task(struct setting *s, size_t container, uint64_t task, uint64_t from_ps, uint64_t to_ps)
{
    sms__monitor_began(s->monitor, container, task, from_ps);
    sms__monitor_ended(s->monitor, container, task, true, to_ps);
}

static struct sms_monitored ask(struct setting *s, size_t node, uint64_t now)
{
    return sms__monitor_request(s->monitor, node, idle, now);
}

/* Algorithm 1, lines 1 to 13: start = now, deadline = now + D, both as the monitor sees it. */
static void make_record(struct setting *s)
{
    struct sms__task_info info;
    sms__monitor_created(s->monitor, 0, 0, 4 * S, 0);
    sms__monitor_began(s->monitor, 0, 7, 1 * S);
    assert_false(has_running(s, 0, 7, 1199 * MS, &info));
    assert_true(has_running(s, 0, 7, 1200 * MS, &info));
    assert_true(info.running && info.timed);
    assert_true(info.task == 7 && info.start_ps == 1200 * MS);
    assert_true(info.deadline_ps == 5200 * MS);
    assert_false(has_latest(s, 0, 10 * S, &info));
}

static void a_new_process_gets_a_record(void **state)
{
    (void)state;
    with(&fixed, make_record);
}

/* Start 1.2, end 4.3 as seen, deadline 5.2: 0.9 s are left; in truth it is 1 s. */
static void end_record(struct setting *s)
{
    struct sms__task_info info;
    sms__monitor_created(s->monitor, 0, 0, 4 * S, 0);
    run_task(s, 0, 7, 1 * S, 4 * S);
    assert_false(has_latest(s, 0, 4299 * MS, &info));
    assert_true(has_latest(s, 0, 4300 * MS, &info));
    assert_true(!info.running && info.hit && info.float_ps == 900 * MS);
    assert_true(info.start_ps == 1200 * MS && info.end_ps == 4300 * MS);
    assert_false(has_running(s, 0, 7, 5 * S, &info));
    assert_true(s->record.observed.spread.sum == 900 * MS && s->record.actual.spread.sum == S);
    assert_true(s->record.start.sum == 200 * MS && s->record.end.sum == 300 * MS);
    assert_true(s->record.run.least == 100 * MS && s->record.run.greatest == 100 * MS);
}

static void a_process_that_vanishes_leaves_its_float(void **state)
{
    (void)state;
    with(&fixed, end_record);
}

/* Lines 28 to 31. */
static void end_on_time(struct setting *s)
{
    struct sms__task_info info;
    sms__monitor_created(s->monitor, 0, 0, 2 * S, 0);
    run_task(s, 0, 0, S, 3 * S);
    assert_true(has_latest(s, 0, 3 * S, &info));
    assert_true(info.float_ps == 0 && info.hit);
    run_task(s, 0, 1, 4 * S, 6 * S + 1);
    assert_true(has_latest(s, 0, 7 * S, &info));
    assert_true(info.task == 1 && info.float_ps == -1 && !info.hit);
    assert_true(s->record.actual.tasks == 2 && s->record.actual.missed == 1);
}

/* 003-hit0 of the specification's list of checks. */
static void a_float_of_exactly_zero_is_a_hit(void **state)
{
    (void)state;
    with(&prompt, end_on_time);
}

/* Floats of 1 s and 2.5 s; the second's next job leaves 0.5 s. */
static void add_floats(struct setting *s)
{
    sms__monitor_created(s->monitor, 1, 0, 3 * S, 0);
    sms__monitor_created(s->monitor, 1, 1, 4 * S, 0);
    run_task(s, 0, 0, 0, 2 * S);
    run_task(s, 1, 0, 2 * S, 3500 * MS);
    struct sms_monitored answer = ask(s, 1, 4 * S);
    assert_true(answer.answers && answer.timed == 2 && answer.misses == 0);
    assert_true(answer.float_ps == 3.5 * S);
    run_task(s, 1, 1, 4 * S, 7500 * MS);
    assert_true(ask(s, 1, 8 * S).float_ps == 1.5 * S);
    assert_true(ask(s, 0, 8 * S).timed == 0);
}

static void a_node_adds_up_the_latest_floats_of_its_containers(void **state)
{
    (void)state;
    with(&prompt, add_floats);
}

/* It has a record, so the node is not empty, and it adds nothing yet. */
static void see_only_a_begin(struct setting *s)
{
    sms__monitor_created(s->monitor, 0, 0, 3 * S, 0);
    assert_true(ask(s, 0, S).timed == 0);
    sms__monitor_began(s->monitor, 0, 0, S);
    struct sms_monitored answer = ask(s, 0, 100 * S);
    assert_true(answer.answers && answer.timed == 1 && answer.float_ps == 0);
}

static void a_container_that_has_not_ended_a_run_is_no_miss(void **state)
{
    (void)state;
    with(&prompt, see_only_a_begin);
}

/* The old miss stays until the next run of that container hits. */
static void miss_once(struct setting *s)
{
    sms__monitor_created(s->monitor, 0, 0, 2 * S, 0);
    sms__monitor_created(s->monitor, 0, 1, 9 * S, 0);
    run_task(s, 0, 0, 0, 3 * S);
    run_task(s, 1, 0, 3 * S, 4 * S);
    struct sms_monitored answer = ask(s, 0, 50 * S);
    assert_true(!answer.answers && answer.misses == 1 && !answer.full);
    sms__monitor_began(s->monitor, 0, 1, 60 * S);
    assert_false(ask(s, 0, 61 * S).answers);
    sms__monitor_ended(s->monitor, 0, 1, true, 61 * S);
    answer = ask(s, 0, 61 * S);
    assert_true(answer.answers && answer.float_ps == 9.0 * S);
}

static void one_miss_blocks_a_node_until_that_container_hits(void **state)
{
    (void)state;
    with(&prompt, miss_once);
}

static void fill_node(struct setting *s)
{
    const struct {
        struct sms__node_use use;
        bool answers;
    } cases[] = {
        {{0.999, 24, 23}, true}, {{1, 24, 0}, false}, {{0, 24, 24}, false}, {{1, 24, 24}, false}, {{0, 0, 0}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sms_monitored answer = sms__monitor_request(s->monitor, 2, cases[i].use, S);
        assert_int_equal(answer.answers, cases[i].answers);
        assert_int_equal(answer.full, !cases[i].answers);
    }
    assert_true(sms__monitor_request(s->monitor, 2, (struct sms__node_use){0.5, 24, 7}, S).memory_left == 17);
}

/* 003-state0; of a miss: one_miss_blocks_a_node_until_that_container_hits. */
static void full_nodes_do_not_answer(void **state)
{
    (void)state;
    with(&prompt, fill_node);
}

/* With containers 0 (float 1 s), 1 (a miss) and 2 (running). */
static void remove_all(struct setting *s)
{
    sms__monitor_created(s->monitor, 0, 0, 2 * S, 0);
    sms__monitor_created(s->monitor, 0, 1, 1 * S, 0);
    sms__monitor_created(s->monitor, 0, 2, 1 * S, 0);
    run_task(s, 0, 0, 0, S);
    run_task(s, 1, 0, 0, 2 * S);
    sms__monitor_began(s->monitor, 2, 0, 0);
    assert_true(ask(s, 0, 3 * S).timed == 3);
    sms__monitor_removed(s->monitor, 1, 3 * S);
    struct sms_monitored answer = ask(s, 0, 3 * S);
    assert_true(answer.answers && answer.timed == 2 && answer.float_ps == 1.0 * S);
    sms__monitor_removed(s->monitor, 0, 4 * S);
    sms__monitor_removed(s->monitor, 2, 4 * S);
    answer = ask(s, 0, 4 * S);
    assert_true(answer.answers && answer.timed == 0 && answer.float_ps == 0);
    sms__monitor_created(s->monitor, 1, 1, S, 5 * S); /* on another node */
    run_task(s, 1, 1, 5 * S, 5500 * MS);
    assert_true(ask(s, 1, 6 * S).float_ps == 0.5 * S && ask(s, 0, 6 * S).timed == 0);
}

static void removed_containers_take_their_records_along(void **state)
{
    (void)state;
    with(&prompt, remove_all);
}

static void ignore_strangers(struct setting *s)
{
    struct sms__task_info info;
    run_task(s, 5, 0, 0, S); /* on no node */
    sms__monitor_removed(s->monitor, 5, S);
    assert_true(ask(s, 0, 2 * S).timed == 0 && s->record.start.count == 0);
    sms__monitor_created(s->monitor, 0, 3, 0, 2 * S); /* without deadline */
    run_task(s, 3, 0, 2 * S, 90 * S);
    assert_true(has_latest(s, 3, 91 * S, &info));
    assert_true(info.end_ps == 90 * S && !info.timed);
    struct sms_monitored answer = ask(s, 0, 91 * S);
    assert_true(answer.answers && answer.timed == 0 && answer.misses == 0 && answer.float_ps == 0);
    assert_true(s->record.observed.tasks == 0 && s->record.actual.tasks == 0 && s->record.end.count == 1);
}

static void processes_of_no_container_and_without_deadline_never_count(void **state)
{
    (void)state;
    with(&prompt, ignore_strangers);
}

/* Two processes of one container at once: the one that ends last is the latest. */
static void run_two(struct setting *s)
{
    struct sms__task_info info;
    sms__monitor_created(s->monitor, 0, 0, 5 * S, 0);
    sms__monitor_began(s->monitor, 0, 1, 0);
    sms__monitor_began(s->monitor, 0, 2, S);
    sms__monitor_ended(s->monitor, 0, 2, true, 2 * S);
    assert_true(has_latest(s, 0, 2 * S, &info) && info.task == 2);
    sms__monitor_ended(s->monitor, 0, 1, true, 3 * S);
    assert_true(has_latest(s, 0, 3 * S, &info));
    assert_true(info.task == 1 && info.float_ps == 2 * S);
    assert_true(ask(s, 0, 4 * S).float_ps == 2.0 * S);
}

static void the_latest_result_counts_once(void **state)
{
    (void)state;
    with(&prompt, run_two);
}

static void run_late(struct setting *s)
{
    bool eager = s->rules.eager;
    sms__monitor_created(s->monitor, 0, 0, 2 * S, 0);
    sms__monitor_began(s->monitor, 0, 0, S);
    assert_true(ask(s, 0, 3 * S).answers);
    assert_int_equal(ask(s, 0, 3 * S + 1).misses, eager);
    sms__monitor_ended(s->monitor, 0, 0, true, 4 * S);
    assert_int_equal(ask(s, 0, 4 * S).misses, 1);
    sms__monitor_began(s->monitor, 0, 1, 5 * S); /* late, too: still one container */
    assert_int_equal(ask(s, 0, 9 * S).misses, 1);
}

static void an_eager_monitor_counts_what_runs_too_long(void **state)
{
    struct sms__monitor_rules eager = prompt;
    (void)state;
    with(&prompt, run_late);
    eager.eager = 1;
    with(&eager, run_late);
}

/* The end of a short task would be seen at 0.31 s; its begin is seen at 0.5 s. */
static void run_short(struct setting *s)
{
    struct sms__task_info info;
    sms__monitor_created(s->monitor, 0, 0, S, 0);
    run_task(s, 0, 0, 0, 10 * MS);
    sms__monitor_removed(s->monitor, 0, 10 * MS);
    assert_int_equal(ask(s, 0, 499 * MS).timed, 0);
    sms__monitor_finish(s->monitor, S);
    assert_true(s->record.end.greatest == 490 * MS && s->record.run.sum == -10 * (sms__integral)MS);
    assert_false(has_latest(s, 0, S, &info));
}

static void an_end_is_never_seen_before_its_begin(void **state)
{
    struct sms__monitor_rules slow = fixed;
    (void)state;
    slow.start_least_ps = slow.start_most_ps = 0.5 * S;
    with(&slow, run_short);
}

/* Errors of many tasks: within the bounds, and all over them. */
static void run_many(struct setting *s)
{
    sms__monitor_created(s->monitor, 0, 0, S, 0);
    for (uint64_t i = 0; i < 20000; i++)
        run_task(s, 0, i, i * S, i * S + S / 2);
    sms__monitor_finish(s->monitor, 20001 * S);
    const struct sms__monitor_record *r = &s->record;
    assert_true(r->start.count == 20000 && r->end.count == 20000 && r->run.count == 20000);
    assert_near((double)r->start.least / S, 0.18, 1e-4);
    assert_near((double)r->start.greatest / S, 0.25, 1e-4);
    assert_near((double)r->start.sum / S / 20000, 0.215, 5e-4);
    assert_near((double)r->end.least / S, 0.18, 1e-4);
    assert_near((double)r->end.greatest / S, 0.24, 1e-4);
    assert_near((double)r->end.sum / S / 20000, 0.21, 5e-4);
    assert_near((double)r->run.least / S, -0.07, 2e-3);
    assert_near((double)r->run.greatest / S, 0.06, 2e-3);
    assert_near((double)r->run.sum / S / 20000, -0.005, 5e-4);
}

static void calibrated_errors_are_uniform_within_their_bounds(void **state)
{
    struct sms__monitor_rules calibrated = fixed;
    (void)state;
    calibrated.start_least_ps = calibrated.end_least_ps = 0.18 * S;
    calibrated.start_most_ps = 0.25 * S;
    calibrated.end_most_ps = 0.24 * S;
    with(&calibrated, run_many);
}

/* A cycle takes 92 ms with one container: the stamp comes between 60 and 152 ms after what happened. */
static void run_in_cycles(struct setting *s)
{
    struct sms__task_info info;
    sms__monitor_created(s->monitor, 0, 0, S, 0);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t begin = i * S + i * 7919001 * (MS / 1000) % S; /* all over the cycle */
        run_task(s, 0, i, begin, begin + 300 * MS);
    }
    sms__monitor_finish(s->monitor, 20002 * S);
    const struct sms__monitor_record *r = &s->record;
    assert_true(r->unseen == 0 && r->end.count == 20000);
    assert_near((double)r->start.least / MS, 60, 0.1);
    assert_near((double)r->start.greatest / MS, 152, 0.1);
    assert_near((double)r->start.sum / MS / 20000, 106, 1);
    assert_near((double)r->end.least / MS, 60, 0.1);
    assert_near((double)r->end.greatest / MS, 152, 0.1);
    assert_true(has_latest(s, 0, 20002 * S, &info));
    assert_true(info.end_ps > info.start_ps);
}

static void in_cycles_errors_are_between_the_query_and_query_and_cycle(void **state)
{
    (void)state;
    with(&cycle, run_in_cycles);
}

/* Ten containers make the published 0.2 s. */
static void watch_ten(struct setting *s)
{
    (void)s;
    for (size_t c = 0; c < CONTAINERS; c++)
        sms__monitor_created(s->monitor, 0, c, 0, 0);
    uint64_t first = 0, stamps = 0;
    struct sms__task_info info;
    for (uint64_t i = 0; i < 1000; i++) /* a task at each of a thousand instants in a row, 1 ms apart */
        sms__monitor_began(s->monitor, 0, i, 10 * S + i * MS);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(has_running(s, 0, i, 20 * S, &info));
        stamps += info.start_ps != first;
        if (stamps > 2 && info.start_ps != first)
            assert_true(info.start_ps - first == (60 + 20 + 8 * 12) * MS);
        first = info.start_ps;
    }
    assert_true(stamps == 6 || stamps == 7);
}

static void a_cycle_takes_the_longer_the_more_containers(void **state)
{
    (void)state;
    with(&cycle, watch_ten);
}

static void run_unseen(struct setting *s)
{
    sms__monitor_created(s->monitor, 0, 0, S, 0);
    for (uint64_t i = 0; i < 1000; i++)
        run_task(s, 0, i, i * S + i * MS / 27, i * S + i * MS / 27 + MS);
    sms__monitor_finish(s->monitor, 1001 * S);
    assert_true(s->record.unseen + s->record.start.count == 1000 && s->record.start.count == s->record.end.count);
    assert_true(s->record.unseen >= 980 && s->record.unseen <= 995); /* about 1 in 92 is there at a sample */
    assert_true(s->record.actual.tasks == 1000);
}

static void a_task_between_two_samples_is_never_seen(void **state)
{
    (void)state;
    with(&cycle, run_unseen);
}

/* The stamp is of the end of the query; the node knows at the end of the cycle, 32 ms later. */
static void publish_late(struct setting *s)
{
    struct sms__task_info info;
    uint64_t begin = 100 * S, now = begin;
    sms__monitor_created(s->monitor, 0, 0, S, 0);
    sms__monitor_began(s->monitor, 0, 0, begin);
    while (!has_running(s, 0, 0, now, &info))
        now += MS / 10;
    assert_near((double)(now - info.start_ps) / MS, 32, 0.1);
    assert_true(info.start_ps - begin >= 60 * MS && info.start_ps - begin <= 152 * MS);
}

static void a_sample_is_known_at_the_end_of_its_cycle(void **state)
{
    (void)state;
    with(&cycle, publish_late);
}

/* Removed between two samples, with a task that no sample has seen. */
static void remove_between(struct setting *s)
{
    sms__monitor_created(s->monitor, 0, 0, S, 0);
    sms__monitor_began(s->monitor, 0, 0, 10 * S);
    sms__monitor_removed(s->monitor, 0, 10 * S + 1);
    sms__monitor_created(s->monitor, 1, 0, S, 10 * S + 1);
    run_task(s, 0, 1, 11 * S, 12 * S);
    assert_true(sms__monitor_expects(s->monitor));
    sms__monitor_finish(s->monitor, 13 * S);
    assert_false(sms__monitor_expects(s->monitor));
    assert_true(s->record.unseen == 1 && s->record.start.count == 1);
    assert_true(ask(s, 0, 13 * S).timed == 0 && ask(s, 1, 13 * S).timed == 1);
}

static void a_container_may_be_gone_before_a_sample(void **state)
{
    (void)state;
    with(&cycle, remove_between);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_process_gets_a_record),
        cmocka_unit_test(a_process_that_vanishes_leaves_its_float),
        cmocka_unit_test(a_float_of_exactly_zero_is_a_hit),
        cmocka_unit_test(a_node_adds_up_the_latest_floats_of_its_containers),
        cmocka_unit_test(a_container_that_has_not_ended_a_run_is_no_miss),
        cmocka_unit_test(one_miss_blocks_a_node_until_that_container_hits),
        cmocka_unit_test(full_nodes_do_not_answer),
        cmocka_unit_test(removed_containers_take_their_records_along),
        cmocka_unit_test(processes_of_no_container_and_without_deadline_never_count),
        cmocka_unit_test(the_latest_result_counts_once),
        cmocka_unit_test(an_eager_monitor_counts_what_runs_too_long),
        cmocka_unit_test(an_end_is_never_seen_before_its_begin),
        cmocka_unit_test(calibrated_errors_are_uniform_within_their_bounds),
        cmocka_unit_test(in_cycles_errors_are_between_the_query_and_query_and_cycle),
        cmocka_unit_test(a_cycle_takes_the_longer_the_more_containers),
        cmocka_unit_test(a_task_between_two_samples_is_never_seen),
        cmocka_unit_test(a_sample_is_known_at_the_end_of_its_cycle),
        cmocka_unit_test(a_container_may_be_gone_before_a_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
