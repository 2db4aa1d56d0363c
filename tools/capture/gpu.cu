#include "gpu.hpp"
#include "kernels.cuh"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <cuda.h>

namespace
{
enum {
    SLOTS = 2,
    MOST_BLOCKS = 1 << 20,
    SINK_WORDS = 256,
    SHARED_BYTES = 4096,
    L1_BYTES = 8192,
    TRY_ROUNDS = 256,
    CARVEOUT_PERCENT = 100,
    WATCH_THREADS = 1024,
    PAUSE_NS = 20000 /* far above the timer's steps, below any slice */
};

void check(cudaError_t error, const char *call)
{
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(call) + ": " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error));
}
#define CHECK(call) check((call), #call)

/* Kernels that differ in the registers they hold besides their own, or in their chains. */
enum { VARIANTS = 6 };
struct variants {
    const void *with[VARIANTS];
};
const unsigned extra_registers[VARIANTS] = {0, 32, 96, 0, 0, 0},
               chains_of[VARIANTS] = {CHAINS, CHAINS, CHAINS, 4, 2, 1};

template <resource R> variants variants_of()
{
    return {{(const void *)capture_kernel<R, 0, CHAINS>, (const void *)capture_kernel<R, 32, CHAINS>,
             (const void *)capture_kernel<R, 96, CHAINS>, (const void *)capture_kernel<R, 0, 4>,
             (const void *)capture_kernel<R, 0, 2>, (const void *)capture_kernel<R, 0, 1>}};
}

const void *function_of(const shape &shape)
{
    static const variants all[RESOURCES] = {variants_of<FP32>(), variants_of<FP64>(), variants_of<INT>(),
                                            variants_of<IMAD>(), variants_of<SFU>(),  variants_of<SHARED>(),
                                            variants_of<L1>(),   variants_of<L2>(),   variants_of<DRAM>()};
    for (int i = 0; i < VARIANTS; i++)
        if (extra_registers[i] == shape.extra_registers && chains_of[i] == shape.chains)
            return all[shape.kernel].with[i];
    throw std::runtime_error("extra registers are 0, 32 or 96, and chains 8, or without them 4, 2 or 1");
}

int attribute(cudaDeviceAttr what, int device)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, what, device));
    return value;
}

size_t power_of_two(size_t most)
{
    size_t power = 1;
    while (power * 2 <= most)
        power *= 2;
    return power;
}

__global__ void timer_steps(unsigned *least)
{
    unsigned long long last = global_ns(), step = ~0ull;
    for (int i = 0; i < 200000; i++) {
        unsigned long long now = global_ns();
        if (now != last && now - last < step)
            step = now - last;
        last = now;
    }
    *least = (unsigned)step;
}

/* All threads wait for the end, so that a change of context has a full GPU to save; the first of them writes down the
 * stretches in which it ran, and their number into `count`. */
__global__ void watch_kernel(block_record *record, unsigned *count, unsigned most, unsigned long long lasts_ns,
                             unsigned long long pause_ns)
{
    unsigned long long last = global_ns(), begin = last, end = last + lasts_ns;
    bool first = blockIdx.x == 0 && threadIdx.x == 0;
    unsigned n = 0;
    while (last < end) {
        unsigned long long now = global_ns();
        if (first && now - last > pause_ns && n < most) {
            record[n++] = {begin, last, 0, sm_id(), 0};
            begin = now;
        }
        last = now;
    }
    if (!first)
        return;
    if (n < most)
        record[n++] = {begin, last, 0, sm_id(), 0};
    *count = n;
}
} // namespace

#if CUDART_VERSION >= 12050
namespace
{
void check(CUresult error, const char *call)
{
    if (error != CUDA_SUCCESS)
        throw std::runtime_error(std::string(call) + ": error " + std::to_string((int)error) + " of the driver");
}

/* A function of the driver, asked for by name, because a program that is linked to the driver does not even start where
 * there is none. */
template <typename Function> Function *of_driver(const char *name)
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12050, cudaEnableDefault, &result));
    if (!found)
        throw std::runtime_error(std::string("this driver has no ") + name);
    return (Function *)found;
}
#define DRIVER(function) of_driver<decltype(function)>(#function)

