/* One kernel for each resource. A block does `rounds` rounds; a round is a burst of OPERATIONS operations of every
 * thread on the resource, then `idle_cycles` cycles of doing nothing: that is the knob for intensity.
 *
 * Operations are written in PTX, so that no compiler replaces them; each burst has up to CHAINS independent chains, so
 * that throughput counts and not latency; or fewer, which wait for each other's results as programs do. */
#ifndef CAPTURE_KERNELS_CUH
#define CAPTURE_KERNELS_CUH

#include "record.cuh"

/* Never stored in fact: `never` is a number that no sum is. The test keeps what was computed alive. */
struct work {
    block_record *record;
    unsigned *sink;
    const uint4 *memory;
    unsigned long long mask;  /* of an index into `memory` or shared memory: a power of two less 1 */
    unsigned long long first; /* DRAM: the chunk to begin with, so that no launch finds the last one's in L2 */
    unsigned rounds, idle_cycles, never;
    unsigned seed; /* operands, unknown to the compiler */
    unsigned zero; /* likewise; it makes an address wait for a load */
};

template <resource R, int C> struct burst;

/* What a burst computes on, one value a chain, and their sum. */
template <typename T, int C> struct chains {
    T x[C];

    __device__ explicit chains(T over)
    {
        for (int i = 0; i < C; i++)
            x[i] = (T)(threadIdx.x + i) / over;
    }
    __device__ unsigned sum() const
    {
        T s = 0;
        for (int i = 0; i < C; i++)
            s += x[i];
        return (unsigned)s;
    }
};

/* Fused multiply-adds of floating point; T is float or double. */
template <typename T, int C> struct floats : chains<T, C> {
    T a, b;

    __device__ explicit floats(const work &w) : chains<T, C>((T)1), a((T)1 / (T)w.seed), b((T)w.seed) {}
    __device__ void go(const work &, unsigned)
    {
#pragma unroll
        for (int i = 0; i < OPERATIONS; i++)
            if constexpr (sizeof(T) == sizeof(float))
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(this->x[i % C]) : "f"(a), "f"(b));
            else
                asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(this->x[i % C]) : "d"(a), "d"(b));
    }
};

template <int C> struct burst<FP32, C> : floats<float, C> {
    using floats<float, C>::floats;
};

template <int C> struct burst<FP64, C> : floats<double, C> {
    using floats<double, C>::floats;
};

/* Words of integers: INT works on them by LOP3, which only the integer units do (additions may be turned into IMAD);
 * the operands take turns, so that two steps cannot become one. IMAD is the multiply-add, which Volta and later do in
 * the FP32 units. */
template <resource R, int C> struct words : chains<unsigned, C> {
    unsigned a, b, c, d;

    __device__ explicit words(const work &w)
        : chains<unsigned, C>(1), a(w.seed), b(w.seed * 3), c(w.seed * 5), d(w.seed * 7)
    {
    }
    __device__ void go(const work &, unsigned)
    {
#pragma unroll
        for (int i = 0; i < OPERATIONS; i++)
            if constexpr (R == IMAD)
                asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(this->x[i % C]) : "r"(a), "r"(b));
            else if (i / C % 2 == 0)
                asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(this->x[i % C]) : "r"(a), "r"(b));
            else
                asm volatile("lop3.b32 %0, %0, %1, %2, 0x9c;" : "+r"(this->x[i % C]) : "r"(c), "r"(d));
    }
};

template <int C> struct burst<INT, C> : words<INT, C> {
    using words<INT, C>::words;
};

template <int C> struct burst<IMAD, C> : words<IMAD, C> {
    using words<IMAD, C>::words;
};

/* ex2.approx.ftz is one instruction of the special function unit; sin.approx would add a multiplication of FP32. */
template <int C> struct burst<SFU, C> : chains<float, C> {
    __device__ explicit burst(const work &w) : chains<float, C>((float)w.seed) {}
    __device__ void go(const work &, unsigned)
    {
#pragma unroll
        for (int i = 0; i < OPERATIONS; i++)
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(this->x[i % C]));
    }
};

