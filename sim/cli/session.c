/* Loads the files of a command. Scenarios of one command have different names, because results are told apart by them.
 */
#include "session.h"

#include "../base/buffer.h"
#include "../base/escape.h"
#include "../base/intern.h"
#include "../base/room.h"
#include "../base/read.h"
#include "../model/policy/policies.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct session_changes, member)

const struct cli_option session_set[] = {
    {"set", "PATH=VALUE", "set a field of the scenarios, as in --set run.seed=7 (repeatable)", CLI_LIST, AT(set)},
    {0},
};
const struct cli_option session_policy[] = {
    {"policy", "POLICY", "run only the policies of this option, and add any that the scenario lacks (repeatable)",
     CLI_LIST, AT(policies)},
    {0},
};

struct sms_load_options session_options(const struct cli *cli)
{
    return (struct sms_load_options){.models = cli->models,
                                     .installed_models = cli->installed_models,
                                     .plugins = cli->plugins,
                                     .strict = cli->strict,
                                     .max_memory = cli->memory};
}

static bool add_scenario(struct session *session, const struct sms_scenario *scenario)
{
    const struct sms_scenario **grown = sms__room((void *)session->scenario, session->scenarios, sizeof(*grown));
    if (!grown)
        return false;
    session->scenario = grown;
    grown[session->scenarios++] = scenario;
    return true;
}

static int add_file(struct session *session, struct sms_file *file)
{
    struct sms_file **grown = sms__room(session->file, session->files, sizeof(*grown));
    if (!grown) {
        sms_file_free(file);
        return cli_no_memory();
    }
    session->file = grown;
    session->file[session->files++] = file;
    return EXIT_OK;
}

static bool is_changed(const struct session_changes *changes, const struct sms_scenario *scenario)
{
    bool changed = changes && changes->set[0];
    for (size_t i = 0; changes && changes->policies[i]; i++) {
        bool known = false;
        for (size_t p = 0; p < scenario->policies; p++)
            known |= sms__is_called(&scenario->policy[p], changes->policies[i]);
        changed |= !known;
    }
    return changed;
}

static int change_scenarios(struct session *session, struct sms_file *file, const struct session_changes *changes)
{
    struct sms_load_options options = session_options(session->cli);
    const struct sms_settings given = {.set = changes ? changes->set : NULL,
                                       .policies = changes ? changes->policies : NULL};
    for (size_t i = 0; i < sms_file_scenarios(file); i++) {
        struct sms_errors errors;
        struct sms_file *changed = NULL;
        if (!is_changed(changes, file->scenario[i])) {
            if (!add_scenario(session, file->scenario[i]))
                return cli_no_memory();
            continue;
        }
        int code = sms_file_set(file, &options, i, &given, &changed, &errors);
        code = code ? cli_print_errors(code, &errors) : add_file(session, changed);
        if (code)
            return code;
        sms_errors_print(sms_file_warnings(changed), stderr);
        if (!add_scenario(session, changed->scenario[0]))
            return cli_no_memory();
    }
    return EXIT_OK;
}

static const char stdin_name[] = "standard input";

static int load_stdin(const struct sms_load_options *options, struct sms_file **file, struct sms_errors *errors)
{
    struct sms__buffer text = {0};
    char bytes[4096];
    size_t got;
    *errors = (struct sms_errors){0};
    while ((got = fread(bytes, 1, sizeof bytes, stdin)) > 0 && text.length <= SMS__TEXT_BYTES_MAX)
        sms__buffer_add(&text, bytes, got);
    int code = ferror(stdin) ? sms__fail(errors, SMS_EIO, stdin_name, "cannot be read")
               : text.length > SMS__TEXT_BYTES_MAX
                   ? sms__fail(errors, SMS_EINPUT, stdin_name, "is larger than %d MiB", SMS__TEXT_BYTES_MAX >> 20)
               : text.failed
                   ? sms__fail(errors, SMS_ENOMEM, stdin_name, "no memory")
                   : sms_file_load_text(text.bytes ? text.bytes : "", text.length, stdin_name, options, file, errors);
    free(text.bytes);
    return code;
}