/* Equal and disjoint, as large as the steps of the GPU allow (CUDA Driver API, Green Contexts). Returns their SMs. */
int split_sms(CUdevice device, int major, CUdevResource half[SLOTS])
{
    CUdevResource all;
    unsigned groups = SLOTS, step = major >= 9 ? 8 : 2;
    CHECK(DRIVER(cuDeviceGetDevResource)(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    unsigned sms = all.sm.smCount / SLOTS / step * step;
    CHECK(DRIVER(cuDevSmResourceSplitByCount)(half, &groups, &all, nullptr, 0, sms));
    if (groups < SLOTS)
        throw std::runtime_error("the SMs cannot be split into two green contexts");
    return (int)half[0].sm.smCount;
}

/* The contexts live as long as the process. */
int green_streams(int number, int major, cudaStream_t *streams[SLOTS])
{
    CUdevice device;
    CUdevResource half[SLOTS];
    CHECK(DRIVER(cuDeviceGet)(&device, number));
    int sms = split_sms(device, major, half);
    for (int i = 0; i < SLOTS; i++) {
        CUdevResourceDesc what;
        CUgreenCtx context;
        CHECK(DRIVER(cuDevResourceGenerateDesc)(&what, &half[i], 1));
        CHECK(DRIVER(cuGreenCtxCreate)(&context, what, device, CU_GREEN_CTX_DEFAULT_STREAM));
        CHECK(DRIVER(cuGreenCtxStreamCreate)(streams[i], context, CU_STREAM_NON_BLOCKING, 0));
    }
    return sms;
}
} // namespace
#else
static int green_streams(int, int, cudaStream_t **)
{
    throw std::runtime_error("green contexts need CUDA 12.5; this was built with an earlier one");
}
#endif

struct slot {
    cudaStream_t stream = nullptr;
    block_record *record = nullptr;
    uint4 *memory = nullptr;
    unsigned *sink = nullptr;
    unsigned blocks = 0;
    unsigned long long chunk = 0;
};

struct gpu::inside {
    int device, part_sms;
    size_t l2_part, dram_part; /* bytes that the kernels of L2 and DRAM go through, powers of two */
    slot slots[SLOTS];

    inside(int which, stream_kind streams);
    void make_streams(stream_kind kind);
    ~inside();
    work work_of(slot &to, const shape &shape);
};

/* L2: an eighth, so that two kernels' parts stay in, also where each half of the chip keeps a copy. DRAM: eight times
 * L2 at least. */
gpu::inside::inside(int which, stream_kind streams) : device(which)
{
    CHECK(cudaSetDevice(device));
    size_t l2 = (size_t)attribute(cudaDevAttrL2CacheSize, device), unused = 0, total = 0;
    CHECK(cudaMemGetInfo(&unused, &total));
    l2_part = power_of_two(std::max<size_t>(l2 / 8, 65536));
    dram_part = std::min(2 * power_of_two(std::max<size_t>(8 * l2, 1u << 28)), power_of_two(total / 8));
    make_streams(streams);
    for (slot &s : slots) {
        CHECK(cudaMalloc((void **)&s.record, MOST_BLOCKS * sizeof(block_record)));
        CHECK(cudaMalloc((void **)&s.memory, dram_part));
        CHECK(cudaMalloc((void **)&s.sink, SINK_WORDS * sizeof(unsigned)));
        CHECK(cudaMemset(s.memory, 1, dram_part));
        CHECK(cudaMemset(s.sink, 1, SINK_WORDS * sizeof(unsigned)));
    }
    CHECK(cudaDeviceSynchronize());
}

void gpu::inside::make_streams(stream_kind kind)
{
    part_sms = attribute(cudaDevAttrMultiProcessorCount, device);
    if (kind == stream_kind::GREEN) {
        cudaStream_t *streams[SLOTS] = {&slots[0].stream, &slots[1].stream};
        part_sms = green_streams(device, attribute(cudaDevAttrComputeCapabilityMajor, device), streams);
        return;
    }
    int least = 0, greatest = 0;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    for (int i = 0; i < SLOTS; i++)
        CHECK(cudaStreamCreateWithPriority(&slots[i].stream, cudaStreamNonBlocking,
                                           kind == stream_kind::PRIORITY && i ? greatest : least));
}

/* No errors from here: there is nobody to tell, and the process ends soon. */
gpu::inside::~inside()
{
    for (slot &s : slots) {
        (void)cudaStreamDestroy(s.stream);
        (void)cudaFree(s.record);
        (void)cudaFree(s.memory);
        (void)cudaFree(s.sink);
    }
}

work gpu::inside::work_of(slot &to, const shape &shape)
{
    size_t bytes = shape.kernel == L1       ? (size_t)L1_BYTES
                   : shape.kernel == L2     ? l2_part
                   : shape.kernel == SHARED ? (size_t)SHARED_BYTES
                                            : dram_part;
    if (shape.memory_bytes)
        bytes = power_of_two(std::min(shape.memory_bytes, dram_part));
    work w = {};
    w.record = to.record;
    w.sink = to.sink;
    w.memory = to.memory;
    w.mask = bytes / sizeof(uint4) - 1;
    w.first = shape.kernel == DRAM && !shape.memory_bytes ? to.chunk : 0;
    w.rounds = shape.rounds;
    w.idle_cycles = shape.idle_cycles;
    w.never = 0x5eed5eed;
    w.seed = 3;
    to.chunk += (unsigned long long)shape.rounds * shape.blocks;
    return w;
}

gpu::gpu(int device, stream_kind streams) : in(new inside(device, streams)) {}
gpu::~gpu() = default;

gpu_facts gpu::facts() const
{
    gpu_facts f = {};
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, in->device));
    snprintf(f.device, sizeof f.device, "%s", prop.name);
    CHECK(cudaDriverGetVersion(&f.driver));
    CHECK(cudaRuntimeGetVersion(&f.runtime));
    f.major = prop.major;
    f.minor = prop.minor;
    f.sms = prop.multiProcessorCount;
    f.part_sms = in->part_sms;
    f.clock_khz = attribute(cudaDevAttrClockRate, in->device);
    f.threads_per_sm = prop.maxThreadsPerMultiProcessor;
    f.blocks_per_sm = attribute(cudaDevAttrMaxBlocksPerMultiprocessor, in->device);
    f.registers_per_sm = prop.regsPerMultiprocessor;
    f.shared_per_sm = prop.sharedMemPerMultiprocessor;
    f.shared_reserved = (size_t)attribute(cudaDevAttrReservedSharedMemoryPerBlock, in->device);
    f.shared_per_block = prop.sharedMemPerBlockOptin;
    f.l2_bytes = (size_t)prop.l2CacheSize;
    f.memory_bytes = prop.totalGlobalMem;
    slot &s = in->slots[0];
    void *arguments[] = {&s.sink};
    CHECK(cudaLaunchKernel((const void *)timer_steps, dim3(1), dim3(1), arguments, 0, s.stream));
    CHECK(cudaStreamSynchronize(s.stream));
    CHECK(cudaMemcpy(&f.timer_step_ns, s.sink, sizeof f.timer_step_ns, cudaMemcpyDeviceToHost));
    return f;
}

