/* Reads `device:` documents, each after the document of its family. A device that was read without complaint is
 * complete: what policies see of it is filled in, and the demands of its backgrounds are shares of its resources. */
#include "file.h"
#include "footprint.h"
#include "limits.h"

#include <string.h>

static const char *const class_names[] = {"compute", "memory", NULL};
static const char *const scope_names[] = {"sm", "device", NULL};

#define F(struct_, member) offsetof(struct struct_, member)

static const struct sms__field resource_fields[] = {
    {"class", SMS__CHOICE, 0, F(sms__resource, cls), .required = true, .choices = class_names,
     .help = "sets the class of the resource: compute or memory"},
    {"scope", SMS__CHOICE, 0, F(sms__resource, scope), .choices = scope_names,
     .help = "says whether each SM has its own (sm, the default) or all SMs share one (device)"},
    {"capacity", SMS__INTEGER, SMS__COUNT, F(sms__resource, capacity), 1, SMS__UNITS_MAX,
     .help = "sets the capacity of an SM, or of the device with scope device, in units that demands may count"},
    {"hard", SMS__CHOICE, 0, F(sms__resource, hard), .choices = sms__truths,
     .help = "says whether usage stays at 100 % or below under every policy; default false"},
    {"knee", SMS__QUANTITY, SMS__NUMBER, F(sms__resource, knee), 1, SMS_KNEE_MAX,
     .help = "sets the exponent of the resource under contention: knee; default: a corner at 100 %"},
    {"warps", SMS__QUANTITY, SMS__RATIO, F(sms__resource, warps), 0, 1 << 19,
     .help = "sets how many resident warps saturate the resource if each warp waits for its previous result; default: "
             "any number"},
    {"lanes", SMS__QUANTITY, SMS__RATIO, F(sms__resource, lanes), 0, 1e6,
     .help = "sets the number of results per cycle and SM"},
    {"bandwidth", SMS__QUANTITY, SMS__BANDWIDTH, F(sms__resource, bandwidth), 1, 1e18,
     .help = "sets the bandwidth of one SM, or of the device with scope device"},
    {"reached", SMS__QUANTITY, SMS__RATIO, F(sms__resource, reached), 0.01, 1,
     .help = "sets the share of the bandwidth that kernels bound by it reach, to scale kernels of another device; "
             "default 100 %"},
    {0}};

const struct sms__field sms__sm_fields[] = {
    {"threads", SMS__INTEGER, SMS__COUNT, F(sms__sm, threads), 32, 1 << 24,
     .help = "sets the maximum number of resident threads of an SM"},
    {"warps", SMS__INTEGER, SMS__COUNT, F(sms__sm, warps), 1, 1 << 19,
     .help = "sets the maximum number of resident warps of an SM"},
    {"warp", SMS__INTEGER, SMS__COUNT, F(sms__sm, warp), 1, 1024,
     .help = "sets the number of threads per warp: 32, or 64 on AMD's CDNA; default 32"},
    {"blocks", SMS__INTEGER, SMS__COUNT, F(sms__sm, blocks), 1, 4096,
     .help = "sets the maximum number of resident blocks of an SM"},
    {"registers", SMS__INTEGER, SMS__COUNT, F(sms__sm, registers), 1, 1 << 28,
     .help = "sets the number of 32-bit registers of an SM"},
    {"shared_memory", SMS__INTEGER, SMS__BYTES, F(sms__sm, shared_memory), 0, 1e12,
     .help = "sets the shared memory of an SM that blocks can use"},
    {"threads_per_block", SMS__INTEGER, SMS__COUNT, F(sms__sm, threads_per_block), 1, 1 << 24,
     .help = "sets the maximum number of threads per block"},
    {"registers_per_thread", SMS__INTEGER, SMS__COUNT, F(sms__sm, registers_per_thread), 1, 65536,
     .help = "sets the maximum number of registers per thread"},
    {"register_unit", SMS__INTEGER, SMS__COUNT, F(sms__sm, register_unit), 1, 65536,
     .help = "sets the unit in which registers are allocated to a warp"},
    {"register_partitions", SMS__INTEGER, SMS__COUNT, F(sms__sm, register_partitions), 1, 64,
     .help = "sets the number of equal parts of the register file"},
    {"shared_memory_unit", SMS__INTEGER, SMS__BYTES, F(sms__sm, shared_memory_unit), 1, 1 << 20,
     .help = "sets the unit in which shared memory is allocated to a block"},
    {"shared_memory_reserved", SMS__INTEGER, SMS__BYTES, F(sms__sm, shared_memory_reserved), 0, 1 << 20,
     .help = "sets the shared memory that the system takes for each block"},
    {"shared_memory_per_block", SMS__INTEGER, SMS__BYTES, F(sms__sm, shared_memory_per_block), 0, 1e12,
     .help = "sets the maximum shared memory per block"},
    {0}};

