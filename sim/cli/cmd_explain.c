/* `smsched explain`: prints the decisions of a span of time. */
#include "cli.h"
#include "run_scenarios.h"
#include "stretches.h"

#include "../base/buffer.h"
#include "../base/escape.h"
#include "../model/scenario.h"
#include "../results/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 40 }; /* of each policy, if no span of time is given */

struct options {
    struct run_options run; /* first: its tables have offset 0 */
    double from_ps, to_ps;  /* -1: not given */
    int format;
};

#define AT(member) offsetof(struct options, member)

static const char *const formats[] = {"table", "csv", NULL};

static const struct cli_option own_options[] = {
    {"from", "TIME", "start the time span here, such as '0 ms'; default 0", CLI_TIME, AT(from_ps), .otherwise = -1},
    {"to", "TIME", "end the time span here, such as '1 ms'; --from needs this option", CLI_TIME, AT(to_ps),
     .otherwise = -1},
    {"format", "FORMAT", "print a table or csv", CLI_CHOICE, AT(format), .choices = formats},
    {0},
};

struct explanation {
    const struct options *given;
    FILE *to; /* temporary, until the last run has succeeded */
    const struct sms_scenario *of;
    const char *scenario;       /* its name */
    const char *shown, *policy; /* scenario and policy of the last line; NULL before the first */
    bool several;               /* scenarios, so their names are printed with those of the policies */
    uint64_t from_ps, to_ps;
    bool whole;   /* the whole run is explained, because no span of time is given; a table has its first lines */
    size_t lines; /* of this policy */
    bool *told;   /* [policies of the scenario]: which have lines */
    struct stretches stretches; /* decisions of `deciding` that are not printed yet */
    const char *deciding;       /* policy of the last decision; NULL before the first */
};

/* As below, of pods: under the modes of the policy and of nodes, which may have instances. */
static bool hides_blocks_of_pods(const struct sms_scenario *scenario, const char *policy)
{
    const size_t p = sms__find_name(policy, scenario->policies, SMS__NAMES(scenario->policy, label));
    const struct sms__mode *mode;
    bool hides = scenario->cluster->profiles.modes != NULL;
    for (size_t i = 0; (mode = sms__mode_shared(&scenario->policy[p].mode, i)) != NULL; i++)
        hides |= mode->form->slices;
    return hides && scenario->vms && scenario->fidelity == SMS__AS_BLOCKS;
}

/* Contexts that take turns have clocks of their own, and instances SMs, so nobody observes their blocks. */
static bool hides_blocks(const struct explanation *explanation, const char *policy)
{
    struct sms__site site;
    bool hides = explanation->of->cluster && hides_blocks_of_pods(explanation->of, policy);
    for (size_t i = 0; !hides && (site = sms__site_under(explanation->of, policy, i)).device; i++)
        hides = site.mode->form->slices || site.device->mig.board;
    return hides;
}

static void end_policy(const struct explanation *explanation)
{
    if (explanation->lines > LINES_SHOWN && explanation->whole && explanation->given->format == FORMAT_TABLE)
        fprintf(explanation->to, "  ... and %zu more lines; --from and --to show a span of time%s\n",
                explanation->lines - LINES_SHOWN,
                explanation->of->vms == 0 || hides_blocks(explanation, explanation->policy) ? "" : ", with its blocks");
}

/* Prints the policy's name before its first line. Returns whether one more line may be printed. */
static bool begin_line(struct explanation *explanation, const char *policy)
{
    if (explanation->shown != explanation->scenario || strcmp(explanation->policy, policy) != 0) {
        end_policy(explanation);
        fputs(explanation->policy ? "\n" : "", explanation->to);
        if (explanation->several)
            fprintf(explanation->to, "%s, ", explanation->scenario);
        fprintf(explanation->to, "%s%s\n", policy,
                !explanation->whole && hides_blocks(explanation, policy)
                    ? ": blocks in time slices and in MIG instances are not shown"
                    : "");
        explanation->lines = 0;
    }
    explanation->shown = explanation->scenario;
    explanation->policy = policy;
    for (size_t p = 0; p < explanation->of->policies; p++)
        explanation->told[p] |= strcmp(explanation->of->policy[p].label, policy) == 0;
    return ++explanation->lines <= LINES_SHOWN || !explanation->whole;
}

/* The moments of VMs and processes are in ms, those of pods from 1 s on in s. */
static bool is_in_s(const struct explanation *explanation, uint64_t time_ps)
{
    return explanation->of->cluster && time_ps >= 1000000000000;
}

