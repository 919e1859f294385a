// Replays the seeds and all that was found, as tests: no libFuzzer and no clang is needed. Each file in
// fuzz/TARGET/seeds and fuzz/TARGET/found is one test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "fuzz/harness.hpp"

namespace tamis::fuzz {
namespace {

namespace fs = std::filesystem;

std::map<std::string, void (*)(Bytes)>& targets() {
  static std::map<std::string, void (*)(Bytes)> all;
  return all;
}

class Replay : public testing::Test {
 public:
  Replay(void (*target)(Bytes), fs::path file) : target_(target), file_(std::move(file)) {}

  void TestBody() override {
    std::ifstream stream(file_, std::ios::binary);
    ASSERT_TRUE(stream) << file_;
    const std::vector<char> bytes((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_NO_THROW(run_target(target_, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
  }

 private:
  void (*target_)(Bytes);
  fs::path file_;
};

void register_file(const std::string& target, void (*run)(Bytes), const fs::path& file) {
  const std::string suite = "Fuzz_" + target;
  const std::string name = file.parent_path().filename().string() + '_' + file.filename().string();
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [run, file]() -> testing::Test* { return new Replay(run, file); });
}

void register_files() {
  for (const auto& [name, run] : targets()) {
    for (const char* const kind : {"seeds", "found"}) {
      const fs::path folder = fs::path(TAMIS_FUZZ_FOLDER) / name / kind;
      std::error_code none;
      for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
        register_file(name, run, entry.path());
      }
    }
  }
}

}  // namespace

bool add_target(const char* name, void (*target)(Bytes)) { return targets().emplace(name, target).second; }

}  // namespace tamis::fuzz

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tamis::fuzz::register_files();
  return RUN_ALL_TESTS();
}