static void fill_limits(shape &shape)
{
    const void *function = function_of(shape);
    if (shape.kernel == SHARED)
        shape.shared_bytes = std::max<unsigned>(shape.shared_bytes, SHARED_BYTES);
    CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shape.shared_bytes));
    /* The same part of L1 for shared memory in all: an SM that has to change it must be empty first. */
    CHECK(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, CARVEOUT_PERCENT));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, function));
    int resident = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function, (int)shape.threads, shape.shared_bytes));
    if (resident < 1)
        throw std::runtime_error("a block of this shape fits on no SM");
    shape.registers = (unsigned)attributes.numRegs;
    shape.resident = (unsigned)resident;
}

void gpu::prepare(shape &shape, double block_us)
{
    fill_limits(shape);
    struct shape one = shape;
    one.blocks = 1;
    one.idle_cycles = 0;
    one.rounds = TRY_ROUNDS;
    double burst = 0, ns_per_cycle = 0;
    for (int i = 0; i < 3; i++) { /* the last, warm one counts */
        launch(0, one);
        block_record record = wait(0)[0];
        burst = (double)record.cycles / TRY_ROUNDS;
        ns_per_cycle = (double)(record.end_ns - record.start_ns) / (double)record.cycles;
    }
    shape.idle_cycles = (unsigned)std::lround(burst * (100.0 / shape.intensity_percent - 1));
    one.idle_cycles = shape.idle_cycles;
    if (!(ns_per_cycle > 0)) /* too short for the timer's steps; what follows corrects the guess */
        ns_per_cycle = 1;
    one.rounds = (unsigned)std::max(1.0, block_us * 1e3 / ns_per_cycle / (burst + one.idle_cycles));
    launch(0, one);
    block_record record = wait(0)[0];
    double took_us = std::max(1.0, (double)(record.end_ns - record.start_ns) / 1e3);
    shape.rounds = (unsigned)std::max(1.0, std::round(one.rounds * block_us / took_us));
}

