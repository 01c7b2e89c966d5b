// Marks small arithmetic that host and device share, so that a formula of a scheme is written once.
#pragma once

#ifdef __CUDACC__
#define NARROWGATE_HOST_DEVICE __host__ __device__
#define NARROWGATE_DEVICE __device__
#else
#define NARROWGATE_HOST_DEVICE
#define NARROWGATE_DEVICE
#endif
