// tamis.devices.
#include <tamis/gpu.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include <tamis/operations/parse.hpp>

#include "python/family/families.hpp"
#include "python/function.hpp"

namespace nb = nanobind;

namespace tamis::python {
namespace {

const char* const devices_doc = R"(What tamis can compute on here: the CPU, then the GPUs that CUDA sees.

Returns
-------
list of dict
    `device` is what the keyword of that name takes ('cpu', 'cuda:0'); `name`; `usable`, and if not, `problem`. GPUs
    also have `compute_capability`, `memory_bytes` and `free_bytes`; the CPU has `cuda_build`, what the GPU part was
    built for, and `why_no_gpu`. Starts CUDA, where there is a GPU.

Examples
--------
>>> import tamis
>>> tamis.devices()[0]["device"]
'cpu'
)";

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::none() : nb::object(nb::str(text.c_str()));
}

nb::dict cpu(const std::string& no_gpu) {
  nb::dict facts;
  facts["device"] = "cpu";
  facts["name"] = Context::best().describe(Device::Cpu);
  facts["usable"] = true;
  facts["problem"] = nb::none();
  facts["cuda_build"] = text_or_none(cuda_build());
  facts["why_no_gpu"] = text_or_none(no_gpu);
  return facts;
}

nb::dict facts_of(const Gpu& gpu) {
  nb::dict facts;
  facts["device"] = device_text({Device::Cuda, gpu.index});
  facts["name"] = gpu.name;
  facts["usable"] = gpu.problem.empty();
  facts["problem"] = text_or_none(gpu.problem);
  facts["compute_capability"] = std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
  facts["memory_bytes"] = gpu.memory_bytes;
  facts["free_bytes"] = gpu.free_bytes;
  return facts;
}

nb::list devices() {
  std::vector<Gpu> found;
  std::string no_gpu;
  {
    const nb::gil_scoped_release released;
    found = gpus();
    no_gpu = why_no_gpu();
  }
  nb::list all;
  all.append(cpu(no_gpu));
  for (const Gpu& gpu : found) all.append(facts_of(gpu));
  return all;
}

}  // namespace

void add_devices(nb::module_& module) {
  add_function(module, Signature("devices", {}, "list[dict[str, typing.Any]]"), devices_doc,
               [](const Values&) -> nb::object { return devices(); });
}

}  // namespace tamis::python
