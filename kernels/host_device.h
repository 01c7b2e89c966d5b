// Marks small arithmetic that host and device share, so that a formula of a scheme is written once.
#pragma once

#ifdef __CUDACC__
#define NARROWGATE_HOST_DEVICE __host__ __device__
#define NARROWGATE_DEVICE __device__
#else
#define NARROWGATE_HOST_DEVICE
#define NARROWGATE_DEVICE
#endif

// Before a loop that a device shall not unroll: one seldom entered, or too long to repeat.
#ifdef __CUDA_ARCH__
#define NARROWGATE_ROLLED _Pragma("unroll 1")
#else
#define NARROWGATE_ROLLED
#endif