static int load_one(struct session *session, const char *path, const struct session_changes *changes)
{
    struct sms_load_options options = session_options(session->cli);
    struct sms_errors errors;
    struct sms_file *file = NULL;
    if (cli_check_file(path, "a file of scenarios"))
        return EXIT_INPUT;
    int code = strcmp(path, "-") ? sms_file_load(path, &options, &file, &errors) : load_stdin(&options, &file, &errors);
    if (code)
        return cli_print_errors(code, &errors);
    sms_errors_print(sms_file_warnings(file), stderr);
    code = add_file(session, file);
    return code ? code : change_scenarios(session, file, changes);
}

struct naming {
    const struct session *session;
    struct sms__arena arena;
    struct sms_errors errors;
};

static int find_same(void *user)
{
    struct naming *naming = user;
    struct sms__string_pool names = {.arena = &naming->arena};
    for (size_t i = 0; i < naming->session->scenarios; i++) {
        const struct sms_scenario *one = naming->session->scenario[i];
        struct sms__pooled_string *name = sms__intern(&names, one->name, strlen(one->name));
        const struct sms_scenario *other = name->fixed;
        if (other && cli_is_same_file(other->node->mark.file, one->node->mark.file)) {
            sms__fail(&naming->errors, SMS_EINPUT, one->node->mark.file, "is given twice");
            break;
        }
        if (other)
            sms__error(&naming->errors, SMS_EINPUT, sms__at_key(one->node, "scenario")->mark,
                       "there is a scenario '%.60s' in '%.200s', too", one->name, other->node->mark.file);
        name->fixed = one;
    }
    return SMS_OK;
}

/* A file alone has no name twice. */
static int check_names(const struct session *session)
{
    struct naming naming = {.session = session};
    const int code = session->cli->n_args > 1 ? sms__guard(&naming.arena, find_same, &naming) : SMS_OK;
    sms__arena_release(&naming.arena);
    if (code)
        return cli_no_memory();
    return naming.errors.count ? cli_print_errors(SMS_EINPUT, &naming.errors) : EXIT_OK;
}

/* Devices and workloads of other files are inputs, too. */
static int check_outputs(const struct session *session)
{
    int code = EXIT_OK;
    for (size_t f = 0; f < session->files && code == EXIT_OK; f++) {
        const struct sms_file *file = session->file[f];
        for (size_t i = 0; i < file->devices && code == EXIT_OK; i++)
            code = cli_check_input(session->cli, file->device[i]->node->mark.file);
        for (size_t i = 0; i < file->workloads && code == EXIT_OK; i++)
            code = cli_check_input(session->cli, file->workload[i]->node->mark.file);
    }
    return code;
}

int session_load(struct session *session, const struct cli *cli, const struct session_changes *changes)
{
    int first = EXIT_OK;
    *session = (struct session){.cli = cli};
    if (cli->n_args == 0)
        return cli_usage(cli, "name a scenario file");
    for (size_t i = 0, inputs = 0; i < cli->n_args; i++)
        if (!strcmp(cli->args[i], "-") && inputs++)
            return cli_usage(cli, "'-' is given twice, and standard input can be read once");
    for (size_t i = 0; i < cli->n_args; i++) {
        int code = load_one(session, cli->args[i], changes);
        first = first ? first : code;
    }
    first = first ? first : check_names(session);
    return first ? first : check_outputs(session);
}

static int read_point(const struct cli *cli, const char *number, uint64_t *point)
{
    size_t digits = strspn(number, "0123456789");
    if (cli->n_args != 1)
        return cli_usage(cli, "--point: name one plan");
    if (digits == 0 || digits > 18 || number[digits])
        return cli_usage(cli, "--point: '%s' is not the number of a point", number);
    *point = strtoull(number, NULL, 10);
    return EXIT_OK;
}

static int load_plan(struct session *session, uint64_t point)
{
    struct sms_errors errors = {0};
    const char *path = session->cli->args[0];
    session->plan_options = session_options(session->cli);
    int code = sms__plan_load(path, &session->plan_options, &session->plan, &errors);
    if (code == SMS_OK && point >= session->plan->points)
        code =
            sms__fail(&errors, SMS_EINPUT, path, "there is no point %llu; the plan has %llu point%s, numbered from 0",
                      (unsigned long long)point, (unsigned long long)session->plan->points,
                      session->plan->points == 1 ? "" : "s");
    if (code == SMS_OK)
        code = sms__worker_context_open(session->plan, true, &session->context, &errors);
    return cli_print_errors(code, &errors);
}

