/* Records on a GPU each kernel alone and pairs of kernels side by side; docs/how-to/capture.md. */
#include "files.hpp"
#include "numbers.hpp"
#include "runner.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>
#include <stdexcept>

namespace
{
const char usage[] =
    "usage: capture --out DIR [OPTION VALUE]...\n"
    "  --sharing streams|green|mps|partition|time_slice\n"
    "                           two streams of one process, without or with a green context of half of the SMs each;\n"
    "                           two processes under MPS, without or with a static partition each (run\n"
    "                           tools/capture/mps for both); or two that take turns, of which only slice and switch\n"
    "                           are measured\n"
    "  --partitions A,B         of MPS, for --sharing partition\n"
    "  --pairs like|unlike      kernels of one intensity, also with themselves; or of all, different kernels or chains "
    "(like)\n"
    "  --most-pairs N           at most N of them, drawn at random, also which is first (all)\n"
    "  --delay US               from the launch of the first of a pair to that of the second (0)\n"
    "  --priority               the second is more urgent: by its stream, or by its client of MPS\n"
    "  --plan                   only say how much would be run, and for how long; needs no GPU\n"
    "  --kernels LIST           of fp32,fp64,int,imad,sfu,shared,l1,l2,dram (all but imad)\n"
    "  --intensity LIST         percent of a block's time that it works on its resource alone (50,100)\n"
    "  --chains LIST            of 1,2,4,8: operations that a thread has under way at once (8)\n"
    "  --threads N              of a block (128)\n"
    "  --blocks-per-sm LIST     grid of a launch, over the SMs (2)\n"
    "  --blocks N               grid of a launch, instead\n"
    "  --shared-memory LIST     bytes of a block (4096)\n"
    "  --extra-registers N      0, 32 or 96 more held by a thread (0)\n"
    "  --block-time US          of a block alone (1000)\n"
    "  --repetitions N          of each run (3)\n"
    "  --device N               (0)\n";

/* PREPARE_LAUNCHES: those of about a block's time each that gpu::prepare makes, in each process. */
constexpr int WARM_UPS = 200, PREPARE_LAUNCHES = 2 * 4, MOST_THREADS_PER_SM = 2048;

struct options {
    std::string out, sharing = "streams";
    std::vector<std::string> partitions;
    std::vector<resource> kernels = {FP32, FP64, INT, SFU, SHARED, L1, L2, DRAM};
    std::vector<int> intensities = {50, 100}, chains = {CHAINS}, blocks_per_sm = {2}, shared_memory = {4096};
    int threads = 128, blocks = 0, extra_registers = 0, repetitions = 3, most_pairs = 0;
    int device = 0;
    bool unlike = false, plan = false, priority = false;
    double block_us = 1000, delay_us = 0;
};

struct wrong_usage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

int number(const std::string &text, int least, int most)
{
    char *end;
    long value = strtol(text.c_str(), &end, 10);
    if (text.empty() || *end || value < least || value > most)
        throw wrong_usage("'" + text + "' is no number from " + std::to_string(least) + " to " + std::to_string(most));
    return (int)value;
}

std::vector<std::string> split(const std::string &list)
{
    std::vector<std::string> parts;
    std::istringstream from(list);
    for (std::string part; std::getline(from, part, ',');)
        parts.push_back(part);
    return parts;
}

resource kernel_named(const std::string &name)
{
    for (int r = 0; r < RESOURCES; r++)
        if (name == resource_name[r])
            return (resource)r;
    throw wrong_usage("unknown kernel '" + name + "'");
}

void set_lists(options &o, const std::string &name, const std::string &value)
{
    const struct {
        const char *name;
        std::vector<int> *to;
        int least, most;
    } lists[] = {{"--intensity", &o.intensities, 1, 100},
                 {"--chains", &o.chains, 1, CHAINS},
                 {"--blocks-per-sm", &o.blocks_per_sm, 1, 4096},
                 {"--shared-memory", &o.shared_memory, 0, 1 << 20}};
    for (const auto &l : lists)
        if (name == l.name) {
            l.to->clear();
            for (const std::string &part : split(value))
                l.to->push_back(number(part, l.least, l.most));
            return;
        }
    if (name == "--kernels") {
        o.kernels.clear();
        for (const std::string &part : split(value))
            o.kernels.push_back(kernel_named(part));
    } else if (name == "--partitions") {
        o.partitions = split(value);
    } else {
        throw wrong_usage("unknown option '" + name + "'");
    }
}

bool is_one_of(const std::string &value, const std::vector<std::string> &words)
{
    return std::find(words.begin(), words.end(), value) != words.end();
}

void set(options &o, const std::string &name, const std::string &value)
{
    const struct {
        const char *name;
        int *to, least, most;
    } numbers[] = {{"--threads", &o.threads, 32, 1024},
                   {"--blocks", &o.blocks, 1, 1 << 20},
                   {"--repetitions", &o.repetitions, 1, 1000},
                   {"--most-pairs", &o.most_pairs, 1, INT_MAX},
                   {"--extra-registers", &o.extra_registers, 0, 96},
                   {"--device", &o.device, 0, 1023}};
    for (const auto &n : numbers)
        if (name == n.name) {
            *n.to = number(value, n.least, n.most);
            return;
        }
    if (name == "--out")
        o.out = value;
    else if (name == "--sharing" && is_one_of(value, {"streams", "green", "mps", "partition", "time_slice"}))
        o.sharing = value;
    else if (name == "--pairs" && is_one_of(value, {"like", "unlike"}))
        o.unlike = value == "unlike";
    else if (name == "--block-time")
        o.block_us = number(value, 1, 10000000);
    else if (name == "--delay")
        o.delay_us = number(value, 0, 10000000);
    else
        set_lists(o, name, value);
}

options parse(int argc, char **argv)
{
    options o;
    for (int i = 1; i < argc; i += 2) {
        bool plan = !strcmp(argv[i], "--plan");
        if (plan || !strcmp(argv[i], "--priority")) {
            (plan ? o.plan : o.priority) = true;
            i--;
            continue;
        }
        if (i + 1 == argc)
            throw wrong_usage(std::string(argv[i]) + " needs a value");
        set(o, argv[i], argv[i + 1]);
    }
    if (o.out.empty() && !o.plan)
        throw wrong_usage("--out is missing");
    if (o.partitions.size() != (o.sharing == "partition" && !o.plan ? 2 : 0))
        throw wrong_usage("--partitions names two, for --sharing partition alone");
    if (o.threads % 32)
        throw wrong_usage("--threads is a multiple of 32");
    return o;
}

/* Of the first of each list of numbers. */
shape shape_of(const options &o, resource kernel, int intensity, int sms)
{
    shape s = {};
    s.kernel = kernel;
    s.intensity_percent = intensity;
    s.chains = (unsigned)o.chains[0];
    s.blocks = (unsigned)(o.blocks ? o.blocks : o.blocks_per_sm[0] * sms);
    s.threads = (unsigned)o.threads;
    s.shared_bytes = (unsigned)o.shared_memory[0];
    s.extra_registers = (unsigned)o.extra_registers;
    return s;
}

void repeat(runner &on, files &to, const char *kind, const options &o, const std::vector<shape> &shapes)
{
    for (int r = 0; r < o.repetitions; r++)
        to.add(kind, r, shapes, on.run(shapes, o.delay_us));
}

/* One block, the grid, and as many blocks as the SMs hold: speed at leisure, alone, and the most the resource gives. */
void capture_alone(runner &on, files &to, const options &o, const shape &s, int sms)
{
    shape one = s, full = s;
    one.blocks = 1;
    full.blocks = s.resident * (unsigned)sms;
    repeat(on, to, "single", o, {one});
    repeat(on, to, "alone", o, {s});
    if (s.intensity_percent == *std::max_element(o.intensities.begin(), o.intensities.end()))
        repeat(on, to, "full", o, {full});
}

/* Keeps at most so many of them, in another order, either of the two first: of two kernels on an SM the older may have
 * an advantage. The generator's numbers are the same everywhere. */
void draw(std::vector<std::vector<shape>> &pairs, size_t most)
{
    std::mt19937 random;
    most = std::min(pairs.size(), most);
    for (size_t i = 0; i < most; i++) {
        std::swap(pairs[i], pairs[i + random() % (pairs.size() - i)]);
        if (random() % 2)
            std::swap(pairs[i][0], pairs[i][1]);
    }
    pairs.resize(most);
}

std::vector<std::vector<shape>> pairs_of(const options &o, const std::vector<shape> &shapes)
{
    std::vector<std::vector<shape>> pairs;
    for (size_t i = 0; i < shapes.size(); i++)
        for (size_t j = i; j < shapes.size(); j++)
            if (o.unlike ? shapes[i].kernel != shapes[j].kernel || shapes[i].chains != shapes[j].chains
                         : shapes[i].intensity_percent == shapes[j].intensity_percent)
                pairs.push_back({shapes[i], shapes[j]});
    if (o.most_pairs)
        draw(pairs, (size_t)o.most_pairs);
    return pairs;
}

/* A shape of each kernel and intensity, with so many blocks for each SM. */
void add_shapes(std::vector<shape> &to, const options &o, int sms, int grid, int chains, int shared)
{
    for (int intensity : o.intensities)
        for (resource kernel : o.kernels) {
            shape s = shape_of(o, kernel, intensity, sms);
            s.chains = (unsigned)chains;
            s.blocks = o.blocks ? s.blocks : (unsigned)(grid * sms);
            s.shared_bytes = (unsigned)shared;
            to.push_back(s);
        }
}

std::vector<shape> shapes_of(const options &o, int sms)
{
    std::vector<shape> shapes;
    for (int shared : o.shared_memory)
        for (int grid : o.blocks_per_sm)
            for (int chains : o.chains)
                add_shapes(shapes, o, sms, grid, chains, shared);
    return shapes;
}

/* A GPU that did nothing has a low clock, and takes some time to raise it. */
void warm_up(runner &on, const options &o, int sms)
{
    shape s = shape_of(o, FP32, 100, sms);
    on.prepare(s, o.block_us);
    s.blocks = s.resident * (unsigned)sms;
    for (int i = 0; i < WARM_UPS; i++)
        on.run({s});
}

/* How much would be run. An SM is at worst as slow as if it ran its blocks one after another, and has at most as many
 * as threads fit. */
void plan(const options &o)
{
    std::vector<shape> shapes = shapes_of(o, 1);
    size_t pairs = pairs_of(o, shapes).size(),
           runs = (2 * shapes.size() + o.kernels.size() + pairs) * (size_t)o.repetitions;
    double full = MOST_THREADS_PER_SM / o.threads,
           grid = o.blocks ? o.blocks : *std::max_element(o.blocks_per_sm.begin(), o.blocks_per_sm.end());
    double blocks = (double)WARM_UPS * full + PREPARE_LAUNCHES * (double)shapes.size() +
                    o.repetitions * ((double)shapes.size() * (1 + grid) + (double)o.kernels.size() * full +
                                     2 * grid * (double)pairs);
    printf("%s: %zu shapes, %zu pairs, %zu runs, at most %.0f s of blocks\n", o.sharing.c_str(), shapes.size(), pairs,
           runs, blocks * o.block_us / 1e6);
}

void capture(const options &o)
{
    bool one_process = is_one_of(o.sharing, {"streams", "green"});
    std::unique_ptr<runner> on = one_process ? on_streams(o.device, o.sharing == "green" ? stream_kind::GREEN
                                                                    : o.priority         ? stream_kind::PRIORITY
                                                                                         : stream_kind::EQUAL)
                                             : on_processes(o.device, o.partitions, o.priority);
    gpu_facts facts = on->facts();
    files to(o.out, facts, o.sharing);
    if (o.sharing == "time_slice") {
        capture_slices(*on, to);
        to.finish();
        return;
    }
    warm_up(*on, o, facts.part_sms);
    if (o.sharing == "streams")
        capture_numbers(*on, to, facts, o.repetitions);
    std::vector<shape> shapes = shapes_of(o, facts.part_sms);
    for (shape &s : shapes) {
        on->prepare(s, o.block_us);
        capture_alone(*on, to, o, s, facts.part_sms);
    }
    for (const std::vector<shape> &pair : pairs_of(o, shapes))
        repeat(*on, to, "pair", o, pair);
    to.finish();
}
} // namespace

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    try {
        options o = parse(argc, argv);
        o.plan ? plan(o) : capture(o);
        return 0;
    } catch (const wrong_usage &error) {
        fprintf(stderr, "capture: %s\n%s", error.what(), usage);
        return 2;
    } catch (const std::exception &error) {
        fprintf(stderr, "capture: %s\n", error.what());
        return 4;
    }
}
