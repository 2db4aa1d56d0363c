/* The scenario of a seed: few and small things, times that are often equal, memory that is often too little. No call
 * has two numbers drawn among its arguments: C leaves open which is drawn first. */
#include "draws.h"
#include "share.h"

#include "../../../sim/model/policy/modes.h"
#include "../../../sim/model/policy/registry.h"

/* What kernels are: all by blocks, all by time, or both, which not every mode takes. */
enum form { BLOCKS, WHOLES, BOTH };

struct choices {
    uint64_t *rng;
    FILE *to;
    enum form form;
    unsigned sms, devices, workloads;
    unsigned least; /* SMs that each process has at least, if it wants so many */
    unsigned held;  /* at this step of the workload */
    bool quota;     /* a policy keeps processes to SMs of their own, of which a green context may have none */
    bool unlike;    /* the last device has a resource that the others lack */
    bool needs;     /* and some kernel demands it */
};

static unsigned number(struct choices *c, unsigned from, unsigned to) { return (unsigned)within(c->rng, from, to); }

static void print_link(struct choices *c)
{
    if (chance(c->rng, 20))
        return;
    fprintf(c->to, "link: {bandwidth: %u KB/s", number(c, 1, 8));
    if (chance(c->rng, 50)) {
        fprintf(c->to, ", copy_in_most: %u KB/s", number(c, 1, 9));
        fprintf(c->to, ", copy_out_most: %u KB/s", number(c, 1, 9));
    }
    if (chance(c->rng, 30))
        fprintf(c->to, ", copy_out_spread: %u %%", number(c, 0, 40));
    fputs("}\n", c->to);
}

static void print_device(struct choices *c)
{
    c->sms = number(c, 2, 9);
    fprintf(c->to, "device: small\nclock: 1 GHz\nsms: %u\nmemory: 1000 B\n", c->sms);
    fprintf(c->to, "sm: {threads: 1024, warps: 32, blocks: %u}\n", number(c, 1, 5));
    print_link(c);
    if (chance(c->rng, 25)) {
        fprintf(c->to, "dispatch: {launch: %u us, ", 50 * number(c, 0, 10));
        fprintf(c->to, "block: %u us}\n", 10 * number(c, 0, 10));
    }
    if (chance(c->rng, 20))
        fprintf(c->to, "grids: %u\n", number(c, 1, 4));
    fputs("resources:\n  a: {class: compute}\n  b: {class: memory}\n  c: {class: memory, scope: device}\n", c->to);
    if (chance(c->rng, 50))
        fprintf(c->to, "power: {idle: 10 W, busy: 100 W, limit: 100 W%s}\n",
                chance(c->rng, 50) ? ", shared: 120 W" : "");
    if (chance(c->rng, 30))
        fprintf(c->to, "time_slice: {slice: %u us, newcomer: rest_of_slice}\n", 300 * number(c, 1, 9));
    fprintf(c->to, "mig: {slices: 2, profiles: [{name: half, sms: %u, memory: 500 B, slices: 1, starts: [0, 1]}]}\n",
            c->sms / 2);
    fputs("---\ndevice: old\nclock: 700 MHz\nsms: 5\nsm: {threads: 2048, warps: 64, blocks: 8}\n"
          "resources:\n  a: {class: compute}\n  b: {class: memory}\n  c: {class: memory, scope: device}\n",
          c->to);
}

static void print_demand(struct choices *c)
{
    fputs("demand: {", c->to);
    fprintf(c->to, "a: %u %%", number(c, 0, 5) * 20);
    if (chance(c->rng, 40))
        fprintf(c->to, ", b: %u %%", number(c, 0, 100));
    if (chance(c->rng, 40))
        fprintf(c->to, ", c: %u %%", number(c, 0, 100));
    if (c->unlike && chance(c->rng, 20)) {
        fprintf(c->to, ", d: %u %%", number(c, 1, 100));
        c->needs = true;
    }
    fputs("}", c->to);
}

static void print_kernel(struct choices *c, unsigned k)
{
    bool whole = c->form == WHOLES || (c->form == BOTH && chance(c->rng, 50));
    fprintf(c->to, "  - {name: k%u, ", k);
    if (whole && chance(c->rng, 30)) {
        unsigned ms = number(c, 1, 8), more = number(c, 0, 9);
        fprintf(c->to, "time: {%u %%: %u ms, 20 %%: %u ms}, ", number(c, 0, 1) ? 100 : 80, ms, ms + more / 2);
    } else if (whole) {
        fprintf(c->to, "time: %u ms, ", number(c, 1, 12));
    }
    if (whole) {
        fprintf(c->to, "launches: %u, ", number(c, 1, 40));
        fprintf(c->to, "power: %u W, ", number(c, 0, 120));
        if (chance(c->rng, 30))
            fprintf(c->to, "room: %u %%, ", number(c, 1, 100));
    } else {
        fprintf(c->to, "blocks: %u, ", number(c, 1, 60));
        fprintf(c->to, "threads: %u, ", 32 * number(c, 1, 16));
        fprintf(c->to, "block_time: %u us, ", 100 * number(c, 1, 20));
        if (chance(c->rng, 20))
            fprintf(c->to, "measured_blocks: %u, ", number(c, 1, 60));
    }
    if (chance(c->rng, 20))
        fprintf(c->to, "jitter: %u %%, ", number(c, 0, 30));
    print_demand(c);
    fputs("}\n", c->to);
}