static const struct sms__field link_fields[] = {
    {"bandwidth", SMS__QUANTITY, SMS__BANDWIDTH, F(sms__device, link_bandwidth), 1, 1e18, .required = true,
     .help = "sets the bandwidth of each direction, which the copies in progress share fairly"},
    {"copy_in_most", SMS__QUANTITY, SMS__BANDWIDTH, F(sms__device, copy_in_most), 1, 1e18,
     .help = "limits the bandwidth of a single copy of a process to the device"},
    {"copy_out_most", SMS__QUANTITY, SMS__BANDWIDTH, F(sms__device, copy_out_most), 1, 1e18,
     .help = "limits the bandwidth of a single copy of a process to the host"},
    {"copy_out_spread", SMS__QUANTITY, SMS__RATIO, F(sms__device, copy_out_spread), 0, 10,
     .help = "sets the share by which each additional copy to the host lengthens all of them, if copy_out_most limits "
             "them"},
    {0}};

static const struct sms__field power_fields[] = {
    {"idle", SMS__QUANTITY, SMS__POWER, F(sms__device, idle_w), 0, 1e6, .required = true,
     .help = "sets the power of the device with no block resident"},
    {"busy", SMS__QUANTITY, SMS__POWER, F(sms__device, busy_w), 0, 1e6, .required = true,
     .help = "sets the power of the device with every SM active"},
    {"shared", SMS__QUANTITY, SMS__POWER, F(sms__device, shared_w), 0, 1e6,
     .help =
         "sets the power with two or more processes; one then draws busy, whatever is active; default: by active SMs"},
    {"limit", SMS__QUANTITY, SMS__POWER, F(sms__device, limit_w), 0, 1e6,
     .help = "sets the power at which the clock falls under coarse kernels; default: none"},
    {"compute_clock", SMS__QUANTITY, SMS__FREQUENCY, F(sms__device, compute_hz), 1, 1e13,
     .help = "sets the clock of SMs whose fp32 units all work, to scale kernels of another device; default: from "
             "fp32_energy"},
    {0}};

/* Returns a copy of the table, of the keys of an override: none of them is required, nor are those of a mapping that
 * the device has. */
static const struct sms__field *optional(struct sms__arena *arena, const struct sms__field *fields,
                                         const struct sms__device *device)
{
    size_t count = 1;
    while (fields[count - 1].name)
        count++;
    struct sms__field *copy = SMS__NEW(arena, struct sms__field, count);
    memcpy(copy, fields, count * sizeof *fields);
    for (struct sms__field *field = copy; field->name; field++) {
        const bool has = (field->fields == link_fields && device->link_bandwidth > 0) ||
                         (field->fields == power_fields && device->busy_w > 0);
        field->required = false;
        field->fields = has ? optional(arena, field->fields, device) : field->fields;
    }
    return copy;
}

static const struct sms__field mps_fields[] = {
    {"clients", SMS__INTEGER, SMS__COUNT, F(sms__device, mps.clients), 1, 1024,
     .help = "sets the maximum number of processes with current drivers"},
    {"clients_before", SMS__INTEGER, SMS__COUNT, F(sms__device, mps.clients_before), 1, 1024,
     .help = "sets the maximum number of processes with older drivers"},
    {"chunk", SMS__INTEGER, SMS__COUNT, F(sms__device, mps.chunk), 1, 1024,
     .help = "sets the number of SMs of the smallest static partition"},
    {0}};

