#include "threshold/device.hpp"

namespace tamis::threshold_detail {

void for_each_slab_on(const DeviceSamples* device, const Context& context, SliceSource& source,
                      const std::function<void(const Slab&)>& body) {
  if (device && device->holds_all()) {
    Slab whole;
    whole.count = source.layout().shape.z;
    body(whole);
  } else {
    for_each_slab(context, source, body);
  }
}

}  // namespace tamis::threshold_detail
