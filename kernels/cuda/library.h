// A vendor's library, opened while the program runs: no build depends on it, and a machine without it says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace narrowgate::cuda {

class Library {
 public:
  // The first of the names that the loader finds; best first. Stays open to the end of the program: libraries that hold
  // device state do not close cleanly.
  explicit Library(std::vector<std::string> names);

  // "libcublas.so.13 is not installed"; nothing when it is open.
  std::optional<std::string> problem() const;
  const std::string& name() const { return name_; }

  // Throws std::runtime_error naming the library and the function that it lacks.
  template <class Function>
  Function function(const char* function_name) const {
    return reinterpret_cast<Function>(symbol(function_name));
  }

 private:
  void* symbol(const char* function_name) const;

  std::string name_;  // of what was opened, or what is missing
  void* handle_ = nullptr;
};

}  // namespace narrowgate::cuda