static const struct sms__field green_fields[] = {{"least", SMS__INTEGER, SMS__COUNT, F(sms__device, mps.green_least), 1,
                                                  1024, .help = "sets the number of SMs of the smallest green context"},
                                                 {"step", SMS__INTEGER, SMS__COUNT, F(sms__device, mps.green_step), 1,
                                                  1024, .help = "sets the number of SMs by which green contexts grow"},
                                                 {0}};

static const struct sms__field dispatch_fields[] = {
    {"launch", SMS__QUANTITY, SMS__TIME, F(sms__dispatch, launch_ps), 0, SMS__DISPATCH_MAX_PS,
     .help = "sets the time from a launch until its first block may start; default 0 s"},
    {"block", SMS__INTEGER, SMS__TIME, F(sms__dispatch, block_ps), 0, SMS__DISPATCH_MAX_PS,
     .help = "sets the minimum time between the starts of two blocks on the device; default 0 s"},
    {0}};

/* `none`: blocks start at once, whatever the device file says. */
static void read_dispatch(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__dispatch *dispatch = at;
    if (node->kind == SMS__SCALAR && !strcmp(node->text, "none"))
        *dispatch = (struct sms__dispatch){0};
    else
        sms__read_fields(reader, node, dispatch_fields, dispatch);
}

const char *const sms__newcomers[] = {"whole_slice", "rest_of_slice", NULL};

static const struct sms__field turns_fields[] = {
    {"slice", SMS__QUANTITY, SMS__TIME, F(sms__device, turns.slice_ps), 1e6, 3.6e15,
     .help = "sets how long a context has the device while others wait; default 2 ms"},
    {"switch", SMS__QUANTITY, SMS__TIME, F(sms__device, turns.switch_ps), 0, 6e13,
     .help = "sets how long a context switch takes; default 147 us"},
    {"newcomer", SMS__CHOICE, 0, F(sms__device, turns.newcomer), .choices = sms__newcomers,
     .help = "says what a newcomer waits for if one context had the device: whole_slice (default) or rest_of_slice"},
    {0}};

int sms__resource_index(const struct sms__device *device, const char *name)
{
    const size_t r = sms__find_name(name, device->resources, SMS__NAMES(device->resource, name));
    return r < device->resources ? (int)r : -1;
}

static void read_resource(struct sms__reader *reader, struct sms__device *device, const struct sms__node *key,
                          const struct sms__node *value)
{
    const char *name = sms__read_name(reader, key);
    if (!name)
        return;
    int idx = sms__resource_index(device, name);
    bool known = idx >= 0;
    if (!known && device->resources == SMS_RESOURCES_MAX) {
        sms__complain(reader, key, "more than %d resources", SMS_RESOURCES_MAX);
        return;
    }
    if (!known)
        idx = (int)device->resources++;
    device->resource[idx].name = name;
    const struct sms__field *fields = known ? optional(reader->arena, resource_fields, device) : resource_fields;
    sms__read_fields(reader, value, fields, &device->resource[idx]);
}

static void read_resources(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    if (!sms__expect_kind(reader, node, SMS__MAP))
        return;
    for (size_t i = 0; i + 1 < node->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2)
        if (sms__is_first(reader, node, i))
            read_resource(reader, at, node->item[i], node->item[i + 1]);
}

static void read_background_demand(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__background *background = at;
    sms__read_demand(reader, node, &background->demand, &background->demands);
}

static const struct sms__field background_fields[] = {
    {"sm", SMS__INTEGER, SMS__COUNT, F(sms__background, sm), 0, 1e6, .required = true,
     .help = "gives the number of the SM, from 0"},
    {"demand", SMS__CUSTOM, .required = true, .read = read_background_demand, .form = SMS__FORM_DEMAND,
     .most = SMS_RESOURCES_MAX, .help = "sets the demand of the load, written as for a kernel"},
    {0}};

