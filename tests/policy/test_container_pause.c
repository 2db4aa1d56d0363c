/* Kang 2022's monitor and manager on cases worked out by hand: what is published when, and who is released and paused
 * when. Commands take 10 ms each. The link copies 1 MiB in 1 ms. */
#include "../harness.h"

#include <stdio.h>

#define DEVICE                                                                                                         \
    "device: small\nclock: 1 GHz\nsms: 1\nmemory: 1000 MiB\nlink: {bandwidth: 1048576000 B/s}\n"                       \
    "sm: {threads: 1024, warps: 32, blocks: 8, registers: 65536, shared_memory: 96 KiB}\n"                             \
    "resources: {fp32: {class: compute}}\n---\n"
#define WORKLOAD(name, demand, steps)                                                                                  \
    "workload: " name "\nkernels: [{name: k, time: 100 ms, demand: {fp32: " demand "}}]\nsteps: [" steps "]\n---\n"
#define SCENARIO(params, processes)                                                                                    \
    "scenario: s\ndevices: [{model: small}]\npolicies: [{share: {container_pause: {smi: 10 ms, pause: 10 ms, "         \
    "unpause: 10 ms" params "}}, mode: {time_slice: {slice: 2 ms, switch: 0 s}}}]\nprocesses: [" processes "]\n"
#define COPIES "{allocate: 100 MiB}, {copy_in: 50 MiB}, {launch: k}, {free: all}"
#define ABC "{name: a, workload: w}, {name: b, workload: w}, {name: c, workload: w}"

struct log {
    char messages[4096], copies[512];
    size_t message_chars, copy_chars;
};

static void log_message(void *user, const char *policy, const struct sms_message *message)
{
    struct log *log = user;
    (void)policy;
    log->message_chars +=
        (size_t)snprintf(log->messages + log->message_chars, sizeof log->messages - log->message_chars, "%g %s %s\n",
                         (double)message->time_ps / 1e9, message->process, message->text);
}

static void log_copy(void *user, const char *policy, const struct sms_span *span)
{
    struct log *log = user;
    (void)policy;
    if (!strcmp(span->state, "copy_in"))
        log->copy_chars +=
            (size_t)snprintf(log->copies + log->copy_chars, sizeof log->copies - log->copy_chars, "%s %.3f-%.3f\n",
                             span->name, (double)span->start_ps / 1e9, (double)span->end_ps / 1e9);
}

static int observe(void *user, const struct sms_run_event *event)
{
    if (event->kind == SMS_RUN_MESSAGE)
        log_message(user, event->policy, event->message);
    else
        log_copy(user, event->policy, event->span);
    return 0;
}

/* Runs the text and logs messages and copies. Every process must end. */
static struct log run_logged(const char *text)
{
    struct log log = {0};
    struct sms_file *file = load_text("%s", text);
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.observe = observe;
    options.events = SMS_RUN_MESSAGE | SMS_RUN_SPAN;
    options.explain_to_ps = UINT64_MAX;
    options.user = &log;
    struct sms_results *results = run_first(file, &options);
    for (size_t p = 0; p < sms_results_subjects(results, SMS_PROCESS); p++)
        assert_true(estimate(results, 0, SMS_PROCESS, p, "turnaround_ns").mean > 0);
    discard(results, file);
    return log;
}

/* Memory is allocated at 25 ms, and the kernel runs from 45 to 145 ms. Polls are 10 ms apart. */
static void a_table_is_published_when_it_differs(void **state)
{
    (void)state;
    struct log log = run_logged(DEVICE WORKLOAD("w", "100 %",
                                                "{host: 25 ms}, {allocate: 100 MiB}, {host: 20 ms}, {launch: k}, "
                                                "{free: all}, {host: 30 ms}") SCENARIO("", "{name: a, workload: w}"));
    assert_string_equal(log.messages, "30 a published: 100 MiB, cores 0 %\n"
                                      "30 a no container runs: released\n"
                                      "50 a published: 100 MiB, cores 100 %\n"
                                      "150 a published: 0 MiB, cores 0 %\n");
}