static struct moment moment(const struct explanation *explanation, uint64_t time_ps)
{
    const bool in_s = is_in_s(explanation, time_ps);
    struct moment own = moment_in(in_s, time_ps);
    sms__append(own.text, sizeof own.text, in_s ? " s" : " ms");
    return own;
}

/* Prints the first stretches of decisions, until `left` are left. */
static void print_stretches(struct explanation *explanation, size_t left)
{
    struct stretches *all = &explanation->stretches;
    while (all->count > left) {
        const bool in_s = is_in_s(explanation, all->at->from_ps);
        begin_line(explanation, explanation->deciding);
        fprintf(explanation->to, "  %s ", moment_in(in_s, all->at->from_ps).text);
        if (all->at->to_ps > all->at->from_ps)
            fprintf(explanation->to, "to %s ", moment_in(in_s, all->at->to_ps).text);
        fputs(in_s ? "s  " : "ms  ", explanation->to);
        stretches_print(all, in_s, explanation->to);
    }
}

static void fold(struct explanation *explanation, const char *policy, const struct sms_decision *decision)
{
    struct stretches *all = &explanation->stretches;
    if (explanation->deciding && strcmp(explanation->deciding, policy) != 0) {
        print_stretches(explanation, 0);
        all->dispatcher_said = false;
    }
    explanation->deciding = policy;
    while (!stretches_add(all, decision))
        print_stretches(explanation, all->count - 1);
    while (all->count && all->at->ended)
        print_stretches(explanation, all->count - 1);
}

/* Prints a CSV field, empty if the number is negative. */
static void print_number(FILE *to, long number) { fprintf(to, number < 0 ? "," : "%ld,", number); }

/* An event of a process or a pod is a decision with the name as VM, the text as reasons, and no kernel. */
static void print_row(const struct explanation *explanation, const char *policy, const struct sms_decision *decision,
                      long device)
{
    FILE *to = explanation->to;
    const bool is_event = !decision->kernel;
    SMS__PRINT_CSV(to, explanation->scenario, policy);
    fprintf(to, "%.3f,", (double)decision->time_ps / 1e3);
    SMS__PRINT_CSV(to, decision->vm, is_event ? "" : decision->kernel);
    print_number(to, is_event ? -1 : (long)decision->block);
    print_number(to, device);
    print_number(to, decision->sm);
    print_number(to, is_event ? -1 : (long)decision->passed);
    sms__print_csv_quoted(to, decision->reasons);
    if (isnan(decision->score))
        fputs(",\n", to);
    else
        fprintf(to, ",%.9g\n", decision->score);
}

static void print_decision(struct explanation *explanation, const char *policy, const struct sms_decision *decision)
{
    if (explanation->given->format == FORMAT_TABLE)
        fold(explanation, policy, decision);
    else
        print_row(explanation, policy, decision, (long)decision->device);
}

/* Prints an event of a process or a pod. */
static void print_event(struct explanation *explanation, const char *policy, const struct sms_message *message,
                        long device)
{
    const struct sms_decision event = {message->time_ps, .sm = -1, .vm = message->process, .reasons = message->text,
                                       .score = NAN};
    print_stretches(explanation, 0);
    if (explanation->given->format == FORMAT_CSV)
        print_row(explanation, policy, &event, device);
    else if (begin_line(explanation, policy))
        fprintf(explanation->to, "  %s  %s: %s\n", moment(explanation, message->time_ps).text, message->process,
                message->text);
}

static bool is_within(const struct explanation *explanation, uint64_t time_ps)
{
    return time_ps >= explanation->from_ps && time_ps <= explanation->to_ps;
}

static void print_message(struct explanation *explanation, const char *policy, const struct sms_message *message)
{
    if (is_within(explanation, message->time_ps))
        print_event(explanation, policy, message, -1);
}

/* A span is printed when it ends, so the lines are in order of time. */
static void print_span(struct explanation *explanation, const char *policy, const struct sms_span *span)
{
    char text[256], where[100] = "";
    if (!is_within(explanation, span->end_ps))
        return;
    const struct sms__site site = sms__site_under(explanation->of, policy, (size_t)span->device);
    if (site.device && site.device->mig.board)
        snprintf(where, sizeof where, " on instance %zu, %.40s of device %zu", site.number,
                 site.device->mig.profile->name, site.board);
    else if (span->device >= 0)
        snprintf(where, sizeof where, " on device %ld", span->device);
    const char *state = strcmp(span->state, "unplaced") != 0 ? span->state : "waiting for a device";
    snprintf(text, sizeof text, "%.60s%s from %s until now", state, where, moment(explanation, span->start_ps).text);
    const struct sms_message message = {span->end_ps, span->name, text};
    print_event(explanation, policy, &message, span->device);
}