int session_load_point(struct session *session, const struct cli *cli, const char *number,
                       const struct session_changes *changes)
{
    uint64_t point = 0;
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    *session = (struct session){.cli = cli};
    int code = read_point(cli, number, &point);
    code = code ? code : load_plan(session, point);
    if (code)
        return code;
    code = sms__point_load(&session->context, point, &file, NULL, &errors);
    code = code ? cli_print_errors(code, &errors) : add_file(session, file);
    if (code)
        return code;
    sms_errors_print(sms_file_warnings(file), stderr);
    if (is_changed(changes, file->scenario[0]))
        return cli_usage(cli, "--point: a point is what its plan says, without --set and policies that it lacks");
    return add_scenario(session, file->scenario[0]) ? check_outputs(session) : cli_no_memory();
}

bool session_is_plan(const struct session *session, const char *path)
{
    if (strcmp(path, "-") != 0)
        return sms__is_plan(path);
    for (size_t f = 0; f < session->files; f++) {
        const struct sms__doc *doc = session->file[f]->doc;
        for (size_t i = 0; doc && !strcmp(doc->path, stdin_name) && i < doc->roots; i++)
            if (sms__node_get(doc->root[i], "plan"))
                return true;
    }
    return false;
}

int session_expect_some(const struct session *session)
{
    const char *plan = NULL;
    for (size_t i = 0; i < session->cli->n_args && (i == 0 || session->scenarios > 0); i++) {
        const char *path = session->cli->args[i];
        if (!session_is_plan(session, path))
            continue;
        plan = strcmp(path, "-") ? path : "FILE";
        if (session->scenarios == 0 || session->plan) /* a point is of the plan */
            continue;
        sms__print_visible(stderr, strcmp(path, "-") ? path : stdin_name);
        fputs(": its plan is not run, only its scenario; 'smsched sweep ", stderr);
        sms__print_visible(stderr, plan);
        fputs("' runs the plan\n", stderr);
    }
    if (session->scenarios > 0)
        return EXIT_OK;
    if (plan)
        return cli_fail(EXIT_INPUT, strcmp(session->cli->args[0], "-") ? plan : stdin_name,
                        "this is a plan, and has no scenario of its own; 'smsched sweep %s' runs it", plan);
    return cli_fail(EXIT_INPUT, NULL, "no file that was named holds a scenario");
}

const struct cli_option session_trust[] = {
    {"trust", NULL, "print the error of each measurement that covers the answer, and what no measurement covers",
     CLI_FLAG, 0},
    {0},
};

int session_load_trust(struct session *session, bool asked, int format)
{
    struct sms_load_options options = session_options(session->cli);
    struct sms_errors errors;
    if (asked && format != FORMAT_TABLE)
        return cli_usage(session->cli, "--trust is for --format table");
    if (!asked && !sms__trust_exists(&options))
        return EXIT_OK;
    int code = cli_print_errors(sms__trust_load(&options, &session->trust, &errors), &errors);
    session->set.trust = session->trust;
    return code;
}

int session_print_trust(struct session *session, FILE *to)
{
    for (size_t i = 0; session->trust && i < session->set.count; i++) {
        struct sms__trust_names lines;
        struct sms_question asked;
        if (!sms_results_question(session->set.results[i], &asked))
            continue;
        const char *metric = sms__metric_name(asked.subject, asked.metric);
        if (sms__trust_say(session->trust, session->scenario[i], metric, &lines))
            return cli_no_memory();
        fprintf(to, "\nmeasurements that bear on %s of %s\n", sms__metric_words(metric),
                sms_scenario_name(session->scenario[i]));
        for (size_t l = 0; l < lines.count; l++)
            fprintf(to, "  %s\n", lines.name[l]);
    }
    return EXIT_OK;
}

void session_free(struct session *session)
{
    sms__trust_free(session->trust);
    for (size_t i = 0; i < session->set.count; i++)
        sms_results_free(session->set.results[i]);
    free(session->set.results);
    free(session->seconds);
    free(session->scenario);
    for (size_t i = session->files; i > 0; i--) /* changed copies before the files that they share */
        sms_file_free(session->file[i - 1]);
    free(session->file);
    if (session->context.plan)
        sms__worker_context_close(&session->context);
    sms__plan_free(session->plan);
}