/* Once the query finds a process, listing both containers takes 2 ms, and listing their processes 1 ms each. So a cycle
 * takes 14 ms, and its query ends after 10 ms. Queries end at 30, 44, 58 ... 156 ms, and the last one finds nobody. */
static void listing_containers_delays_publication(void **state)
{
    (void)state;
    struct log log =
        run_logged(DEVICE WORKLOAD(
            "w", "100 %", "{host: 25 ms}, {allocate: 100 MiB}, {host: 20 ms}, {launch: k}, {free: all}, {host: 30 ms}")
                       WORKLOAD("idle", "100 %", "{host: 300 ms}")
                           SCENARIO(", ps: 2 ms, top: 1 ms", "{name: a, workload: w}, {name: idle, workload: idle}"));
    assert_string_equal(log.messages, "34 a published: 100 MiB, cores 0 %\n"
                                      "34 a no container runs: released\n"
                                      "62 a published: 100 MiB, cores 100 %\n"
                                      "156 a published: 0 MiB, cores 0 %\n");
}

/* The three copy 20 / 3 MiB each until b and c are paused. Then a copies until 63.3 ms and runs its kernel until 163.3
 * ms. b continues at 180 ms, copies until 223.3 ms and runs its kernel until 323.3 ms. c's kernel ends at 483.3 ms. */
static void containers_run_one_after_another(void **state)
{
    (void)state;
    struct log log = run_logged(DEVICE WORKLOAD("w", "100 %", COPIES) SCENARIO("", ABC));
    assert_string_equal(log.messages, "10 a published: 100 MiB, cores 0 %\n"
                                      "10 b published: 100 MiB, cores 0 %\n"
                                      "10 c published: 100 MiB, cores 0 %\n"
                                      "10 a no container runs: released\n"
                                      "20 b paused\n"
                                      "20 c paused\n"
                                      "70 a published: 100 MiB, cores 100 %\n"
                                      "170 a published: 0 MiB, cores 0 %\n"
                                      "170 b no container runs: released\n"
                                      "230 b published: 100 MiB, cores 100 %\n"
                                      "330 b published: 0 MiB, cores 0 %\n"
                                      "330 c no container runs: released\n"
                                      "390 c published: 100 MiB, cores 100 %\n");
    assert_string_equal(log.copies, "b 0.000-20.000\nc 0.000-20.000\na 0.000-63.333\n"
                                    "b 180.000-223.333\nc 340.000-383.333\n");
}

static void sequential_commands_pause_one_after_another(void **state)
{
    (void)state;
    struct log log = run_logged(DEVICE WORKLOAD("w", "100 %", COPIES) SCENARIO(", commands: sequential", ABC));
    assert_non_null(strstr(log.messages, "20 b paused\n30 c paused\n"));
}

/* The cores are free while a copies. With the literal gate, b is released at once and c 20 ms later, after one unpause
 * and one query. */
static void with_the_literal_gate_the_next_is_released_at_once(void **state)
{
    (void)state;
    struct log log = run_logged(DEVICE WORKLOAD("w", "100 %", COPIES) SCENARIO(", gate: literal", ABC));
    assert_non_null(strstr(log.messages, "20 b paused\n20 c paused\n20 b cores are free: released\n"
                                         "40 c cores are free: released\n"));
}

/* Half of the cores are free. a's kernel begins at 63.3 ms and is seen at 70 ms. b continues at 80 ms and has copied
 * its other 43.3 MiB at 123.3 ms, after which all cores are in use. In turns of 2 ms with b's kernel, the 40 ms left of
 * a's take until 201.3 ms. b has long been at work by then, so c is released. */
static void the_next_is_released_once_the_latest_is_at_work(void **state)
{
    (void)state;
    struct log log = run_logged(DEVICE WORKLOAD("w", "50 %", COPIES) SCENARIO("", ABC));
    assert_non_null(strstr(log.messages, "70 a published: 100 MiB, cores 50 %\n"
                                         "70 b cores are free: released\n"
                                         "130 b published: 100 MiB, cores 50 %\n"
                                         "210 a published: 0 MiB, cores 0 %\n"
                                         "210 c cores are free: released\n"));
}

