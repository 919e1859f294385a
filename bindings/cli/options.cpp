#include "options.hpp"

#include <limits>

namespace tamis::cli {

void InputFlags::add_to(CLI::App& app) {
  const char* const group = "Reading";
  const auto remember = [this](const std::string& text) {
    spacing_text = text;
    return parse_spacing(text);
  };
  add_value(app, "--spacing", "LENGTH", read.spacing, remember,
            "size of a voxel with its unit, 2.5um or 1x1x2um (x first); overrides what the file says")
      ->group(group);
  add_value(
      app, "--channel", "N|luma", read.channel, [](const std::string& text) { return text; },
      "what to take of a colour image or of a file of several channels: one of them, counted from 0, or luma")
      ->group(group);
  add_value(app, "--shape", "WxHxD", read.shape, parse_shape,
            "extent of a raw file in voxels, x first; otherwise read off its name, foam_600x600x250_u8.raw")
      ->group(group);
  add_value(app, "--dtype", "u8|u16|i16|f32|i8|u32|i32|u64|i64|f64", read.dtype, parse_type,
            "sample type of a raw file; otherwise read off its name")
      ->group(group);
  add_value(
      app, "--byte-order", "little|big", read.byte_order,
      [](const std::string& text) { return parse_choice(text, byte_orders); }, "byte order of a raw file")
      ->default_str("little")
      ->group(group);
  add_value(
      app, "--time", "N", read.time,
      [](const std::string& text) { return parse_integer(text, 0, std::numeric_limits<std::int64_t>::max()); },
      "which time of a file that holds several, counted from 0")
      ->group(group);
  app.add_flag("--follow", read.follow,
               "open what a file refers to (external data of HDF5, of .nhdr and .mhd) also outside its own folder")
      ->group(group);
  app.add_flag("--unconfined", read.unconfined,
               "decode files in a process that is not confined, where this system cannot confine one")
      ->group(group);
}

void RegionFlags::add_crop_to(CLI::App& app) {
  const auto remember = [this](const std::string& text) {
    crop_text = text;
    return parse_crop(text);
  };
  add_value(app, "--crop", "X0:X1,Y0:Y1,Z0:Z1", crop, remember, "only this box of the image, ends excluded, x first")
      ->group("Region");
}

void RegionFlags::add_to(CLI::App& app) {
  add_value(
      app, "--roi", "cylinder|FILE", roi, [](const std::string& text) { return text; },
      "only what lies in the inscribed cylinder of the slices (the field of view of a tomograph), or where this "
      "mask is not 0; counts for the threshold too")
      ->group("Region");
  add_crop_to(app);
}

void ComputeFlags::add_to(CLI::App& app) {
  const char* const group = "Running";
  add_value(app, "--device", "auto|cpu|cuda|cuda:N", device, parse_device,
            "where to compute: auto takes a GPU where there is one and the image is large enough to pay for it; "
            "tamis devices lists them")
      ->default_str("auto")
      ->group(group);
  add_value(app, "--device-memory", "SIZE", device_memory_bytes, parse_bytes,
            "limit for memory on the GPU; the work is cut into slabs that fit")
      ->group(group);
  add_cpu_to(app);
}

void ComputeFlags::add_cpu_to(CLI::App& app) {
  const char* const group = "Running";
  add_value(
      app, "--threads", "N", threads,
      [](const std::string& text) { return static_cast<int>(parse_integer(text, 1, 4096)); },
      "threads to use; otherwise all cores")
      ->group(group);
  add_memory_to(app);
  add_value(
      app, "--simd", "best|avx512|avx2|portable", simd,
      [](const std::string& text) { return parse_choice(text, simds); },
      "instruction set; the result is the same with any")
      ->default_str("best")
      ->group(group);
  add_quiet_to(app);
}

void ComputeFlags::add_memory_to(CLI::App& app) {
  add_value(app, "--memory", "SIZE", memory_bytes, parse_bytes,
            "limit for working memory, 4G or 512M; the work is cut into slabs that fit, or refused")
      ->group("Running");
}

void ComputeFlags::add_quiet_to(CLI::App& app) {
  app.add_flag("-q,--quiet", quiet, "say nothing but errors")->group("Running");
}

Context ComputeFlags::context(Session& session) const {
  Context context = Context::best();
  context.device = device.device;
  context.gpu = device.gpu;
  context.threads = threads;
  context.memory_bytes = memory_bytes;
  context.device_memory_bytes = device_memory_bytes;
  context.simd = simd;
  context.cancel = session.cancel;
  if (!quiet) context.on_progress = [&session](const Progress& progress) { session.progress.report(progress); };
  context.on_stage = [&session](std::string_view stage, double seconds) { session.times.add(stage, seconds); };
  return context;
}

CLI::Option* add_output(CLI::App& app, const std::string& flag, std::string& target, const std::string& description) {
  const auto read = [](const std::string& text) {
    if (text.empty()) throw InputError("wanted the name of a file");
    return text;
  };
  return add_value(app, flag, "FILE", target, read, description)->group("Output");
}

void add_phase(CLI::App& app, Phase& phase) {
  add_value(
      app, "--phase", "bright|dark", phase, [](const std::string& text) { return parse_choice(text, phases); },
      "the object is what lies above the threshold, or the rest (pores of a scan are mostly dark)")
      ->default_str("bright")
      ->group("Object");
}

}  // namespace tamis::cli