void gpu::launch(int slot, const shape &shape)
{
    if (shape.blocks < 1 || shape.blocks > MOST_BLOCKS)
        throw std::runtime_error("a launch has 1 to 1048576 blocks");
    struct slot &s = in->slots[slot];
    work w = in->work_of(s, shape);
    void *arguments[] = {&w};
    CHECK(cudaLaunchKernel(function_of(shape), dim3(shape.blocks), dim3(shape.threads), arguments, shape.shared_bytes,
                           s.stream));
    s.blocks = shape.blocks;
}

std::vector<block_record> gpu::wait(int slot)
{
    struct slot &s = in->slots[slot];
    std::vector<block_record> records(s.blocks);
    CHECK(cudaStreamSynchronize(s.stream));
    CHECK(cudaMemcpy(records.data(), s.record, records.size() * sizeof records[0], cudaMemcpyDeviceToHost));
    return records;
}

/* The first launch is not counted: it may load the kernel. */
double gpu::launch_ns(const shape &shape, unsigned times)
{
    launch(0, shape);
    wait(0);
    auto from = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < times; i++)
        launch(0, shape);
    CHECK(cudaStreamSynchronize(in->slots[0].stream));
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - from;
    return took.count() / times;
}

std::vector<block_record> gpu::watch(int slot, double us)
{
    struct slot &s = in->slots[slot];
    unsigned most = MOST_BLOCKS, blocks = (unsigned)attribute(cudaDevAttrMultiProcessorCount, in->device), n = 0;
    unsigned long long lasts_ns = (unsigned long long)(us * 1e3), pause_ns = PAUSE_NS;
    void *arguments[] = {&s.record, &s.sink, &most, &lasts_ns, &pause_ns};
    CHECK(cudaLaunchKernel((const void *)watch_kernel, dim3(blocks), dim3(WATCH_THREADS), arguments, 0, s.stream));
    CHECK(cudaStreamSynchronize(s.stream));
    CHECK(cudaMemcpy(&n, s.sink, sizeof n, cudaMemcpyDeviceToHost));
    std::vector<block_record> records(std::min(n, most));
    CHECK(cudaMemcpy(records.data(), s.record, records.size() * sizeof records[0], cudaMemcpyDeviceToHost));
    return records;
}
