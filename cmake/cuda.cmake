# CUDA is optional: without nvcc everything else builds, and device kernels still run on the host (kernels/simt).
set(NARROWGATE_HAS_CUDA OFF)
set(NARROWGATE_HAS_PEERS OFF)
if(NOT NARROWGATE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 75)
    endif()
    enable_language(CUDA)
    # CMake before 3.26 does not know how nvcc spells C++20; the two options must stand before the standard.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit REQUIRED)
    set(NARROWGATE_HAS_CUDA ON)
  elseif(NARROWGATE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "NARROWGATE_CUDA=ON, but no CUDA compiler was found. Put nvcc on PATH or set CUDACXX.")
  endif()
endif()

# Arithmetic on the device must round as on the host: no contraction, no flushing, exact division and root.
# 554: nvcc warns of View's conversion to a const view where its constraint already excludes it.
target_compile_options(narrowgate_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-ftz=false;-prec-div=true;-prec-sqrt=true;-diag-suppress=554;-Xcompiler=-Wall,-Wextra,-ffp-contract=off>")
# Peers need the types of vendors' libraries at build time, and the libraries themselves only at run time.
if(NARROWGATE_HAS_CUDA)
  find_path(NARROWGATE_CUBLAS_HEADERS cublasLt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_CACHE)
  if(NARROWGATE_CUBLAS_HEADERS)
    set(NARROWGATE_HAS_PEERS ON)
  endif()
endif()
message(STATUS "CUDA kernels: ${NARROWGATE_HAS_CUDA}; kernels of vendors' libraries: ${NARROWGATE_HAS_PEERS}")
