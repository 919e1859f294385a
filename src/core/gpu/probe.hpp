// Whether this build holds machine code that the current device can run.
#pragma once

namespace tamis::cuda {

bool has_code_for_current_device();

}  // namespace tamis::cuda
