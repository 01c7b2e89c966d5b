// Tells AddressSanitizer about switches between stacks; does nothing without it.
#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define NARROWGATE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NARROWGATE_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef NARROWGATE_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace narrowgate::simt {

struct StackBounds {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
};

#ifdef NARROWGATE_ADDRESS_SANITIZER
inline constexpr bool kAddressSanitizer = true;

// Before leaving a stack: `save` keeps its fake stack (nullptr when the stack is left for good).
inline void start_switch(void** save, StackBounds to) { __sanitizer_start_switch_fiber(save, to.bottom, to.bytes); }
// After arriving: `saved` is what start_switch kept here, `from` receives the bounds of the stack just left.
inline void finish_switch(void* saved, StackBounds* from) {
  __sanitizer_finish_switch_fiber(saved, from == nullptr ? nullptr : &from->bottom,
                                  from == nullptr ? nullptr : &from->bytes);
}
#else
inline constexpr bool kAddressSanitizer = false;
inline void start_switch(void**, StackBounds) {}
inline void finish_switch(void*, StackBounds*) {}
#endif

// A stack allocator that owns nothing: the stacks belong to the worker, which frees them itself.
struct NoDeallocation {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) {}
};

}  // namespace narrowgate::simt