static void read_background(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__device *device = at;
    if (!sms__expect_kind(reader, node, SMS__LIST))
        return;
    device->background = SMS__NEW(reader->arena, struct sms__background, node->items);
    device->backgrounds = node->items;
    for (size_t i = 0; i < node->items; i++) {
        device->background[i].node = node->item[i];
        sms__read_fields(reader, node->item[i], background_fields, &device->background[i]);
    }
}

static void read_carveouts(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__quantity size;
    ((struct sms__device *)at)->about.carveouts = node;
    for (size_t i = 0; i < node->items; i++)
        sms__read_number(reader, node->item[i], SMS__BYTES, 0, 1e12, &size);
}

enum { SOURCES_MAX = 1000 };

static void read_sources(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    if (!sms__expect_map(reader, node, SOURCES_MAX))
        return;
    ((struct sms__device *)at)->about.sources = node;
    for (size_t i = 0; i + 1 < node->items; i += 2)
        if (sms__is_first(reader, node, i))
            sms__read_text(reader, node->item[i + 1]);
}

const struct sms__field sms__device_fields[] = {
    {"device", SMS__NAME, 0, F(sms__device, name), .required = true, .help = "names the device"},
    {"title", SMS__TEXT, 0, F(sms__device, title), .help = "gives the device's full name"},
    {"source", SMS__TEXT, 0, F(sms__device, source), .help = "says where the numbers come from"},
    {"compute_capability", SMS__TEXT, 0, F(sms__device, capability),
     .help = "gives the compute capability, such as 7.0, by which profiles are recognised"},
    {"clock", SMS__QUANTITY, SMS__FREQUENCY, F(sms__device, clock_hz), 1e3, 1e12, .required = true,
     .help = "sets the SM clock, which converts cycles to time"},
    {"sms", SMS__INTEGER, SMS__COUNT, F(sms__device, sms), 1, 1e6, .required = true,
     .help = "sets the number of SMs of the device"},
    {"memory", SMS__INTEGER, SMS__BYTES, F(sms__device, memory), 0, 1e16, .help = "sets the size of the device memory"},
    {"link", SMS__FIELDS, .fields = link_fields,
     .help = "describes the link to the host; default: copies take no time"},
    {"power", SMS__FIELDS, .fields = power_fields,
     .help = "sets the power that the device draws, for energy and the clock"},
    {"time_slice", SMS__FIELDS, .fields = turns_fields, .help = "says how contexts take turns; a mode overrides it"},
    {"mig", SMS__FIELDS, .read = sms__read_mig, .fields = sms__mig_fields,
     .help = "describes the MIG instances into which the device can be split"},
    {"sm", SMS__FIELDS, .offset = F(sms__device, sm), .required = true, .fields = sms__sm_fields,
     .help = "sets limits and allocation units of an SM; missing ones are those of a V100"},
    {"resources", SMS__FIELDS, .read = read_resources, .required = true, .holds = SMS__NAMED, .fields = resource_fields,
     .least = 1, .most = SMS_RESOURCES_MAX, .help = "describes the resources of the device, each under its name"},
    {"dispatch", SMS__FIELDS, .offset = F(sms__device, dispatch), .read = read_dispatch, .fields = dispatch_fields,
     .word = "none", .help = "sets the cost of launches and of block starts; default: none"},
    {"family", SMS__NAME, 0, F(sms__device, about.family),
     .help = "names a family of models/families.yaml, which gives the missing values"},
    {"process", SMS__TEXT, 0, F(sms__device, about.process),
     .help = "gives the process in which the chip is made, such as 12 nm"},
    {"fp32_energy", SMS__QUANTITY, SMS__ENERGY, F(sms__device, about.fp32_pj), 0.01, 1e6,
     .help =
         "sets the energy per fp32 result of the whole device at the power limit, from which compute_clock follows"},
    {"grids", SMS__INTEGER, SMS__COUNT, F(sms__device, grids), 1, 1e6, .word = "none", .otherwise = "a number of grids",
     .help = "sets the maximum number of grids on the device at the same time; more launches wait; default: no limit"},
    {"mps", SMS__FIELDS, .fields = mps_fields, .help = "sets the limits of MPS"},
    {"green_contexts", SMS__FIELDS, .fields = green_fields, .help = "sets the sizes of green contexts; default: any"},
    {"carveouts", SMS__INTEGER, SMS__BYTES, .min = 0, .max = 1e12, .read = read_carveouts, .holds = SMS__MANY,
     .most = SMS__CARVEOUTS_MAX, .help = "lists the possible sizes of shared memory; kernels always get the largest"},
    {"sources", SMS__CUSTOM, .read = read_sources, .form = SMS__FORM_LABELS,
     .help = "gives the sources of values of the sheet, by row (smsched list devices --sheet)"},
    {"inherits", SMS__NAME, 0, F(sms__device, about.inherits),
     .help = "names another device, which gives the missing values"},
    {"background", SMS__FIELDS, .read = read_background, .holds = SMS__MANY, .fields = background_fields,
     .help = "lists constant load on SMs, which never leaves; not with mig or kernels with a time"},
    {0}};

