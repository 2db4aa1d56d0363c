/* libFuzzer: the same for traces of PyTorch's profiler. */
#define FORMAT "kineto"
#define FILE_NAME "trace.json"
#include "fuzz_nsys.c"
