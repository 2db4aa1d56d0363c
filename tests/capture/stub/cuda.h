/* The least of CUDA's driver that tools/capture needs for green contexts: declarations, no library. */
#ifndef STUB_CUDA_H
#define STUB_CUDA_H

typedef enum CUresult { CUDA_SUCCESS } CUresult;
typedef int CUdevice;
typedef struct CUstream_st *CUstream;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef enum CUdevResourceType { CU_DEV_RESOURCE_TYPE_SM = 1 } CUdevResourceType;
enum { CU_GREEN_CTX_DEFAULT_STREAM = 1, CU_STREAM_NON_BLOCKING = 1 };
typedef struct CUdevResource {
    CUdevResourceType type;
    struct {
        unsigned smCount;
    } sm;
} CUdevResource;

extern "C" {
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type);
CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned *groups, const CUdevResource *input,
                                     CUdevResource *remaining, unsigned flags, unsigned least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *desc, CUdevResource *resources, unsigned count);
CUresult cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc desc, CUdevice device, unsigned flags);
CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned flags, int priority);
}

#endif
