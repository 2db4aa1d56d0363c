/* Kang 2022's monitor and manager, on cases worked out by hand: what is published when, who is let go and paused when.
 * Commands take 10 ms each; the link copies 1 MiB in 1 ms. */
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
    char sayings[4096], copies[512];
    size_t said, copied;
};

static void note_saying(void *user, const char *policy, const struct sms_saying *saying)
{
    struct log *log = user;
    (void)policy;
    log->said += (size_t)snprintf(log->sayings + log->said, sizeof log->sayings - log->said, "%g %s %s\n",
                                  (double)saying->time_ps / 1e9, saying->process, saying->text);
}

static void note_span(void *user, const char *policy, const struct sms_span *span)
{
    struct log *log = user;
    (void)policy;
    if (!strcmp(span->state, "copy_in"))
        log->copied += (size_t)snprintf(log->copies + log->copied, sizeof log->copies - log->copied, "%s %.3f-%.3f\n",
                                        span->name, (double)span->start_ps / 1e9, (double)span->end_ps / 1e9);
}

/* What is said and copied. Every process ends. */
static struct log watch(const char *text)
{
    struct log log = {0};
    struct sms_file *file = load_text("%s", text);
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.on_saying = note_saying;
    options.on_span = note_span;
    options.explain_to_ps = UINT64_MAX;
    options.user = &log;
    struct sms_results *results = run_first(file, &options);
    for (size_t p = 0; p < sms_results_subjects(results, SMS_PROCESS); p++)
        assert_true(estimate(results, 0, SMS_PROCESS, p, "turnaround_ns").mean > 0);
    discard(results, file);
    return log;
}

/* Memory is there from 25 ms, the kernel from 45 to 145, a poll every 10. */
static void a_table_is_published_when_it_differs(void **state)
{
    (void)state;
    struct log log = watch(DEVICE WORKLOAD("w", "100 %",
                                           "{host: 25 ms}, {allocate: 100 MiB}, {host: 20 ms}, {launch: k}, "
                                           "{free: all}, {host: 30 ms}") SCENARIO("", "{name: a, workload: w}"));
    assert_string_equal(log.sayings, "30 a published: 100 MiB, cores 0 %\n"
                                     "30 a no container runs: released\n"
                                     "50 a published: 100 MiB, cores 100 %\n"
                                     "150 a published: 0 MiB, cores 0 %\n");
}

/* Once the query finds somebody, both containers are listed, 2 ms, and their processes, 1 ms each: a cycle takes 14 ms,
 * its query ends after 10. Samples at 30, 44, 58 ... 156 ms; the last finds nobody. */
static void lists_delay_what_is_published(void **state)
{
    (void)state;
    struct log log =
        watch(DEVICE WORKLOAD(
            "w", "100 %", "{host: 25 ms}, {allocate: 100 MiB}, {host: 20 ms}, {launch: k}, {free: all}, {host: 30 ms}")
                  WORKLOAD("idle", "100 %", "{host: 300 ms}")
                      SCENARIO(", ps: 2 ms, top: 1 ms", "{name: a, workload: w}, {name: idle, workload: idle}"));
    assert_string_equal(log.sayings, "34 a published: 100 MiB, cores 0 %\n"
                                     "34 a no container runs: released\n"
                                     "62 a published: 100 MiB, cores 100 %\n"
                                     "156 a published: 0 MiB, cores 0 %\n");
}

/* Three copy 20 / 3 MiB each until b and c are paused. The rest of a's takes until 63.3 ms, its kernel until 163.3;
 * b goes on at 180, its copy ends at 223.3, its kernel at 323.3; c's at 483.3. */
