/* The GPU as the runner sees it: shapes of launches in, records of blocks out. No CUDA in here. */
#ifndef CAPTURE_GPU_HPP
#define CAPTURE_GPU_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

enum resource { FP32, FP64, INT, IMAD, SFU, SHARED, L1, L2, DRAM, RESOURCES };

/* Of a thread in a burst. CHAINS: the most of them. */
enum { CHAINS = 8, OPERATIONS = 64, LOADS = 8, LOAD_BYTES = 16 };

inline const char *const resource_name[RESOURCES] = {"fp32",   "fp64", "int", "imad", "sfu",
                                                     "shared", "l1",   "l2",  "dram"};

inline bool is_memory(resource r) { return r >= SHARED; }

struct block_record {
    unsigned long long start_ns, end_ns, cycles;
    unsigned sm, unused;
};

/* A launch. `registers`, `resident`, `shared_bytes` (what the kernel needs is added), `rounds` and `idle_cycles` are
 * filled in by prepare. Trivially copyable: it goes through pipes. */
struct shape {
    resource kernel;
    int intensity_percent;
    unsigned chains; /* operations that a thread has under way at once: 1, 2, 4 or CHAINS */
    unsigned blocks, threads, shared_bytes, extra_registers;
    unsigned registers, resident, rounds, idle_cycles;
    size_t memory_bytes; /* that an L2 or DRAM kernel goes through, a power of two; 0: as the kernel needs */

    /* Lane results, or bytes. */
    unsigned long long operations() const
    {
        return (unsigned long long)rounds * threads * (is_memory(kernel) ? LOADS * LOAD_BYTES : OPERATIONS);
    }
    /* Of the bursts; what loops, addresses and waiting add is not counted. */
    unsigned long long warp_instructions() const
    {
        return (unsigned long long)rounds * ((threads + 31) / 32) * (is_memory(kernel) ? LOADS : OPERATIONS);
    }
};

/* What the head of the CSV says. */
struct gpu_facts {
    char device[256];
    bool synthetic;                                              /* no GPU, but a simulation of one: for tests */
    int major, minor, driver, runtime, sms, clock_khz, part_sms, /* SMs that a launch may use */
        threads_per_sm, blocks_per_sm, registers_per_sm;
    size_t shared_per_sm, shared_reserved, shared_per_block, l2_bytes, memory_bytes;
    unsigned timer_step_ns;
};

/* Two streams: equal; each in a green context with half of the SMs; or the second of a higher priority. */
enum class stream_kind { EQUAL, GREEN, PRIORITY };

/* Two slots, each with a stream of its own. Everything throws std::runtime_error with the call that failed. */
class gpu
{
  public:
    explicit gpu(int device, stream_kind streams = stream_kind::EQUAL);
    ~gpu();
    gpu(const gpu &) = delete;
    gpu &operator=(const gpu &) = delete;

    gpu_facts facts() const;
    /* Idle cycles for the intensity and rounds for the block time, both from one block alone; and a launch to warm up.
     */
    void prepare(shape &shape, double block_us);
    void launch(int slot, const shape &shape);            /* does not wait */
    std::vector<block_record> wait(int slot);             /* of the slot's last launch */
    double launch_ns(const shape &shape, unsigned times); /* mean time of so many launches, one right after another */
    /* Fills the GPU for so long with a kernel that watches the time. Each record is a stretch without a pause; in the
     * pauses another process had the GPU. Two processes call it at once, each with a slot of its own. */
    std::vector<block_record> watch(int slot, double us);

  private:
    struct inside;
    std::unique_ptr<inside> in;
};

#endif