static void print_placement(struct explanation *explanation, const char *policy, const struct sms_placement *placement)
{
    char text[512];
    if (!is_within(explanation, placement->time_ps))
        return;
    snprintf(text, sizeof text, "placed on %s", placement->node);
    for (unsigned i = 0, n = 0; i < 64; i++)
        if (placement->gpus >> i & 1)
            sms__append(text, sizeof text, "%s%u", n++ ? ", " : ", GPU ", i);
    if (placement->profile)
        sms__append(text, sizeof text, ", %s at slice %u", placement->profile, placement->slice);
    if (placement->wait_ps)
        sms__append(text, sizeof text, ", after a wait of %s", sms__bound(SMS__TIME, (double)placement->wait_ps).text);
    const struct sms_message message = {placement->time_ps, placement->pod, text};
    print_event(explanation, policy, &message, -1);
}

static const unsigned explained = SMS_RUN_DECISION | SMS_RUN_MESSAGE | SMS_RUN_SPAN | SMS_RUN_PLACEMENT;

static int observe(void *user, const struct sms_run_event *event)
{
    if (event->kind == SMS_RUN_DECISION)
        print_decision(user, event->policy, event->decision);
    else if (event->kind == SMS_RUN_MESSAGE)
        print_message(user, event->policy, event->message);
    else if (event->kind == SMS_RUN_SPAN)
        print_span(user, event->policy, event->span);
    else
        print_placement(user, event->policy, event->placement);
    return 0;
}

/* When the first launches have passed their dispatcher, and their first waves are on the SMs. */
static double end_of_start_ps(const struct sms_scenario *scenario)
{
    double end_ps = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t d = 0; d < scenario->devices; d++)
            for (size_t k = 0; sms__may_be_on(&scenario->vm[v], d) && k < scenario->vm[v].workload->kernels; k++) {
                const struct sms__footprint *fit = &scenario->vm[v].fit[d][k];
                const struct sms__device *device = scenario->device[d];
                double first_wave = (double)fit->per_sm * (double)device->sms * (double)device->dispatch.block_ps;
                end_ps = fmax(end_ps, (double)fit->launch_ps + first_wave);
            }
    return end_ps;
}

/* Without a span of time, the start of a run of VMs is explained, and the whole run of processes and pods, without
 * blocks. */
static void set_span(const struct sms_scenario *scenario, struct explanation *explanation,
                     struct sms_run_options *settings)
{
    const struct options *given = explanation->given;
    double from = given->from_ps < 0 ? 0 : given->from_ps;
    double least = given->from_ps < 0 && !scenario->shares && !scenario->cluster ? end_of_start_ps(scenario) : 0;
    explanation->whole = given->from_ps < 0 && given->to_ps < 0 && (scenario->shares || scenario->cluster);
    explanation->from_ps = (uint64_t)from;
    explanation->to_ps = explanation->whole ? UINT64_MAX : (uint64_t)(given->to_ps < 0 ? least : given->to_ps);
    settings->explain_from_ps = explanation->from_ps;
    settings->explain_to_ps = explanation->to_ps;
    settings->end_ps = explanation->whole ? 0 : explanation->to_ps + 1; /* what ends later is not shown */
    settings->events = explanation->whole ? explained & ~(unsigned)SMS_RUN_DECISION : explained;
}

/* Names the scenario if none of its policies has a line, or else the policies that have none. */
static void tell_silent(struct explanation *explanation, const struct sms_results *results)
{
    const bool none = explanation->shown != explanation->scenario;
    const double end_ps = explanation->of->duration_ps;
    char over[80];
    const char *why = explanation->whole              ? ""
                      : explanation->given->to_ps < 0 ? " at the start of the run; --from and --to choose a later span"
                                                      : " in this span";
    snprintf(over, sizeof over, " in this span: the run ends at %s", moment(explanation, (uint64_t)end_ps).text);
    if (end_ps > 0 && (double)explanation->from_ps >= end_ps)
        why = over;
    for (size_t i = 0; i < sms_results_policies(results) && !none; i++)
        if (!explanation->told[results->policy[i]])
            fprintf(explanation->to, "\n%s%s%s: there is no decision and no event%s\n",
                    explanation->several ? explanation->scenario : "", explanation->several ? ", " : "",
                    sms_results_policy(results, i), why);
    if (none)
        fprintf(explanation->to, "%s: there is no decision and no event%s\n", explanation->scenario, why);
}

