/* A GPU of four SMs that is smsched's engine, so that the runner of tools/capture, and the comparison with what it
 * writes, can be tested where no GPU is. FAKE_CONTENTION is the contention model of this world, FAKE_POLICY its block
 * policy. A part, of a green context or a static partition, has two of its SMs. Its captures say "synthetic". */
#include "tools/capture/gpu.hpp"

#include <smsched/smsched.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include <unistd.h>

namespace
{
constexpr int SMS = 4, PART_SMS = 2, THREADS_PER_SM = 2048, REGISTERS = 32, CLOCK_KHZ = 1000000, SKEW_NS = 5000,
              LAUNCH_NS = 2500, EMPTY_NS = 1000, SLICE_NS = 2000000, TURN_NS = 2100000;

/* Percent of an SM that a block of 128 threads takes at an intensity of 100 %. */
const double demand[RESOURCES] = {40, 42, 36, 40, 44, 38, 34, 48, 52};
const char *const resource_of[RESOURCES] = {"fp32", "fp64", "int", "fp32", "sfu", "shared", "l1", "l2", "dram"};

std::string setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}

struct placed {
    size_t sm;
    uint64_t start_ps;
};

/* What a simulation said, by slot. */
struct seen {
    std::map<uint64_t, placed> block[2]; /* by number, from 1 */
    std::map<std::tuple<int, size_t, uint64_t>, uint64_t> end_ps;
};

void see_decision(seen *s, const sms_decision *decision)
{
    if (decision->sm >= 0)
        s->block[decision->vm[1] - '0'][decision->block] = {(size_t)decision->sm, decision->time_ps};
}

int see(void *user, const sms_run_event *event)
{
    seen *s = (seen *)user;
    if (event->kind == SMS_RUN_DECISION)
        see_decision(s, event->decision);
    else
        s->end_ps[{event->stay->vm[1] - '0', event->stay->sm, event->stay->start_ps}] = event->stay->end_ps;
    return 0;
}

void write_slot(std::ostream &to, int slot, const shape &s, double block_us)
{
    to << "workload: w" << slot << "\nkernels: [{name: k, blocks: " << s.blocks << ", threads: " << s.threads
       << ", registers: " << s.registers << ", shared_memory: " << s.shared_bytes << " B, block_time: " << block_us
       << " us, demand: {" << resource_of[s.kernel] << ": " << demand[s.kernel] * s.intensity_percent / 100
       << " %}}]\n---\n";
}

const char head[] = "device: fake\nclock: 1000 MHz\nsms: 4\nsm: {threads: 2048, warps: 64, blocks: 32, "
                    "registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\nresources:\n"
                    "  fp32: {class: compute}\n  fp64: {class: compute}\n  int: {class: compute}\n"
                    "  sfu: {class: compute}\n  shared: {class: memory}\n  l1: {class: memory}\n"
                    "  l2: {class: memory, scope: device}\n  dram: {class: memory, scope: device}\n---\n";

seen simulate(const std::string &text)
{
    char path[] = "/tmp/fake-gpu-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        throw std::runtime_error("no temporary file");
    close(fd);
    std::ofstream(path) << text;
    seen s;
    sms_errors errors = {};
    sms_file *file = nullptr;
    sms_results *results = nullptr;
    sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.observe = see;
    options.events = SMS_RUN_DECISION | SMS_RUN_STAY;
    options.explain_to_ps = UINT64_MAX;
    options.user = &s;
    int code = sms_file_load(path, nullptr, &file, &errors);
    if (!code)
        code = sms_run(sms_file_scenario(file, 0), &options, &results, &errors);
    unlink(path);
    sms_errors_print(&errors, stderr);
    sms_results_free(results);
    sms_file_free(file);
    if (code)
        throw std::runtime_error("the simulation failed");
    return s;
}
} // namespace

struct gpu::inside {
    explicit inside(bool green) : parts(green || getenv("CUDA_MPS_SM_PARTITION")) {}
    bool parts;
    double block_us = 0;
    shape pending[2];
    bool is_pending[2] = {false, false};
    std::vector<block_record> done[2];
    unsigned long long now_ns = 1000000000;

