/* The least of CUDA that tools/capture needs to be taken apart by clang without CUDA: declarations, no library. */
#ifndef STUB_CUDA_RUNTIME_H
#define STUB_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdlib.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

struct uint4 {
    unsigned x, y, z, w;
};
static inline __host__ __device__ uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return uint4{x, y, z, w};
}

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

#ifdef __CUDA__
/* What threadIdx.x and the like are: a special register, read where it is named. */
#define STUB_REGISTER(name, special)                                                                                   \
    struct stub_##name {                                                                                               \
        static inline __device__ unsigned read() { return special(); }                                                 \
        __declspec(property(get = read)) unsigned x;                                                                   \
    };                                                                                                                 \
    extern const __device__ stub_##name name
STUB_REGISTER(threadIdx, __nvvm_read_ptx_sreg_tid_x);
STUB_REGISTER(blockIdx, __nvvm_read_ptx_sreg_ctaid_x);
STUB_REGISTER(blockDim, __nvvm_read_ptx_sreg_ntid_x);
STUB_REGISTER(gridDim, __nvvm_read_ptx_sreg_nctaid_x);
#undef STUB_REGISTER
static inline __device__ size_t __cvta_generic_to_shared(const void *from)
{
    return (size_t)(__attribute__((address_space(3))) const char *)from;
}
#endif

#define CUDART_VERSION 12050

typedef struct CUstream_st *cudaStream_t;
typedef enum cudaError { cudaSuccess } cudaError_t;
enum cudaMemcpyKind { cudaMemcpyDeviceToHost = 2 };
enum { cudaStreamNonBlocking = 1, cudaEnableDefault = 0 };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaDeviceAttr {
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
    int regsPerMultiprocessor, major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor;
};
struct cudaFuncAttributes {
    int numRegs;
};

extern "C" {
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what, int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *result);
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemset(void *memory, int value, size_t bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute what, int value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t bytes);
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream);
}

#endif