static int explain_scenario(const struct sms_scenario *scenario, struct explanation *explanation,
                            struct sms_run_options *settings)
{
    struct sms_errors errors;
    struct sms_results *results;
    set_span(scenario, explanation, settings);
    explanation->of = scenario;
    explanation->scenario = sms_scenario_name(scenario);
    explanation->told = calloc(scenario->policies, sizeof *explanation->told);
    if (!explanation->told)
        return cli_no_memory();
    int code = sms_run(scenario, settings, &results, &errors);
    print_stretches(explanation, 0);
    end_policy(explanation);
    explanation->lines = 0;
    if (!code && explanation->given->format == FORMAT_TABLE)
        tell_silent(explanation, results);
    free(explanation->told);
    sms_errors_print(&errors, stderr);
    sms_results_free(results);
    return cli_exit_code(code);
}

/* All scenarios are checked before the first run. */
static int check_all(const struct session *session, const struct sms_run_options *settings)
{
    int first = session_expect_some(session);
    for (size_t i = 0; i < session->scenarios; i++) {
        struct sms_errors errors = {0};
        int code = cli_print_errors(sms__run_check(session->scenario[i], settings, &errors), &errors);
        first = first ? first : code;
    }
    return first;
}

/* A run can fail late, so nothing is printed to standard output before all have ended. */
static int explain_all(const struct session *session, struct explanation *explanation, struct sms_run_options *settings)
{
    int code = EXIT_OK;
    if (explanation->given->format == FORMAT_CSV)
        fprintf(explanation->to, "scenario,policy,time_ns,vm,kernel,block,device,sm,passed,reasons,score\n");
    explanation->several = session->scenarios > 1;
    for (size_t i = 0; i < session->scenarios && code == EXIT_OK; i++)
        code = explain_scenario(session->scenario[i], explanation, settings);
    return code;
}

/* Copies the file to standard output. Returns whether all could be read; cli_finish reports a failure to write. */
static bool copy_to_stdout(FILE *from)
{
    char bytes[1 << 16];
    size_t count;
    bool whole = !fflush(from) && !ferror(from);
    rewind(from);
    while (whole && (count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, stdout) < count)
            break;
    return whole && !ferror(from);
}

static int explain_into(struct explanation *explanation, const struct session *session,
                        struct sms_run_options *settings)
{
    explanation->to = tmpfile();
    if (!explanation->to)
        return cli_fail(EXIT_IO, NULL, "a temporary file cannot be made: %s", strerror(errno));
    int code = explain_all(session, explanation, settings);
    if (code == EXIT_OK && !copy_to_stdout(explanation->to))
        code = cli_fail(EXIT_IO, NULL, "the temporary file for the rows cannot be written or read");
    fclose(explanation->to);
    return code;
}

static int explain(struct cli *cli)
{
    struct options *given = cli->options;
    struct session session;
    struct explanation explanation = {.given = given};
    if (given->from_ps >= 0 && given->to_ps < 0)
        return cli_usage(
            cli, "--from needs --to, the end of the time span, because a span to the end of the run would take long");
    if (given->to_ps >= 0 && given->to_ps < given->from_ps)
        return cli_usage(cli, "--to is before --from");
    int code = session_load(&session, cli, &given->run.changes);
    struct sms_run_options settings = run_settings(cli, &given->run);
    settings.alone = false;
    settings.jobs = 1;
    settings.replications = 1;
    settings.observe = observe;
    settings.user = &explanation;
    if (code == EXIT_OK)
        code = check_all(&session, &settings);
    if (code == EXIT_OK)
        code = explain_into(&explanation, &session, &settings);
    session_free(&session);
    return code;
}

const struct cli_command cmd_explain = {
    .name = "explain",
    .args = "SCENARIO",
    .summary = "print the decisions in a time span",
    .text = "Prints where blocks were placed, which SMs were passed over and why, what processes did, and what share "
            "policies report about them, in the first replication of each policy. In the table, decisions that differ "
            "only in time, block and SM share a line; csv has a line for each. Without --from and --to, the table "
            "shows the start of the run for VMs, and the first 40 lines of each policy for processes and pods, without "
            "blocks. Blocks of time slices and of MIG instances are never printed.",
    .examples = "smsched explain scenarios/02-a-server.yaml --policy fine_grained --from '1 ms' --to '1.1 ms'\n",
    .options = {{own_options}, {session_policy}, {session_set}, {run_seed}},
    .common = CLI_MEMORY | CLI_MODELS | CLI_PLUGINS,
    .texts = {{"policy", "explain only the policies of this option, and add any that the scenario lacks (repeatable)"}},
    .size = sizeof(struct options),
    .run = explain};