    void run();
    std::string program_of(int slot) const;
    void take(const seen &s, int slot);
};

gpu::gpu(int, stream_kind streams) : in(new inside(streams == stream_kind::GREEN)) {}
gpu::~gpu() = default;

gpu_facts gpu::facts() const
{
    gpu_facts f = {};
    snprintf(f.device, sizeof f.device, "smsched, four SMs");
    f.synthetic = true;
    f.sms = getenv("CUDA_MPS_SM_PARTITION") ? PART_SMS : SMS; /* a client sees its partition alone */
    f.part_sms = in->parts ? PART_SMS : SMS;
    f.clock_khz = CLOCK_KHZ;
    f.threads_per_sm = THREADS_PER_SM;
    f.blocks_per_sm = 32;
    f.registers_per_sm = 65536;
    f.shared_per_sm = f.shared_per_block = 96 * 1024;
    f.timer_step_ns = 1;
    return f;
}

void gpu::prepare(shape &shape, double block_us)
{
    in->block_us = block_us;
    shape.registers = REGISTERS;
    shape.resident = THREADS_PER_SM / shape.threads;
    shape.rounds = 20 * (unsigned)shape.intensity_percent;
    shape.idle_cycles = 100 - (unsigned)shape.intensity_percent;
}

void gpu::launch(int slot, const shape &shape)
{
    in->pending[slot] = shape;
    in->is_pending[slot] = true;
}

void gpu::inside::take(const seen &s, int slot)
{
    done[slot].clear();
    for (const auto &[number, at] : s.block[slot]) {
        unsigned long long start = at.start_ps / 1000, end = s.end_ps.at({slot, at.sm, at.start_ps}) / 1000;
        done[slot].push_back({now_ns + start, now_ns + end, (end - start) * CLOCK_KHZ / 1000000, (unsigned)at.sm, 0});
    }
    is_pending[slot] = false;
}

/* A process in a partition has slot 0, and the second of them the other SMs, as the name of its partition says. */
std::string gpu::inside::program_of(int slot) const
{
    std::string workload = "workload: w" + std::to_string(slot);
    if (!parts)
        return workload;
    bool second = slot == 1 || setting("CUDA_MPS_SM_PARTITION", "") == "GPU-fake/second";
    return "streams: [{" + workload + ", sms: " + (second ? "[2-3]" : "[0-1]") + "}]";
}

/* All that was launched and not waited for, together. */
void gpu::inside::run()
{
    std::ostringstream text;
    text << head;
    for (int i = 0; i < 2; i++)
        if (is_pending[i])
            write_slot(text, i, pending[i], pending[i].rounds ? block_us : EMPTY_NS / 1e3);
    std::string policy = setting("FAKE_POLICY", "most_room");
    text << "scenario: s\ndevices: [{model: fake}]\nqueue: fifo\npolicies: ["
         << (parts ? "{mode: mps, block: " + policy + "}" : policy)
         << "]\ncontention: " << setting("FAKE_CONTENTION", "{model: proportional, slope: 1}")
         << (parts ? "\nprocesses:\n" : "\nvms:\n");
    for (int i = 0; i < 2; i++)
        if (is_pending[i])
            text << "  - {name: v" << i << ", start: " << i * SKEW_NS << " ns, " << program_of(i) << "}\n";
    seen s = simulate(text.str());
    for (int i = 0; i < 2; i++)
        if (is_pending[i])
            take(s, i);
    now_ns += 1000000000;
}

double gpu::launch_ns(const shape &, unsigned) { return LAUNCH_NS; }

/* Slices of 2 ms, between which 100 us pass. FAKE_ALONE: nobody takes turns. */
std::vector<block_record> gpu::watch(int slot, double us)
{
    std::vector<block_record> all;
    unsigned long long now = (unsigned long long)slot * TURN_NS, end = (unsigned long long)(us * 1e3);
    if (getenv("FAKE_ALONE"))
        return {{now, end, 0, 0, 0}};
    for (; now < end; now += 2 * TURN_NS)
        all.push_back({now, now + SLICE_NS, 0, 0, 0});
    return all;
}

std::vector<block_record> gpu::wait(int slot)
{
    if (in->is_pending[slot])
        in->run();
    return in->done[slot];
}