static void print_memory(struct choices *c)
{
    if (c->held == 0 || chance(c->rng, 60)) {
        unsigned bytes = number(c, 1, chance(c->rng, 10) ? 1000 : 200);
        fprintf(c->to, "  - {allocate: %u B}\n", bytes);
        c->held += bytes;
    } else if (chance(c->rng, 50)) {
        fputs("  - {free: all}\n", c->to);
        c->held = 0;
    } else {
        unsigned bytes = number(c, 1, c->held);
        fprintf(c->to, "  - {free: %u B}\n", bytes);
        c->held -= bytes;
    }
}

static void print_step(struct choices *c, unsigned kernels)
{
    switch (number(c, 0, 6)) {
    case 0:
        fprintf(c->to, "  - {host: %u us}\n", 250 * number(c, 0, 12));
        break;
    case 1:
        fprintf(c->to, "  - {copy_in: %u B}\n", number(c, 0, 12));
        break;
    case 2:
        fprintf(c->to, "  - {copy_out: %u B}\n", number(c, 0, 12));
        break;
    case 3:
    case 4:
        print_memory(c);
        break;
    default:
        fprintf(c->to, "  - {launch: k%u, ", number(c, 0, kernels - 1));
        fprintf(c->to, "times: %u", number(c, 1, 3));
        if (chance(c->rng, 20))
            fputs(", graph: true}\n", c->to);
        else
            fprintf(c->to, chance(c->rng, 20) ? ", %s: %u us}\n" : "}\n", chance(c->rng, 50) ? "sync" : "async",
                    250 * number(c, 0, 2));
    }
}

static void print_workload(struct choices *c, unsigned w)
{
    unsigned kernels = number(c, 1, 3), steps = number(c, 0, 7);
    c->held = 0;
    fprintf(c->to, "---\nworkload: w%u\n", w);
    if (chance(c->rng, 15))
        fputs("device: old\n", c->to); /* so it is scaled */
    if (chance(c->rng, 15))
        fputs("exclusive: true\n", c->to);
    if (chance(c->rng, 70))
        fprintf(c->to, "corun_class: %c\n", chance(c->rng, 50) ? 'x' : 'y');
    if (chance(c->rng, 25))
        fprintf(c->to, "overhead: %u %%\n", number(c, 0, 50));
    fputs("kernels:\n", c->to);
    for (unsigned k = 0; k < kernels; k++)
        print_kernel(c, k);
    fputs("steps:\n  - {launch: k0}\n", c->to);
    for (unsigned s = 0; s < steps; s++)
        print_step(c, kernels);
}

/* Two workloads for streams of one process, of which the second waits for the first. */
static void print_events(struct choices *c)
{
    fputs("---\nworkload: first\nkernels:\n", c->to);
    print_kernel(c, 0);
    fputs("steps:\n  - {launch: k0}\n  - {record: e}\n  - {launch: k0}\n  - {record: f}\n", c->to);
    fputs("---\nworkload: second\nkernels:\n", c->to);
    print_kernel(c, 0);
    fprintf(c->to, "steps:\n  - {host: %u us}\n  - {wait: %c}\n", 250 * number(c, 0, 12),
            chance(c->rng, 50) ? 'e' : 'f');
    fprintf(c->to, "  - {launch: k0}\n  - {wait: f%s}\n  - {launch: k0}\n", chance(c->rng, 30) ? ", jobs_ago: 1" : "");
}

static const struct sms_sharing_mode *draw_form(struct choices *c, bool may_split)
{
    const struct sms_sharing_mode *form;
    const unsigned modes = (unsigned)sms__count_known(NULL, SMS__MODE);
    do /* kernels of both forms do not run at once */
        form = sms__known_at(NULL, SMS__MODE, number(c, 0, modes - 1)).item;
    while ((c->form == BOTH && !form->slices && !form->exclusive && !form->instances) ||
           (form->instances && !may_split));
    return form;
}