/* A load of 16 B: .ca is kept in L1, .cg in L2 only. */
template <resource R> __device__ inline uint4 load(const uint4 *from)
{
    uint4 v;
    if constexpr (R == L1)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from));
    else
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from));
    return v;
}

__device__ inline uint4 load_shared(unsigned from)
{
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(from));
    return v;
}

extern __shared__ uint4 shared_space[];

/* LOADS loads of 16 B, C in flight at once; then their sum, which waits for them. Neighbouring threads load
 * neighbouring words. Blocks and rounds go through the memory in turn: what is new to DRAM comes round again soon in
 * the small memories of L1 and L2. */
template <resource R, int C> struct loads {
    unsigned total;
    unsigned shared_base;

    __device__ explicit loads(const work &w) : total(w.seed), shared_base(0)
    {
        if constexpr (R == SHARED) {
            for (unsigned i = threadIdx.x; i <= w.mask; i += blockDim.x)
                shared_space[i] = make_uint4(i, w.seed, i, w.seed);
            shared_base = (unsigned)__cvta_generic_to_shared(shared_space);
            __syncthreads();
        }
    }
    __device__ void go(const work &w, unsigned round)
    {
        unsigned long long chunk = w.first + (unsigned long long)round * gridDim.x + blockIdx.x;
        unsigned long long at = chunk * LOADS * blockDim.x + threadIdx.x;
        uint4 v[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++, at += blockDim.x) {
            if (i >= C)
                at += v[i - C].x & w.zero;
            v[i] = R == SHARED ? load_shared(shared_base + (unsigned)(at & w.mask) * (unsigned)sizeof(uint4))
                               : load<R>(w.memory + (at & w.mask));
        }
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            total += v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
    }
    __device__ unsigned sum() const { return total; }
};

template <int C> struct burst<SHARED, C> : loads<SHARED, C> {
    using loads<SHARED, C>::loads;
};

template <int C> struct burst<L1, C> : loads<L1, C> {
    using loads<L1, C>::loads;
};

template <int C> struct burst<L2, C> : loads<L2, C> {
    using loads<L2, C>::loads;
};

template <int C> struct burst<DRAM, C> : loads<DRAM, C> {
    using loads<DRAM, C>::loads;
};

/* Registers that live across the whole kernel: read before the rounds and used only after them, in a chain that begins
 * with what the rounds computed, so that it cannot be worked out before. */
template <int N> struct ballast {
    unsigned held[N ? N : 1];

    __device__ explicit ballast(const work &w)
    {
        if constexpr (N > 0)
#pragma unroll
            for (int i = 0; i < N; i++)
                asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(held[i]) : "l"(w.sink + i));
    }
    __device__ unsigned unload(unsigned x) const
    {
        if constexpr (N > 0)
#pragma unroll
            for (int i = 0; i < N; i++)
                x = (x ^ held[i]) * 2654435761u + held[i];
        return x;
    }
};

/* The burst's results are waited for before the clock is read: the store depends on them. */
template <resource R, int C> __device__ inline void idle(const work &w, const burst<R, C> &b)
{
    if (w.idle_cycles == 0)
        return;
    if (b.sum() == w.never)
        *(volatile unsigned *)w.sink = w.never;
    for (unsigned long long from = sm_cycles(); sm_cycles() - from < w.idle_cycles;)
        ;
}

template <resource R, int EXTRA, int C> __global__ void capture_kernel(work w)
{
    stopwatch watch;
    watch.start();
    ballast<EXTRA> held(w);
    burst<R, C> b(w);
    for (unsigned round = 0; round < w.rounds; round++) {
        b.go(w, round);
        idle<R, C>(w, b);
    }
    unsigned sum = held.unload(b.sum());
    if (sum == w.never)
        *w.sink = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        watch.stop(&w.record[blockIdx.x]);
}

#endif
