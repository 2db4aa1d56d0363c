/* What `smsched explain` prints of what share policies say. */
#include "share_fixture.h"

#include "sim/cli/cli.h"

/* What the program's other files would have. */
atomic_bool cli_interrupted;

int cli_usage(const struct cli *cli, const char *format, ...)
{
    (void)cli, (void)format;
    return EXIT_USAGE;
}

/* Standard output of `explain` of the fixture's file. */
static char *explain(struct cli *cli)
{
    char path[] = "/tmp/smsched-test-XXXXXX", out[] = "/tmp/smsched-out-XXXXXX";
    static char text[4096];
    int file = mkstemp(path), printed = mkstemp(out), kept = dup(STDOUT_FILENO);
    char *args[] = {path};
    assert_true(file >= 0 && printed >= 0 && kept >= 0);
    dprintf(file, tenants, 1, 8, "device");
    cli->args = args;
    cli->n_args = 1;
    cli->share = SOURCE_DIR;
    fflush(stdout);
    dup2(printed, STDOUT_FILENO);
    int code = cmd_explain(cli);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    ssize_t size = pread(printed, text, sizeof text - 1, 0);
    assert_true(code == EXIT_OK && size >= 0);
    text[size] = '\0';
    close(file), close(printed), close(kept);
    unlink(path), unlink(out);
    return text;
}

static void what_is_of_the_span_is_printed(void **state)
{
    (void)state;
    struct cli cli = {.policies = {"round_robin"}, .from_ps = 2e6, .to_ps = 3e6};
    assert_string_equal(explain(&cli), "round_robin\n"
                                       "  0.003000 ms  a: unplaced since 0.000000 ms\n"
                                       "  0.003000 ms  b: unplaced since 0.000000 ms\n"
                                       "  0.003000 ms  c: unplaced since 0.000000 ms\n"
                                       "  0.003000 ms  d: unplaced since 0.000000 ms\n"
                                       "  0.002000 ms  a: waits for \"b\"\n"
                                       "  0.003000 ms  a: goes on\n");
}

static void sayings_are_rows_whose_quotes_are_doubled(void **state)
{
    (void)state;
    struct cli cli = {.policies = {"round_robin"}, .from_ps = 2e6, .to_ps = -1, .format = FORMAT_CSV};
    assert_string_equal(explain(&cli), "policy,time_ns,vm,kernel,block,device,sm,passed,reasons\n"
                                       "round_robin,2000.000,a,,,,,,\"waits for \"\"b\"\"\"\n");
}

static void policies_are_told_apart(void **state)
{
    (void)state;
    struct cli cli = {.from_ps = 1e6, .to_ps = 1e6};
    assert_string_equal(explain(&cli), "round_robin\n  0.001000 ms  a: goes on\n"
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