/* Between two polls a allocates more memory and launches a kernel. At 40 ms its memory has changed, and at 50 ms it is
 * at rest. */
static void a_container_is_at_work_once_its_memory_is_at_rest(void **state)
{
    (void)state;
    struct log log =
        run_logged(DEVICE WORKLOAD("v", "50 %", "{allocate: 100 MiB}, {host: 33 ms}, {allocate: 50 MiB}, {launch: k}")
                       WORKLOAD("w", "50 %", "{allocate: 100 MiB}, {host: 300 ms}, {launch: k}")
                           SCENARIO("", "{name: a, workload: v}, {name: b, workload: w}"));
    assert_non_null(strstr(log.messages, "40 a published: 150 MiB, cores 50 %\n50 b cores are free: released\n"));
}

/* Runs two containers that use half of the cores each. The second allocates `size`. `more` is appended to the
 * parameters. */
static struct log run_two_containers(const char *size, const char *more)
{
    char text[4096];
    snprintf(text, sizeof text,
             DEVICE WORKLOAD("v", "50 %%", "{allocate: 500 MiB}, {launch: k}, {free: all}")
                 WORKLOAD("w", "50 %%", "{host: 12 ms}, {allocate: %s}, {host: 60 ms}, {launch: k}, {free: all}")
                     SCENARIO("%s", "{name: a, workload: v}, {name: b, workload: w}"),
             size, more);
    return run_logged(text);
}

/* b comes when a is at work. It is seen at 20 ms and released at once, because it was not paused. The query 10 ms later
 * finds the memory nearly full, and the pause takes another 10 ms. */
static void above_95_percent_of_the_memory_the_latest_is_paused_again(void **state)
{
    (void)state;
    const char *again = "20 b cores are free: released\n40 b memory is nearly full: paused again\n";
    assert_non_null(strstr(run_two_containers("451 MiB", "").messages, again));
    assert_null(strstr(run_two_containers("450 MiB", "").messages, "paused"));
    assert_non_null(strstr(run_two_containers("450 MiB", ", crowded: from").messages, again));
}

/* a is done at 100 ms and allocates again at 200 ms, when b is at work. a is paused, and c is released first. */
static void a_container_that_allocates_again_queues_behind_the_others(void **state)
{
    (void)state;
    struct log log =
        run_logged(DEVICE WORKLOAD("w", "100 %", "{allocate: 100 MiB}, {host: 50 ms}, {launch: k}, {free: all}")
                       WORKLOAD("again", "100 %",
                                "{allocate: 100 MiB}, {launch: k}, {free: all}, {host: 100 ms}, {allocate: 100 MiB}, "
                                "{host: 60 ms}, {launch: k}, {free: all}")
                           SCENARIO("", "{name: a, workload: again}, {name: b, workload: w}, {name: c, workload: w}"));
    const char *c = strstr(log.messages, "c no container runs: released\n");
    const char *a = strstr(log.messages, "a paused\n");
    assert_non_null(a);
    assert_non_null(c);
    assert_true(a < c);
    assert_non_null(strstr(c, "a no container runs: released\n"));
}

/* a has gone before b comes. The monitor also publishes that no process is left. */
static void an_empty_list_is_published(void **state)
{
    (void)state;
    struct log log = run_logged(DEVICE WORKLOAD("w", "100 %", "{allocate: 100 MiB}, {launch: k}, {free: all}")
                                    SCENARIO("", "{name: a, workload: w}, {name: b, workload: w, start: 500 ms}"));
    assert_non_null(strstr(log.messages, "110 a published: 0 MiB, cores 0 %\n510 b published: 100 MiB, cores 100 %\n"
                                         "510 b no container runs: released\n"));
}

