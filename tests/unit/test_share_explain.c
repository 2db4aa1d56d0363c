/* What `smsched explain` prints of what share policies say. */
#include "share_fixture.h"

#include "sim/cli/cli.h"

enum { ARGS_MAX = 8 };

/* Standard output of `explain` of the fixture's file with these options. */
static char *explain(int argc, const char *const *options)
{
    char path[] = "/tmp/smsched-test-XXXXXX", out[] = "/tmp/smsched-out-XXXXXX";
    static char text[4096];
    const struct cli_command *const commands[] = {&cmd_explain, NULL};
    int file = mkstemp(path), printed = mkstemp(out), kept = dup(STDOUT_FILENO);
    const char *args[ARGS_MAX + 1] = {"explain", path};
    assert_true(file >= 0 && printed >= 0 && kept >= 0 && argc + 2 <= ARGS_MAX);
    memcpy(args + 2, options, (size_t)argc * sizeof *args);
    dprintf(file, tenants, 1, 8, "device");
    fflush(stdout);
    dup2(printed, STDOUT_FILENO);
    int code = cli_run(commands, &cmd_explain, argc + 2, (char **)(uintptr_t)args);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    ssize_t size = pread(printed, text, sizeof text - 1, 0);
    assert_true(code == EXIT_OK && size >= 0);
    text[size] = '\0';
    close(file), close(printed), close(kept);
    unlink(path), unlink(out);
    return text;
}

#define EXPLAIN(...)                                                                                                   \
    explain((int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *[]){__VA_ARGS__})

static void what_is_of_the_span_is_printed(void **state)
{
    (void)state;
    assert_string_equal(EXPLAIN("--policy", "round_robin", "--from", "2 us", "--to", "3 us"),
                        "round_robin\n"
                        "  0.003000 ms  a: waiting for a device from 0.000000 ms until now\n"
                        "  0.003000 ms  b: waiting for a device from 0.000000 ms until now\n"
                        "  0.003000 ms  c: waiting for a device from 0.000000 ms until now\n"
                        "  0.003000 ms  d: waiting for a device from 0.000000 ms until now\n"
                        "  0.002000 ms  a: waits for \"b\"\n"
                        "  0.003000 ms  a: goes on\n");
}

static void sayings_are_rows_whose_quotes_are_doubled(void **state)
{
    (void)state;
    assert_string_equal(EXPLAIN("--policy=round_robin", "--from=2 us", "--to=2 us", "--format=csv"),
                        "scenario,policy,time_ns,vm,kernel,block,device,sm,passed,reasons,score\n"
                        "s,round_robin,2000.000,a,,,,,,\"waits for \"\"b\"\"\",\n");
}

static void policies_are_told_apart(void **state)
{
    (void)state;
    assert_string_equal(EXPLAIN("--from=1 us", "--to=1 us"), "round_robin\n  0.001000 ms  a: goes on\n"
                                                             "\nfine_grained\n  0.001000 ms  a: goes on\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_of_the_span_is_printed),
        TEST(sayings_are_rows_whose_quotes_are_doubled),
        TEST(policies_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
