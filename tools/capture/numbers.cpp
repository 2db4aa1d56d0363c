#include "numbers.hpp"

#include <algorithm>
#include <stdexcept>

namespace
{
enum { SMALL = 32, LARGE = 1024, LAUNCHES = 2000, LEAST_BYTES = 1 << 17 };

const double WATCH_US = 500000; /* some hundred slices */
const double MEMORY_US = 2000;  /* of a block that reads; long against the start of its launch */

struct span {
    double ns, cycles_per_ns; /* from the first block's start to the last one's end; of the longest block */
};

/* The median of the repetitions, by time. */
span lasts(runner &on, const shape &s, int repetitions)
{
    std::vector<span> all;
    for (int i = 0; i < repetitions; i++) {
        const std::vector<block_record> blocks = on.run({s})[0];
        unsigned long long first = blocks[0].start_ns, last = blocks[0].end_ns;
        double longest = 0, cycles = 0;
        for (const block_record &b : blocks) {
            first = std::min(first, b.start_ns);
            last = std::max(last, b.end_ns);
            if ((double)(b.end_ns - b.start_ns) > longest) {
                longest = (double)(b.end_ns - b.start_ns);
                cycles = (double)b.cycles;
            }
        }
        all.push_back({(double)(last - first), longest > 0 ? cycles / longest : 0});
    }
    std::sort(all.begin(), all.end(), [](const span &a, const span &b) { return a.ns < b.ns; });
    return all[all.size() / 2];
}

shape shape_of(resource kernel, unsigned threads, unsigned blocks, double block_us, runner &on)
{
    shape s = {};
    s.chains = CHAINS;
    s.kernel = kernel;
    s.intensity_percent = 100;
    s.threads = threads;
    on.prepare(s, block_us);
    s.blocks = blocks;
    return s;
}

/* Blocks that do nothing but write down when: the slope over their number is what a block's start takes. */
void dispatch(runner &on, files &to, const gpu_facts &facts, int repetitions)
{
    shape s = shape_of(FP32, SMALL, 1, 10, on);
    s.rounds = 0;
    to.add_number("launch", LAUNCHES, on.launch_ns(s, LAUNCHES), "ns");
    for (unsigned per_sm : {1, 64, 128, 256, 512, 1024}) {
        s.blocks = per_sm * (unsigned)facts.sms;
        to.add_number("empty_grid", s.blocks, lasts(on, s, repetitions).ns, "ns");
    }
}

/* One block on each of so many SMs: it takes all shared memory, so no second one fits. */
void dram_by_sms(runner &on, files &to, const gpu_facts &facts, int repetitions)
{
    shape s = {};
    s.chains = CHAINS;
    s.kernel = DRAM;
    s.intensity_percent = 100;
    s.threads = LARGE;
    s.shared_bytes = (unsigned)facts.shared_per_block;
    on.prepare(s, MEMORY_US);
    for (int eighth = 0; eighth <= 8; eighth++) {
        unsigned sms = (unsigned)std::max(1, facts.sms * eighth / 8);
        if (sms == s.blocks)
            continue;
        s.blocks = sms;
        to.add_number("dram_by_sms", s.blocks, (double)s.operations() * s.blocks / lasts(on, s, repetitions).ns,
                      "GB/s");
    }
}

/* Reads that go past L1, of a memory that fits into L2 or does not: the first repetition fills L2. */
void l2_curve(runner &on, files &to, const gpu_facts &facts, int repetitions)
{
    shape s = shape_of(L2, LARGE, (unsigned)facts.sms, MEMORY_US, on);
    s.blocks *= std::max(1u, s.resident);
    for (size_t bytes = LEAST_BYTES; bytes <= std::max<size_t>(8 * facts.l2_bytes, LEAST_BYTES); bytes *= 2) {
        s.memory_bytes = bytes;
        on.run({s});
        to.add_number("l2_curve", (double)bytes, (double)s.operations() * s.blocks / lasts(on, s, repetitions).ns,
                      "GB/s");
    }
}

/* One block, and as many as the SMs hold of the kernels that heat them most. */
void clocks(runner &on, files &to, const gpu_facts &facts, int repetitions)
{
    shape s = shape_of(FP32, LARGE, 1, MEMORY_US, on);
    to.add_number("clock", 1, 1e3 * lasts(on, s, repetitions).cycles_per_ns, "MHz");
    s.blocks = s.resident * (unsigned)facts.sms;
    to.add_number("clock", s.blocks, 1e3 * lasts(on, s, repetitions).cycles_per_ns, "MHz");
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct stretch {
    block_record at;
    int process;
};

/* Of both processes, by time. */
std::vector<stretch> stretches_of(const std::vector<std::vector<block_record>> &records)
{
    std::vector<stretch> all;
    for (size_t process = 0; process < records.size(); process++)
        for (const block_record &at : records[process])
            all.push_back({at, (int)process});
    std::sort(all.begin(), all.end(), [](const stretch &a, const stretch &b) { return a.at.start_ns < b.at.start_ns; });
    return all;
}
} // namespace

/* The first and the last stretch are cut off by the launches. */
void capture_slices(runner &on, files &to)
{
    std::vector<stretch> all = stretches_of(on.watch(WATCH_US));
    std::vector<double> slices, switches;
    for (size_t i = 1; i + 1 < all.size(); i++)
        if (all[i].process != all[i - 1].process && all[i].process != all[i + 1].process) {
            slices.push_back((double)(all[i].at.end_ns - all[i].at.start_ns));
            switches.push_back((double)all[i].at.start_ns - (double)all[i - 1].at.end_ns);
        }
    if (slices.empty())
        throw std::runtime_error("the processes did not take turns; does an MPS daemon run?");
    to.add_number("slice", (double)slices.size(), median(slices), "ns");
    to.add_number("switch", (double)switches.size(), median(switches), "ns");
}

void capture_numbers(runner &on, files &to, const gpu_facts &facts, int repetitions)
{
    dispatch(on, to, facts, repetitions);
    dram_by_sms(on, to, facts, repetitions);
    l2_curve(on, to, facts, repetitions);
    clocks(on, to, facts, repetitions);
}
