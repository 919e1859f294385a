// Files of the C interface.
#include <memory>

#include <tamis/image/channels.hpp>
#include <tamis/io.hpp>

#include "c/call.hpp"
#include "c/context.hpp"
#include "c/error.hpp"
#include "c/result.hpp"

using namespace tamis;
using namespace tamis::c;

tamis_status tamis_read(const tamis_context* caller, const char* path, const char* const* parameters,
                        tamis_result** result) {
  return guarded([&] {
    require_pointer(path, "path", "the name of a file");
    require_pointer(result, "result", "the address of a tamis_result*");
    const CallContext context(caller);
    const Parameters given = read_parameters(reading(), parameters, context.get().cancel);
    auto options = given.arguments.as<ReadOptions>();
    options.cancel = context.get().cancel;
    auto made = std::make_unique<tamis_result>();
    made->add(context.get(), "out", read(path, options));
    context.require_wanted();
    made->finish();
    *result = made.release();
  });
}

tamis_status tamis_write(const tamis_context* caller, const tamis_view* image, const char* path,
                         const char* const* parameters) {
  return guarded([&] {
    require_pointer(image, "image", "the address of a tamis_view");
    require_pointer(path, "path", "the name of a file");
    require_host(*image, "image");
    const CallContext context(caller);
    const Parameters given = read_parameters(writing(), parameters, context.get().cancel);
    const std::unique_ptr<SliceSource> source = source_of(checked(*image, "image"));
    OutputFiles files(context.get().cancel);
    const std::unique_ptr<SliceSink> sink = files.create(path, source->layout(), given.arguments.as<WriteOptions>());
    copy_slices(context.get(), *source, *sink);
    sink->finish();
    for (const std::string& note : files.commit()) {
      if (context.get().on_note) context.get().on_note(note);
    }
  });
}