static const struct sms__table tables[] = {{"device", sms__device_fields},
                                           {"device: sm", sms__sm_fields},
                                           {"device: resources: NAME", resource_fields},
                                           {"device: link", link_fields},
                                           {"device: power", power_fields},
                                           {"device: dispatch", dispatch_fields},
                                           {"device: time_slice", turns_fields},
                                           {"device: mps", mps_fields},
                                           {"device: green_contexts", green_fields},
                                           {"device: background", background_fields},
                                           {NULL, NULL}};

const struct sms__table *sms__device_tables(void) { return tables; }

/* Reads what a device, a family or an entry of a scenario gives. */
static void read_given(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                       struct sms__device *device)
{
    const struct sms__node *sm = sms__node_get(node, "sm");
    sms__read_fields(reader, node, fields, device);
    for (size_t i = 0; sm && sms__sm_fields[i].name; i++)
        if (sms__node_get(sm, sms__sm_fields[i].name))
            device->about.v100s &= ~(1U << i);
}

/* Takes the values of the device's base, or of its family, which its own then replace. */
static void inherit(struct sms__reader *reader, const struct sms__node *node, const struct sms__device *base,
                    struct sms__device *device)
{
    const struct sms__node *name = sms__node_get(node, "family"), *family = NULL;
    if (base) {
        *device = *base;
        device->node = node;
        device->name = NULL; /* its own may be no name, and the base's would then be defined twice */
        device->title = device->source = "";
        device->about.base = base;
    }
    if (name && sms__read_name(reader, name))
        family = sms__find_family(reader, name);
    if (family) {
        device->about.family_node = family;
        read_given(reader, family, optional(reader->arena, sms__device_fields + 1, device), device);
    }
    device->about.family_sources = base ? NULL : device->about.sources;
    device->about.sources = NULL;
}

void sms__read_device(struct sms__reader *reader, const struct sms__node *node, const struct sms__device *base,
                      struct sms__device *device)
{
    *device = (struct sms__device){.node = node,
                                   .title = "",
                                   .source = "",
                                   .capability = "",
                                   .about = {.inherits = "", .family = "", .process = "", .v100s = ~0U}};
    device->turns = (struct sms__turns){.switch_ps = -1, .newcomer = -1};
    device->sm = (struct sms__sm){.warp = 32,
                                  .threads = 2048,
                                  .warps = 64,
                                  .blocks = 32,
                                  .registers = 65536,
                                  .shared_memory = 96 * 1024,
                                  .threads_per_block = 1024,
                                  .registers_per_thread = 255,
                                  .register_unit = 256,
                                  .register_partitions = 4,
                                  .shared_memory_unit = 256,
                                  .shared_memory_per_block = 96 * 1024};
    inherit(reader, node, base, device);
    read_given(reader, node,
               sms__node_get(node, "inherits") ? optional(reader->arena, sms__device_fields, device)
                                               : sms__device_fields,
               device);
    sms__finish_device(reader, device);
}

/* Turns a count of units into a share. */
static void resolve_background(struct sms__reader *reader, const struct sms__device *device, struct sms__demand *demand)
{
    double parts;
    uint64_t count;
    int r = sms__resource_index(device, demand->resource);
    if (r < 0)
        sms__complain_unknown(reader, demand->node, "resource of the device", device->resources,
                              SMS__NAMES(device->resource, name));
    else if (sms__demand_parts(reader, device, (size_t)r, demand, &parts, &count) && count) {
        demand->ratio = parts / SMS_FULL;
        demand->bare = false;
    }
}