/* b frees its memory at 15 ms and is paused at 20 ms. It is released when a is done, and can then end. */
static void a_paused_container_without_memory_is_released(void **state)
{
    (void)state;
    struct log log =
        run_logged(DEVICE WORKLOAD("v", "100 %", "{allocate: 100 MiB}, {launch: k}, {free: all}")
                       WORKLOAD("w", "100 %", "{allocate: 100 MiB}, {host: 15 ms}, {free: all}, {host: 50 ms}")
                           SCENARIO("", "{name: a, workload: v}, {name: b, workload: w}"));
    assert_non_null(strstr(log.messages, "20 b paused\n"));
    assert_non_null(strstr(log.messages, "110 b no container runs: released\n"));
}

/* All copy at a third of the link's rate until 150 ms. a's kernel takes until 250 ms, and b's begins only then. */
static void pausing_at_input_lets_all_copy_first(void **state)
{
    (void)state;
    struct log log = run_logged(DEVICE WORKLOAD("w", "100 %", COPIES) SCENARIO(", when: input", ABC));
    assert_string_equal(log.copies, "a 0.000-150.000\nb 0.000-150.000\nc 0.000-150.000\n");
    assert_non_null(strstr(log.messages, "260 a published: 0 MiB, cores 0 %\n260 b no container runs: released\n"));
}

/* b is paused at 20 ms, goes on as it has no kernel, and ends at 50 ms. So c is released when a is done. */
static void a_container_that_has_ended_waits_no_longer(void **state)
{
    (void)state;
    struct log log = run_logged(
        DEVICE WORKLOAD("v", "100 %", "{allocate: 100 MiB}, {launch: k}, {free: all}")
            WORKLOAD("w", "100 %", "{allocate: 100 MiB}, {host: 50 ms}")
                SCENARIO(", when: input", "{name: a, workload: v}, {name: b, workload: w}, {name: c, workload: v}"));
    assert_non_null(strstr(log.messages, "20 b paused\n"));
    assert_null(strstr(log.messages, "b no container runs: released\n"));
    assert_non_null(strstr(log.messages, "c no container runs: released\n"));
}

/* The pause that begins at 10 ms ends at 30 ms, with a query that sees a's kernel. The manager then knows that the
 * cores are full, although the query began later. */
static void the_manager_knows_the_table_of_the_instant(void **state)
{
    (void)state;
    struct log log =
        run_logged(DEVICE WORKLOAD("w", "100 %", "{allocate: 100 MiB}, {host: 25 ms}, {launch: k}") WORKLOAD(
            "x", "100 %",
            "{allocate: 100 MiB}, {host: 200 ms}, {launch: k}") "scenario: s\ndevices: [{model: small}]\nprocesses: "
                                                                "[{name: a, workload: w}, {name: b, workload: "
                                                                "x}]\npolicies: "
                                                                "[{share: {container_pause: {smi: 10 ms, pause: 20 ms, "
                                                                "unpause: 10 ms, gate: literal}}, mode: together}]\n");
    assert_non_null(strstr(log.messages, "30 b paused\n30 a published: 100 MiB, cores 100 %\n"
                                         "130 a published: 0 MiB, cores 0 %\n130 b no container runs: released\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_published_when_it_differs),
        cmocka_unit_test(listing_containers_delays_publication),
        cmocka_unit_test(containers_run_one_after_another),
        cmocka_unit_test(sequential_commands_pause_one_after_another),
        cmocka_unit_test(with_the_literal_gate_the_next_is_released_at_once),
        cmocka_unit_test(the_next_is_released_once_the_latest_is_at_work),
        cmocka_unit_test(a_container_is_at_work_once_its_memory_is_at_rest),
        cmocka_unit_test(above_95_percent_of_the_memory_the_latest_is_paused_again),
        cmocka_unit_test(a_container_that_allocates_again_queues_behind_the_others),
        cmocka_unit_test(an_empty_list_is_published),
        cmocka_unit_test(a_paused_container_without_memory_is_released),
        cmocka_unit_test(the_manager_knows_the_table_of_the_instant),
        cmocka_unit_test(pausing_at_input_lets_all_copy_first),
        cmocka_unit_test(a_container_that_has_ended_waits_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