static void the_first_runs_and_the_others_follow(void **state)
{
    (void)state;
    struct log log = watch(DEVICE WORKLOAD("w", "100 %", COPIES) SCENARIO("", ABC));
    assert_string_equal(log.sayings, "10 a published: 100 MiB, cores 0 %\n"
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

static void one_command_each_pauses_one_after_another(void **state)
{
    (void)state;
    struct log log = watch(DEVICE WORKLOAD("w", "100 %", COPIES) SCENARIO(", commands: sequential", ABC));
    assert_non_null(strstr(log.sayings, "20 b paused\n30 c paused\n"));
}

/* The cores are free while a copies: by the letter b goes on at once, then c, 20 ms later each: unpause and look. */
static void by_the_letter_the_next_goes_on_at_once(void **state)
{
    (void)state;
    struct log log = watch(DEVICE WORKLOAD("w", "100 %", COPIES) SCENARIO(", gate: literal", ABC));
    assert_non_null(strstr(log.sayings, "20 b paused\n20 c paused\n20 b cores are free: released\n"
                                        "40 c cores are free: released\n"));
}

/* Half the cores are free. a's kernel begins at 63.3 and is seen at 70; b goes on at 80 and has copied its other 43.3
 * MiB at 123.3, and then the cores are full. In turns of 2 ms with b's, the 40 ms left of a's kernel take until 201.3;
 * b has long been at work, so that c goes on. */
static void the_next_goes_on_once_the_latest_is_at_work(void **state)
{
    (void)state;
    struct log log = watch(DEVICE WORKLOAD("w", "50 %", COPIES) SCENARIO("", ABC));
    assert_non_null(strstr(log.sayings, "70 a published: 100 MiB, cores 50 %\n"
                                        "70 b cores are free: released\n"
                                        "130 b published: 100 MiB, cores 50 %\n"
                                        "210 a published: 0 MiB, cores 0 %\n"
                                        "210 c cores are free: released\n"));
}

/* a takes more memory and launches between two polls: at 40 its memory is another one, at 50 it has come to rest. */
static void the_latest_is_at_work_once_its_memory_is_at_rest(void **state)
{
    (void)state;
    struct log log =
        watch(DEVICE WORKLOAD("v", "50 %", "{allocate: 100 MiB}, {host: 33 ms}, {allocate: 50 MiB}, {launch: k}")
                  WORKLOAD("w", "50 %", "{allocate: 100 MiB}, {host: 300 ms}, {launch: k}")
                      SCENARIO("", "{name: a, workload: v}, {name: b, workload: w}"));
    assert_non_null(strstr(log.sayings, "40 a published: 150 MiB, cores 50 %\n50 b cores are free: released\n"));
}

/* Of the second container's memory at a use of 50 %. */
static struct log watch_memory(const char *size, const char *more)
{
    char text[4096];
    snprintf(text, sizeof text,
             DEVICE WORKLOAD("v", "50 %%", "{allocate: 500 MiB}, {launch: k}, {free: all}")
                 WORKLOAD("w", "50 %%", "{host: 12 ms}, {allocate: %s}, {host: 60 ms}, {launch: k}, {free: all}")
                     SCENARIO("%s", "{name: a, workload: v}, {name: b, workload: w}"),
             size, more);
    return watch(text);
}

/* b comes when a is at work: seen at 20, let go, as it was not paused, at once; 10 ms later the device is looked at. */
static void above_95_percent_of_the_memory_one_is_paused_again(void **state)
{
    (void)state;
    const char *again = "20 b cores are free: released\n40 b memory is nearly full: paused again\n";
    assert_non_null(strstr(watch_memory("451 MiB", "").sayings, again));
    assert_null(strstr(watch_memory("450 MiB", "").sayings, "paused"));
    assert_non_null(strstr(watch_memory("450 MiB", ", crowded: from").sayings, again));
}

/* a is through at 100, and comes again at 200, when b is at work: it is paused, and c comes first. */
static void one_that_allocates_again_queues_up_behind(void **state)
{
    (void)state;
    struct log log =
        watch(DEVICE WORKLOAD("w", "100 %", "{allocate: 100 MiB}, {host: 50 ms}, {launch: k}, {free: all}")
                  WORKLOAD("again", "100 %",
                           "{allocate: 100 MiB}, {launch: k}, {free: all}, {host: 100 ms}, {allocate: 100 MiB}, "
                           "{host: 60 ms}, {launch: k}, {free: all}")
                      SCENARIO("", "{name: a, workload: again}, {name: b, workload: w}, {name: c, workload: w}"));
    const char *c = strstr(log.sayings, "c no container runs: released\n");
    const char *a = strstr(log.sayings, "a paused\n");
    assert_non_null(a);
    assert_non_null(c);
    assert_true(a < c);
    assert_non_null(strstr(c, "a no container runs: released\n"));
}

/* a has gone before b comes: that nobody is left is published, too. */
static void an_empty_list_is_published(void **state)
{
    (void)state;
    struct log log = watch(DEVICE WORKLOAD("w", "100 %", "{allocate: 100 MiB}, {launch: k}, {free: all}")
                               SCENARIO("", "{name: a, workload: w}, {name: b, workload: w, start: 500 ms}"));
    assert_non_null(strstr(log.sayings, "110 a published: 0 MiB, cores 0 %\n510 b published: 100 MiB, cores 100 %\n"
                                        "510 b no container runs: released\n"));
}

/* b frees its memory at 15, and is paused at 20: it goes on when a is through, and so it ends. */
static void one_paused_without_memory_is_let_go(void **state)
{
    (void)state;
    struct log log = watch(DEVICE WORKLOAD("v", "100 %", "{allocate: 100 MiB}, {launch: k}, {free: all}")
                               WORKLOAD("w", "100 %", "{allocate: 100 MiB}, {host: 15 ms}, {free: all}, {host: 50 ms}")
                                   SCENARIO("", "{name: a, workload: v}, {name: b, workload: w}"));
    assert_non_null(strstr(log.sayings, "20 b paused\n"));
    assert_non_null(strstr(log.sayings, "110 b no container runs: released\n"));
}

/* All copy at a third of the link's rate, until 150 ms; a's kernel takes until 250, and b's begins then, not before. */
static void with_input_all_copy_before_they_wait(void **state)
{
    (void)state;
    struct log log = watch(DEVICE WORKLOAD("w", "100 %", COPIES) SCENARIO(", when: input", ABC));
    assert_string_equal(log.copies, "a 0.000-150.000\nb 0.000-150.000\nc 0.000-150.000\n");
    assert_non_null(strstr(log.sayings, "260 a published: 0 MiB, cores 0 %\n260 b no container runs: released\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_published_when_it_differs),
        cmocka_unit_test(lists_delay_what_is_published),
        cmocka_unit_test(the_first_runs_and_the_others_follow),
        cmocka_unit_test(one_command_each_pauses_one_after_another),
        cmocka_unit_test(by_the_letter_the_next_goes_on_at_once),
        cmocka_unit_test(the_next_goes_on_once_the_latest_is_at_work),
        cmocka_unit_test(the_latest_is_at_work_once_its_memory_is_at_rest),
        cmocka_unit_test(above_95_percent_of_the_memory_one_is_paused_again),
        cmocka_unit_test(one_that_allocates_again_queues_up_behind),
        cmocka_unit_test(an_empty_list_is_published),
        cmocka_unit_test(one_paused_without_memory_is_let_go),
        cmocka_unit_test(with_input_all_copy_before_they_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