static void print_one_mode(struct choices *c)
{
    const struct sms_sharing_mode *form = draw_form(c, false);
    fprintf(c->to, "{%s: {", form->name);
    const char *before = "";
    for (const struct sms_param *param = form->params; param && param->name; param++) {
        if (chance(c->rng, 40))
            continue;
        fputs(before, c->to);
        print_param(c->to, c->rng, param);
        before = ", ";
        c->least = strcmp(param->name, "replicas") == 0 ? 1 : c->least;
    }
    if (form->caps && chance(c->rng, 40))
        fprintf(c->to, "%scaps: {p0: %u %%}", before, number(c, 1, 100));
    fputs("}}", c->to);
}

static void print_instances(struct choices *c)
{
    c->least = c->least > c->sms / 2 ? c->sms / 2 : c->least;
    fputs("{mig: {instances: [half, ", c->to);
    if (chance(c->rng, 50)) {
        fputs("{half: ", c->to);
        print_one_mode(c);
        fputs("}]", c->to);
    } else {
        fputs("half]", c->to);
    }
    if (chance(c->rng, 60)) {
        fputs(", inside: ", c->to);
        print_one_mode(c);
    }
    fputs("}}", c->to);
}

static void print_device_mode(struct choices *c)
{
    if (draw_form(c, true)->instances)
        print_instances(c);
    else
        print_one_mode(c);
}

/* One for all devices, or one for each. */
static void print_mode(struct choices *c)
{
    bool list = chance(c->rng, 30);
    fputs(list ? "mode: [" : "mode: ", c->to);
    for (unsigned d = 0; d < (list ? c->devices : 1); d++) {
        fputs(d ? ", " : "", c->to);
        print_device_mode(c);
    }
    fputs(list ? "]" : "", c->to);
}

static void print_policies(struct choices *c)
{
    unsigned blocks = (unsigned)sms__count_known(NULL, SMS__BLOCK), policies = number(c, 1, 3);
    unsigned first = number(c, 0, blocks - 1);
    c->least = c->sms;
    fputs("policies:\n", c->to);
    for (unsigned p = 0; p < policies; p++) { /* no two are the same */
        fprintf(c->to, "  - {share: %s, ", draw_share(c->rng));
        print_mode(c);
        const char *name = sms__known_at(NULL, SMS__BLOCK, (first + p) % blocks).name;
        fprintf(c->to, ", block: %s}\n", name);
        c->quota |= !strcmp(name, "sm_quota");
    }
}

static void print_host(struct choices *c)
{
    if (chance(c->rng, 40))
        return;
    fprintf(c->to, "host: {context: %u B", number(c, 0, 150));
    fprintf(c->to, ", context_time: %u us", 100 * number(c, 0, 20));
    if (chance(c->rng, 50))
        fprintf(c->to, ", cores: %u", number(c, 1, 4));
    if (chance(c->rng, 40)) {
        fprintf(c->to, ", link_in: %u KB/s", number(c, 1, 9));
        fprintf(c->to, ", link_out: %u KB/s", number(c, 1, 9));
    }
    fputs("}\n", c->to);
}

static void print_stream(struct choices *c, bool forever)
{
    fprintf(c->to, "{workload: w%u", number(c, 0, c->workloads - 1));
    if (c->form == BLOCKS && chance(c->rng, 70))
        fprintf(c->to, ", priority: %u", number(c, 0, 2));
    if (chance(c->rng, 25))
        fprintf(c->to, ", count: %u", number(c, 1, 3));
    if (forever && chance(c->rng, 30))
        fputs(", repeat: forever", c->to);
    else if (chance(c->rng, 30))
        fprintf(c->to, ", repeat: %u", number(c, 1, 3));
    fputs("}", c->to);
}

static void print_arrivals(struct choices *c)
{
    unsigned kind = number(c, 0, 3), first = number(c, 0, 9000);
    if (kind == 3)
        fprintf(c->to, ", arrivals: {rate: %u/s}", number(c, 1, 90) * 100);
    else if (kind < 2)
        fprintf(c->to, ", arrivals: {%s: %u us}", kind ? "poisson" : "every", number(c, 1, 90) * 100);
    else
        fprintf(c->to, ", arrivals: {times: [%u us, %u us, %u us, %u us]}", first, first + number(c, 0, 900) * 10,
                first + 9000, first + 11000);
}

/* What runs at once is all by time or all by blocks. Returns whether the streams have workloads of their own. */
static bool print_streams(struct choices *c, bool forever)
{
    bool listed = c->form != BOTH && chance(c->rng, 30);
    if (!listed) {
        fprintf(c->to, ", workload: w%u", number(c, 0, c->workloads - 1));
        if (c->form != BOTH && chance(c->rng, 20))
            fprintf(c->to, ", streams: %u", number(c, 1, 4));
        return false;
    }
    fputs(", streams: [", c->to);
    for (unsigned s = 0, streams = number(c, 1, 3); s < streams; s++) {
        fputs(s ? ", " : "", c->to);
        print_stream(c, forever);
    }
    fputs("]", c->to);
    return true;
}

