// The program `tamis-mpi`: granulometries and filters on several processes, started by mpirun. The first one has the
// outputs and says what there is to say; the others do their share.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <tamis/error.hpp>
#include <tamis/version.hpp>

#include "cli/command/commands.hpp"
#include "cli/input/files.hpp"
#include "cli/program.hpp"
#include "mpi/filter.hpp"
#include "mpi/parts.hpp"
#include "mpi/ranks.hpp"
#include "mpi/work.hpp"

namespace tamis::mpi {
namespace {

/// The GPUs of a host are shared out to its ranks in turn.
Context of_rank(const Ranks& ranks, const Context& asked) {
  Context own = asked;
  std::vector<int> gpus = {asked.gpu};
  gpus.insert(gpus.end(), asked.more_gpus.begin(), asked.more_gpus.end());
  own.gpu = gpus[static_cast<std::size_t>(ranks.on_host()) % gpus.size()];
  own.more_gpus.clear();
  return own;
}

std::string job_of(const cli::GranulometryFlags& flags, const cli::Input& input, bool with_map) {
  nlohmann::ordered_json job;
  job["granulometry"] = flags.parameters();
  // What does not change the answer, and the outputs.
  for (const char* const key : {"device", "threads", "memory", "device_memory", "simd", "quiet"})
    job["granulometry"].erase(key);
  job["file"] = {input.path, input.description, cli::last_change(input.path)};  // which time and level is in its words
  job["map"] = with_map;
  job["version"] = TAMIS_VERSION;
  return job.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Where parts of a result are kept: beside the first of its outputs.
std::string folder_of(const cli::GranulometryFlags& flags, std::int64_t result) {
  for (const std::string* const path : {&flags.map, &flags.map_radius, &flags.map_width, &flags.map_diameter,
                                        &flags.csv, &flags.summary, &flags.curves, &flags.json, &flags.plot}) {
    if (!path->empty()) return fmt::format("{}.tamis-parts{}", *path, result == 0 ? "" : fmt::format("-{}", result));
  }
  throw InputError("--resume without an output; wanted --csv, --map or another one");
}

/// What the first rank tells the others before they work together.
struct Order {
  std::int64_t result = 0;  ///< of a granulometry, counted from 1; of a filter 1; 0: there is nothing more to do
  std::int64_t begin = 0;   ///< of a filter: slices that are there already
  bool with_map = false;
  std::string folder, job;

  [[nodiscard]] static Order told(const Ranks& ranks, Order order) {
    order.result = ranks.told(order.result);
    if (order.result == 0) return order;
    order.begin = ranks.told(order.begin);
    order.with_map = ranks.told(std::int64_t{order.with_map}) != 0;
    order.folder = ranks.told(order.folder);
    order.job = ranks.told(order.job);
    return order;
  }
};

/// The first rank.
class Leader final : public cli::SharedWork {
 public:
  Leader(const Ranks& ranks, const bool& resumes) : ranks_(ranks), resumes_(resumes) {}

  cli::SharedSizes measure(const Context& context, const cli::Input& input, const cli::GranulometryFlags& flags,
                           std::int64_t result, const cli::SharedMap& map) override {
    if (!flags.picture.empty()) throw InputError("--picture is not made by several processes; wanted tamis, or --map");
    Order order{result + 1, 0, static_cast<bool>(map), "", ""};
    if (resumes_) {
      order.folder = folder_of(flags, result);
      order.job = job_of(flags, input, order.with_map);
    }
    order = Order::told(ranks_, order);
    ranks_.together([] {});  // the others have opened the file
    Parts parts(order.folder, order.job);
    if (parts.kept()) kept_.push_back(parts);
    return mpi::measure(ranks_, of_rank(ranks_, context), input, flags.asked(), parts, order.with_map, map);
  }

  SlabReport filter(const Context& context, const cli::FilterCall& call, SliceSink& sink) override {
    static_cast<void>(Order::told(ranks_, {1, call.begin, false, "", ""}));
    ranks_.together([] {});  // the others have opened their files
    return mpi::filter(ranks_, of_rank(ranks_, context), call, &sink);
  }

  void finish() override {
    for (const Parts& parts : kept_) parts.remove();
  }

  [[nodiscard]] bool follows() const override { return false; }
  void follow(const std::function<void(const Share& share)>& /*work*/) override {}

 private:
  const Ranks& ranks_;
  const bool& resumes_;
  std::vector<Parts> kept_;
};

/// Another rank, of a filter.
class Follower final : public cli::SharedWork {
 public:
  explicit Follower(const Ranks& ranks) : ranks_(ranks) {}

  [[nodiscard]] bool follows() const override { return true; }
  [[nodiscard]] bool followed() const { return followed_; }

  void follow(const std::function<void(const Share& share)>& work) override {
    followed_ = true;
    while (true) {
      const Order order = Order::told(ranks_, {});
      if (order.result == 0) return;
      help(work, order.begin);
    }
  }

  // What only the first one is asked.
  cli::SharedSizes measure(const Context&, const cli::Input&, const cli::GranulometryFlags&, std::int64_t,
                           const cli::SharedMap&) override {
    return {};
  }
  SlabReport filter(const Context&, const cli::FilterCall&, SliceSink&) override { return {}; }
  void finish() override {}

 private:
  void help(const std::function<void(const Share& share)>& work, std::int64_t begin) {
    bool opened = false;
    const auto share = [&](const Context& context, cli::FilterCall call) {
      opened = true;
      ranks_.together([] {});
      call.begin = begin;
      static_cast<void>(mpi::filter(ranks_, of_rank(ranks_, context), call, nullptr));
    };
    try {
      try {
        work(share);
      } catch (const std::exception&) {
        if (!opened) ranks_.together([] { throw; });  // the first one has to hear of it
      }
    } catch (const Error&) {
      // The first rank has it too, and says so.
    }
  }

  const Ranks& ranks_;
  bool followed_ = false;
};

/// The others: they measure what they are told to.
void follow(const Ranks& ranks, cli::GranulometryFlags& flags, cli::Session& session) {
  flags.compute.quiet = true;
  const Context context = flags.compute.context(session);
  const std::vector<cli::GranulometryFlags> results = flags.of_each_result();
  while (true) {
    const Order order = Order::told(ranks, {});
    if (order.result == 0) return;
    const cli::GranulometryFlags& result = results[static_cast<std::size_t>(order.result - 1)];
    try {
      std::optional<cli::Input> input;
      ranks.together(
          [&] { input = cli::open_input(result.files.front(), result.input.read(), result.region, session.cancel); });
      Parts parts(order.folder, order.job);
      static_cast<void>(
          mpi::measure(ranks, of_rank(ranks, context), *input, result.asked(), parts, order.with_map, {}));
    } catch (const Error&) {
      // The first rank has it too, and says so.
    }
  }
}

const char* const text = "granulometries and filters of large volumes by several processes, which mpirun starts";
const char* const granulometry_text = "granulometry of large volumes by several processes, which mpirun starts";
const char* const examples =
    "mpirun -n 4 tamis-mpi granulometry scan.h5 --threshold otsu --csv sizes.csv\n"
    "mpirun -n 4 tamis-mpi granulometry scan.tif --threshold 100 --map sizes.tif --resume\n"
    "mpirun -n 4 tamis-mpi median scan.h5 clean.tif --size 5 --memory 8G";

/// What this rank was asked it cannot do: so cannot the first one, but where their files differ.
void refuse(const Ranks& ranks) {
  while (Order::told(ranks, {}).result != 0) {
    try {
      ranks.together(
          [] { throw InputError("another process refused its options: an element's file that it does not see?"); });
    } catch (const Error&) {
      // The first rank says so.
    }
  }
}

void add_filters(CLI::App& app, cli::Session& session) {
  cli::add_shape_filters(cli::Command(app), session);
  cli::add_window_filters(cli::Command(app), session);
}

int run(const cli::SignalWatch& signals, int argc, char** argv) {
  const Ranks ranks(argc, argv);
  bool resumes = false;
  const auto add_resume = [&](CLI::App& command) {
    command
        .add_flag("--resume", resumes,
                  "keep finished parts beside the output, and go on with those of a run that was ended")
        ->group("Running");
  };
  if (ranks.is_first()) {
    Leader leader(ranks, resumes);
    const auto add = [&](CLI::App& app, cli::Session& session) {
      cli::add_granulometry(cli::Command(app), session);
      add_resume(*app.get_subcommand("granulometry"));
      add_filters(app, session);
    };
    const int code = cli::run({"tamis-mpi", text, examples, add, &leader}, signals, argc, argv);
    static_cast<void>(Order::told(ranks, {}));
    return code;
  }
  // Whatever is to be said, the first one says.
  static_cast<void>(std::freopen("/dev/null", "w", stdout));
  static_cast<void>(std::freopen("/dev/null", "w", stderr));
  const auto flags = std::make_shared<cli::GranulometryFlags>();
  Follower follower(ranks);
  bool followed = false;
  const auto add = [&](CLI::App& app, cli::Session& session) {
    const cli::Command command = cli::Command(app).add_command("granulometry", granulometry_text);
    flags->add_to(command);
    command.run([&ranks, &followed, flags, &session] {
      flags->settle();
      followed = true;
      follow(ranks, *flags, session);
    });
    add_resume(*app.get_subcommand("granulometry"));
    add_filters(app, session);
  };
  static_cast<void>(cli::run({"tamis-mpi", text, examples, add, &follower}, signals, argc, argv));
  if (!followed && !follower.followed()) refuse(ranks);
  return 0;
}

}  // namespace
}  // namespace tamis::mpi

int main(int argc, char** argv) {
  try {
    const tamis::cli::SignalWatch signals;  // before MPI has threads
    return tamis::mpi::run(signals, argc, argv);
  } catch (const std::exception& error) {
    std::fputs(fmt::format("tamis-mpi: {}\n", error.what()).c_str(), stderr);
    return 2;
  }
}