static void check_backgrounds(struct sms__reader *reader, const struct sms__device *device)
{
    for (size_t i = 0; i < device->backgrounds; i++) {
        const struct sms__background *background = &device->background[i];
        if (background->sm >= device->sms)
            sms__complain(reader, background->node, "there is no SM %llu; the device has %llu",
                          (unsigned long long)background->sm, (unsigned long long)device->sms);
        for (size_t d = 0; d < background->demands; d++)
            resolve_background(reader, device, &background->demand[d]);
    }
}

static void check_resources(struct sms__reader *reader, const struct sms__device *device)
{
    for (size_t r = 0; r < device->resources; r++) {
        if (device->resource[r].hard && device->resource[r].scope == SMS_SCOPE_DEVICE)
            sms__complain(reader, device->node, "resource '%.60s' is hard: that is for resources of scope sm",
                          device->resource[r].name);
        if (device->resource[r].hard && device->resource[r].knee > 0)
            sms__complain(reader, device->node, "resource '%.60s' is hard: it slows nothing, so it has no knee",
                          device->resource[r].name);
    }
}

static void check_power(struct sms__reader *reader, const struct sms__device *device)
{
    const struct sms__node *power = sms__at_key(device->node, "power");
    const struct {
        const char *key, *words;
        bool wrong;
    } checks[] = {{"shared", "the power of a shared device is less than of an idle one",
                   device->shared_w > 0 && device->shared_w < device->idle_w},
                  {"limit", "the power limit is not above the power of an idle device",
                   device->limit_w > 0 && device->limit_w <= device->idle_w},
                  {"busy", "the power of a busy device is less than of an idle one",
                   device->busy_w < device->idle_w && (device->busy_w > 0 || sms__node_get(power, "busy"))}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i].wrong && !sms__is_wrong(reader, power, checks[i].key) && !sms__is_wrong(reader, power, "idle"))
            sms__complain(reader, sms__at_key(power, checks[i].key), "%s", checks[i].words);
}

void sms__finish_device(struct sms__reader *reader, struct sms__device *device)
{
    if (device->sm.register_partitions > device->sm.registers)
        sms__complain(reader, device->node, "more register partitions than registers");
    const struct sms__node *resources = sms__node_get(device->node, "resources");
    if (device->resources == 0 && resources && resources->kind == SMS__MAP && resources->items == 0)
        sms__complain(reader, resources, "a device needs at least one resource");
    check_power(reader, device);
    check_backgrounds(reader, device);
    check_resources(reader, device);
    for (size_t r = 0; r < device->resources; r++) {
        const struct sms__resource *resource = &device->resource[r];
        device->resource_view[r] =
            (struct sms_resource_view){resource->name, (enum sms_class)resource->cls, (enum sms_scope)resource->scope,
                                       resource->hard != 0, resource->knee};
    }
    device->view = (struct sms_device_view){.name = device->name,
                                            .memory = device->memory,
                                            .clients = device->mps.clients,
                                            .clients_before = device->mps.clients_before,
                                            .chunk = device->mps.chunk ? device->mps.chunk : 1,
                                            .sms = device->sms,
                                            .resources = device->resources,
                                            .resource = device->resource_view};
    sms__sm_capacity(&device->sm, device->view.capacity);
}

void sms__override_device(struct sms__reader *reader, const struct sms__node *node, const struct sms__node *keys,
                          struct sms__device *device)
{
    static const char *const fixed[] = {"family", "inherits"};
    device->node = node;
    for (int i = 0; i < 2; i++)
        if (sms__node_get(keys, fixed[i]))
            sms__complain(reader, sms__node_get(keys, fixed[i]), "key '%s' is for the device's own file", fixed[i]);
    read_given(reader, keys, optional(reader->arena, sms__device_fields + 1, device), device); /* all but the name */
    sms__finish_device(reader, device);
}
