#include "kernels/cuda/library.h"

#include <dlfcn.h>

#include <stdexcept>

namespace narrowgate::cuda {

Library::Library(std::vector<std::string> names) : name_(names.front()) {
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) continue;
    name_ = name;
    return;
  }
}

std::optional<std::string> Library::problem() const {
  if (handle_ != nullptr) return std::nullopt;
  return name_ + " is not installed";
}

void* Library::symbol(const char* function_name) const {
  if (const auto reason = problem()) throw std::runtime_error(*reason);
  void* const found = dlsym(handle_, function_name);
  if (found == nullptr) throw std::runtime_error(name_ + " has no function " + function_name);
  return found;
}

}  // namespace narrowgate::cuda