static void print_process(struct choices *c, unsigned p, bool forever)
{
    fprintf(c->to, "  - {name: p%u", p);
    bool arrives = !print_streams(c, forever) && chance(c->rng, 25);
    if (arrives)
        print_arrivals(c);
    if (forever && chance(c->rng, 50))
        fputs(", repeat: forever", c->to);
    else if (arrives || chance(c->rng, 50))
        fprintf(c->to, ", repeat: %u", number(c, 1, 4));
    if (chance(c->rng, 50)) {
        fprintf(c->to, ", count: %u", number(c, 2, 4));
        fprintf(c->to, ", stagger: %u us", 250 * number(c, 0, 10));
    }
    if (chance(c->rng, 40))
        fprintf(c->to, ", start: %u us", 500 * number(c, 0, 20));
    if (chance(c->rng, 40))
        fprintf(c->to, ", deadline: %u ms", number(c, 1, 60));
    if (p % 3)
        fprintf(c->to, ", class: c%u", p % 2);
    if (chance(c->rng, 40)) {
        fprintf(c->to, ", priority: %u", number(c, 0, 3));
        fprintf(c->to, ", weight: %u %%", number(c, 1, 300));
    }
    if (chance(c->rng, 40))
        fprintf(c->to, ", active_threads: %u %%", number(c, 1, 100));
    if (chance(c->rng, 15))
        fprintf(c->to, ", device: %u", number(c, c->needs ? c->devices - 1 : 0, c->devices - 1));
    if (chance(c->rng, 15))
        fprintf(c->to, ", instance: %u", number(c, 0, 1));
    fprintf(c->to, ", chunks: %u}\n", number(c, 1, c->least)); /* some mode may need them */
}

/* Two streams that wait for each other, often in green contexts that fit on an instance of half of the SMs. */
static void print_events_of_streams(struct choices *c)
{
    fprintf(c->to, "  - {name: q, repeat: %u", number(c, 1, 4));
    fprintf(c->to, ", chunks: %u, streams: [{workload: first", c->least);
    if (chance(c->rng, 50) && !c->quota)
        fprintf(c->to, ", sms: %u", number(c, 1, c->least < c->sms / 2 ? c->least : c->sms / 2));
    fputs("}, {workload: second", c->to);
    if (chance(c->rng, 50) && !c->quota)
        fprintf(c->to, ", sms: [0-%u]", number(c, 0, (c->least < c->sms / 2 ? c->least : c->sms / 2) - 1));
    fputs("}]}\n", c->to);
}

static void print_scenario(struct choices *c)
{
    static const char *const contentions[] = {
        "none",
        "proportional",
        "maxmin",
        "{model: proportional, slope: 1.7}",
        "knee",
        "{model: knee, exponent: 2.5}",
        "pipes",
        "{model: pressure, floor: 10 %, curves: {a: [[100 %, 90 %]], c: [[50 %, 10 %], [100 %, 80 %]]}}",
        "{model: curve, curves: {a: [[50 %, 10 %], [150 %, 90 %]], b: [[100 %, 0 %], [200 %, 70 %]], c: [[100 %, 60 "
        "%]]}}",
        "{model: pairwise, slowdown: {x: {x: 1.3, y: 1.7}, y: {x: 1, y: 2.1}}}",
        NULL};
    bool forever = chance(c->rng, 25);
    c->devices = number(c, 1, 2);
    fprintf(c->to, "---\nscenario: s\ndevices: [{model: small, count: %u}", c->devices);
    if (c->unlike)
        fputs(", {model: small, resources: {d: {class: compute}}}", c->to);
    fputs("]\n", c->to);
    c->devices += c->unlike;
    fprintf(c->to, "contention: %s\n", one_of(c->rng, contentions));
    fprintf(c->to, "queue: %s\n", one_of(c->rng, sms__queue_names));
    print_policies(c);
    print_host(c);
    fputs("processes:\n", c->to);
    for (unsigned p = 0, processes = number(c, 1, 5); p < processes; p++)
        print_process(c, p, forever);
    if (c->form != BOTH)
        print_events_of_streams(c);
    if (forever || chance(c->rng, 15)) {
        fprintf(c->to, "run: {duration: %u ms", number(c, 30, 80));
        fputs(chance(c->rng, 50) ? ", warmup: 4 ms}\n" : "}\n", c->to);
    }
}

void generate(FILE *to, uint64_t seed)
{
    uint64_t rng = seed * 0x2545f4914f6cdd1du;
    struct choices c = {.rng = &rng, .to = to, .form = (enum form)within(&rng, 0, 2)};
    print_device(&c);
    c.unlike = chance(&rng, 25);
    c.workloads = number(&c, 1, 4);
    for (unsigned w = 0; w < c.workloads; w++)
        print_workload(&c, w);
    print_events(&c);
    print_scenario(&c);
}
