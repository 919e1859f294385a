// Zarr: arrays written by hand as the standards have them, OME-Zarr images, and all that is refused.
#include <libdeflate.h>
#include <sys/stat.h>

#include <chrono>
#include <functional>
#include <map>
#include <numeric>

#include "io/test/testing.hpp"
#include "io/zarr/zarr.hpp"

namespace tamis::io {
namespace {

using Files = std::map<std::string, std::string>;

/// A store of these files in a folder of its own.
std::string store(const Scratch& scratch, const Files& files, const std::string& name = "a.zarr") {
  const std::filesystem::path folder = scratch / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [key, bytes] : files) {
    std::filesystem::create_directories((folder / key).parent_path());
    put_file((folder / key).string(), bytes);
  }
  return folder.string();
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// 0, 1, 2 ... as u16.
std::vector<std::uint16_t> ramp(std::size_t count, std::uint16_t first = 0) {
  std::vector<std::uint16_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

Json array2() {
  return Json::parse(R"({"zarr_format": 2, "shape": [2, 3], "chunks": [2, 2], "dtype": "<u2", "compressor": null,
                         "fill_value": 7, "order": "C", "filters": null})");
}

Json array3() {
  return Json::parse(R"({"zarr_format": 3, "node_type": "array", "shape": [2, 3], "data_type": "uint16",
      "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
      "chunk_key_encoding": {"name": "default"}, "fill_value": 7, "attributes": {},
      "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]})");
}

std::vector<std::uint16_t> samples_of(const std::string& path, const ReadOptions& options = {}) {
  const auto source = open_file(path, options);
  const std::vector<std::uint8_t> bytes = delivered(*source);
  std::vector<std::uint16_t> values(bytes.size() / 2);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string why(const std::string& path, const ReadOptions& options = {}) {
  return refusal([&] { static_cast<void>(samples_of(path, options)); });
}

std::string deflated(const std::string& bytes, bool gzip) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
  std::string out(bytes.size() + 100, '\0');
  out.resize(gzip ? libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size())
                  : libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

std::string checksum(const std::string& bytes) {
  return bytes_of(std::vector<std::uint32_t>{crc32c(std::as_bytes(std::span(bytes)))});
}

using Values = std::vector<std::uint16_t>;
const Values with_hole{0, 1, 7, 2, 3, 7};  // the second chunk is not there

TEST(Zarr, a_checksum_is_that_of_castagnoli) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits))), 0xE3069283U);
}

TEST(Zarr, version_2_with_every_separator_order_and_compression) {
  const Scratch scratch;
  const std::string chunk = bytes_of(ramp(4));
  EXPECT_EQ(samples_of(store(scratch, {{".zarray", array2().dump()}, {"0.0", chunk}})), with_hole);
  for (const bool gzip : {true, false}) {
    Json json = array2();
    json["compressor"] = {{"id", gzip ? "gzip" : "zlib"}, {"level", 5}};
    json["dimension_separator"] = "/";
    EXPECT_EQ(samples_of(store(scratch, {{".zarray", json.dump()}, {"0/0", deflated(chunk, gzip)}})), with_hole);
  }
  Json json = array2();
  json["order"] = "F";
  json["dtype"] = ">u2";
  EXPECT_EQ(samples_of(store(scratch, {{".zarray", json.dump()}, {"0.0", std::string("\0\0\0\2\0\1\0\3", 8)}})), with_hole);
}

TEST(Zarr, version_3_with_keys_checksums_and_turned_axes) {
  const Scratch scratch;
  const std::string chunk = bytes_of(ramp(4));
  EXPECT_EQ(samples_of(store(scratch, {{"zarr.json", array3().dump()}, {"c/0/0", chunk}})), with_hole);
  Json json = array3();
  json["chunk_key_encoding"] = {{"name", "v2"}};
  EXPECT_EQ(samples_of(store(scratch, {{"zarr.json", json.dump()}, {"0.0", chunk}})), with_hole);
  json["chunk_key_encoding"] = {{"name", "default"}, {"configuration", {{"separator", "."}}}};
  json["codecs"].push_back({{"name", "gzip"}, {"configuration", {{"level", 1}}}});
  json["codecs"].push_back("crc32c");
  const std::string packed = deflated(chunk, true);
  EXPECT_EQ(samples_of(store(scratch, {{"zarr.json", json.dump()}, {"c.0.0", packed + checksum(packed)}})), with_hole);
  expect_says(why(store(scratch, {{"zarr.json", json.dump()}, {"c.0.0", packed + "abcd"}})), {"c.0.0", "checksum is wrong"});
  json = array3();
  json["codecs"].insert(json["codecs"].begin(), Json::parse(R"({"name": "transpose", "configuration": {"order": [1, 0]}})"));
  EXPECT_EQ(samples_of(store(scratch, {{"zarr.json", json.dump()}, {"c/0/0", bytes_of(Values{0, 2, 1, 3})}})), with_hole);
}

/// Two chunks of one shard, of which the second is not there.
Json sharded(const char* location) {
  Json json = array3();
  json["chunk_grid"]["configuration"]["chunk_shape"] = {2, 4};
  const Json bytes = json["codecs"];
  Json index = bytes;
  index.push_back({{"name", "crc32c"}});
  json["codecs"] = Json::array();
  json["codecs"].push_back({{"name", "sharding_indexed"}, {"configuration", {{"chunk_shape", {2, 2}}, {"codecs", bytes},
                            {"index_codecs", index}, {"index_location", location}}}});
  return json;
}

TEST(Zarr, chunks_of_a_shard_are_found_by_its_index) {
  const Scratch scratch;
  const std::string chunk = bytes_of(ramp(4));
  constexpr std::uint64_t none = ~std::uint64_t{0};
  const auto index = [](std::uint64_t offset, std::uint64_t bytes) {
    const std::string numbers = bytes_of(std::vector<std::uint64_t>{offset, bytes, none, none});
    return numbers + checksum(numbers);
  };
  const std::string at_end = store(scratch, {{"zarr.json", sharded("end").dump()}, {"c/0/0", chunk + index(0, 8)}});
  EXPECT_EQ(samples_of(at_end), with_hole);
  const std::string at_start = store(scratch, {{"zarr.json", sharded("start").dump()}, {"c/0/0", index(36, 8) + chunk}});
  EXPECT_EQ(samples_of(at_start), with_hole);
  EXPECT_EQ(samples_of(store(scratch, {{"zarr.json", sharded("end").dump()}})), Values(6, 7));
  const auto damaged = [&](const std::string& bytes) {
    return why(store(scratch, {{"zarr.json", sharded("end").dump()}, {"c/0/0", bytes}}));
  };
  expect_says(damaged(chunk + index(37, 8)), {"c/0/0", "8 bytes at 37", "a file of 44 bytes"});
  expect_says(damaged(chunk + index(none - 3, 8)), {"c/0/0", "a file of 44 bytes"});
  expect_says(damaged(chunk + index(0, 7)), {"a chunk of 7 bytes, wanted 8"});
  expect_says(damaged(chunk + index(0, 8).substr(0, 35) + "x"), {"its index", "checksum is wrong"});
  expect_says(damaged("short"), {"a shard of 5 bytes", "its index"});
}

TEST(Zarr, fill_values_are_numbers_words_and_bits_of_the_type) {
  const Scratch scratch;
  const auto first = [&](const char* dtype, const Json& fill) {
    Json json = array3();
    json["data_type"] = dtype;
    json["fill_value"] = fill;
    const std::vector<std::uint8_t> bytes = delivered(*open_file(store(scratch, {{"zarr.json", json.dump()}})));
    return std::string(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 6));
  };
  EXPECT_EQ(first("float32", "0x3f800000"), bytes_of(std::vector<float>{1}));
  EXPECT_EQ(first("float32", "-Infinity"), bytes_of(std::vector<float>{-INFINITY}));
  EXPECT_TRUE(std::isnan(*reinterpret_cast<const double*>(first("float64", "NaN").data())));
  EXPECT_EQ(first("int16", -3.0), bytes_of(std::vector<std::int16_t>{-3}));
  EXPECT_EQ(first("uint64", 18446744073709551615U), std::string(8, '\xff'));
  EXPECT_EQ(first("bool", true), std::string("\1"));
  for (const auto& [dtype, fill] : {std::pair<const char*, Json>{"uint8", 256}, {"uint8", -1}, {"uint16", 1.5}, {"float32", "red"},
                                    {"bool", 2}, {"int64", 1e300}, {"float64", Json::array()}}) {
    expect_says(refusal([&] { first(dtype, fill); }), {"zarr.json", "fill_value", "wanted a number"});
  }
}

/// Levels "0" and "1" of an image with two times and three channels, axes t, c, z, y, x; samples are 100 t + 10 c + level.
Files hyperstack(Json image, int version) {
  Files files;
  for (int level = 0; level < 2; ++level) {
    Json array = version == 2 ? array2() : array3();
    array["shape"] = {2, 3, 2, 1, 2};
    const Json chunks{1, 2, 1, 1, 2};
    if (version == 2) {
      array["chunks"] = chunks;
      array["dimension_separator"] = "/";
    } else {
      array["chunk_grid"]["configuration"]["chunk_shape"] = chunks;
    }
    const std::string folder = std::to_string(level) + '/';
    files[folder + (version == 2 ? ".zarray" : "zarr.json")] = array.dump();
    for (int t = 0; t < 2; ++t) {
      for (int c = 0; c < 2; ++c) {
        for (int z = 0; z < 2; ++z) {
          const std::uint16_t one = static_cast<std::uint16_t>(100 * t + 20 * c + level);
          const std::uint16_t two = static_cast<std::uint16_t>(one + 10);
          files[folder + (version == 2 ? "" : "c/") + std::to_string(t) + '/' + std::to_string(c) + '/' + std::to_string(z) +
                "/0/0"] = bytes_of(Values{one, one, two, two});
        }
      }
    }
  }
  const Json attributes{{"multiscales", Json::array({std::move(image)})}};
  if (version == 2) {
    files[".zgroup"] = R"({"zarr_format": 2})";
    files[".zattrs"] = attributes.dump();
  } else {
    files["zarr.json"] = Json{{"zarr_format", 3}, {"node_type", "group"}, {"attributes", {{"ome", attributes}}}}.dump();
  }
  return files;
}

Json image() {
  return Json::parse(R"({"version": "0.4", "axes": [{"name": "t"}, {"name": "c"},
      {"name": "z", "unit": "micrometer"}, {"name": "y", "unit": "micrometer"}, {"name": "x", "unit": "micrometer"}],
      "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 3, 2, 0.5]}]},
                   {"path": "1", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 6, 4, 1.0]}]}]})");
}

TEST(OmeZarr, level_time_and_channel_are_chosen) {
  const Scratch scratch;
  for (const int version : {2, 3}) {
    const std::string path = store(scratch, hyperstack(image(), version));
    ReadOptions options;
    options.time = 1;
    options.channel = "2";
    EXPECT_EQ(samples_of(path, options), Values(4, 120));
    options.level = 1;
    EXPECT_EQ(samples_of(path, options), Values(4, 121));
    const auto source = open_file(path, options);
    EXPECT_EQ(source->layout().spacing, (Spacing{6, 4, 1, "um"}));
    EXPECT_EQ(source->layout().shape, (Shape{2, 1, 2, 3}));
    expect_says(source->description(), {"level 1 of 2", "3 channel(s), 2 time(s)", "not compressed"});
    options.channel = "";
    EXPECT_EQ(open_file(path, options)->layout().channels, 3);
    EXPECT_EQ(samples_of(path, options), (Values{101, 111, 121, 101, 111, 121, 101, 111, 121, 101, 111, 121}));
    options.channel = "3";
    expect_says(why(path, options), {"channel 3; wanted 0..2"});
    options.channel = "0";
    options.time = 2;
    expect_says(why(path, options), {"time 2; wanted 0..1"});
    options.time.reset();
    expect_says(why(path, options), {"2 times", "`time 0..1`"});
    options.level = 2;
    expect_says(why(path, options), {"level 2; wanted 0..1"});
    options.level = 1;
    expect_says(why(path + "/0", options), {"level 1; wanted 0"});
  }
  write(telling_image(Type::U8, {1, 3, 3, 2}), scratch / "a.png");
  ReadOptions options;
  options.level = 1;
  expect_says(why(scratch / "a.png", options), {"level 1; wanted 0", "OME-Zarr"});
}

TEST(OmeZarr, voxels_without_unit_or_length_are_not_known) {
  const Scratch scratch;
  ReadOptions options;
  options.time = 0;
  const auto spacing = [&](const std::function<void(Json&)>& change) {
    Json json = image();
    change(json);
    return open_file(store(scratch, hyperstack(json, 3)), options)->layout().spacing;
  };
  EXPECT_EQ(spacing([](Json& json) { json["coordinateTransformations"] = {{{"type", "scale"}, {"scale", {9, 9, 2, 2, 2}}}}; }),
            (Spacing{6, 4, 1, "um"}));
  EXPECT_FALSE(spacing([](Json& json) { json["axes"][2].erase("unit"); }).known());
  EXPECT_EQ(spacing([](Json& json) { json["axes"][2]["unit"] = "millimeter"; }).unit, "um");
  EXPECT_FALSE(spacing([](Json& json) { json["axes"][2]["unit"] = "second"; }).known());
  EXPECT_FALSE(spacing([](Json& json) { json["axes"] = {"t", "c", "z", "y", "x"}; }).known());
  EXPECT_FALSE(spacing([](Json& json) { json["datasets"][0].erase("coordinateTransformations"); }).known());
  for (const double edge : {0.0, -1.0}) {
    EXPECT_FALSE(spacing([&](Json& json) { json["datasets"][0]["coordinateTransformations"][0]["scale"][4] = edge; }).known());
  }
  EXPECT_FALSE(spacing([](Json& json) { json.erase("axes"), json["datasets"][0].erase("coordinateTransformations"); }).known());
}

TEST(OmeZarr, what_is_no_image_is_refused_in_one_line) {
  const Scratch scratch;
  ReadOptions options;
  options.time = 0;
  const auto changed = [&](const std::function<void(Json&)>& change) {
    Json json = image();
    change(json);
    return why(store(scratch, hyperstack(json, 3)), options);
  };
  expect_says(changed([](Json& json) { json["datasets"][0]["path"] = "none"; }), {"a.zarr/none", "No such file"});
  for (const char* const path : {"../0", "/etc", "", "0/../0", "."}) {
    expect_says(changed([&](Json& json) { json["datasets"][0]["path"] = path; }), {"a.zarr", "wanted a name below it"});
  }
  expect_says(changed([](Json& json) { json["datasets"][0]["path"] = 3; }), {"description is damaged"});
  expect_says(changed([](Json& json) { json["datasets"] = "none"; }), {"description is damaged"});
  expect_says(changed([](Json& json) { json["axes"] = {"t", "c", "x", "y", "z"}; }), {"axes (t, c, x, y, z)", "wanted (y, x)"});
  expect_says(changed([](Json& json) { json["axes"] = {"t", "q", "z", "y", "x"}; }), {"one sample along q"});
  expect_says(changed([](Json& json) { json["axes"] = {"t", "x", "z", "y", "x"}; }), {"wanted (y, x) or (z, y, x)"});
  expect_says(changed([](Json& json) { json["axes"] = {"y", "x"}; }), {"axes (y, x)"});
  expect_says(changed([](Json& json) { json["datasets"][0]["coordinateTransformations"][0]["scale"] = {1, 1}; }), {"scale that is none"});
  const auto group = [&](const char* attributes) {
    return why(store(scratch, {{".zgroup", "{}"}, {".zattrs", attributes}}));
  };
  expect_says(group("{}"), {"no OME-Zarr image", "a.zarr/NAME"});
  expect_says(group(R"({"ome": 3})"), {"no OME-Zarr image"});
  expect_says(group(R"({"plate": {}})"), {"a plate or well"});
  expect_says(group(R"({"bioformats2raw.layout": 3})"), {"wanted one of them, its folder 0, 1"});
}

TEST(Zarr, a_damaged_description_is_refused_in_one_line) {
  const Scratch scratch;
  const auto two = [&](const char* key, const char* value) {
    Json json = array2();
    json[key] = Json::parse(value);
    return why(store(scratch, {{".zarray", json.dump()}}));
  };
  const auto three = [&](const char* key, const char* value) {
    Json json = array3();
    json[key] = Json::parse(value);
    return why(store(scratch, {{"zarr.json", json.dump()}}));
  };
  for (const char* const edges : {"[2, 0]", "[2, -3]", "[2, 1.5]", "[2, 18446744073709551615]", "6", "null", "[1,1,1,1,1,1,1,1,1]"}) {
    expect_says(two("shape", edges), {".zarray: shape is", "wanted up to 8 whole numbers"});
    expect_says(two("chunks", edges), {"chunks is"});
    expect_says(three("shape", edges), {"zarr.json: shape is"});
  }
  expect_says(two("shape", "[1099511627776, 1099511627776]"), {"larger than any file"});
  expect_says(two("chunks", "[1099511627776, 1099511627776]"), {"wanted at most 1073741824 bytes each"});
  expect_says(two("chunks", "[2]"), {"chunks of other axes"});
  expect_says(two("shape", "[1000000000, 1000000000]"), {"2000000000000000000 bytes", "hardly there"});
  expect_says(two("dtype", "\"<c8\""), {"samples of <c8"});
  expect_says(two("dtype", "[[\"a\", \"<u2\"]]"), {"samples of"});
  expect_says(two("dtype", "\"|O\""), {"samples of |O"});
  expect_says(two("filters", "[{\"id\": \"delta\"}]"), {"filters", "delta", "wanted none"});
  expect_says(two("compressor", "{\"id\": \"lz4\"}"), {"compressed by lz4"});
  expect_says(two("compressor", "{\"id\": \"pickle\"}"), {"compressed by pickle"});
  expect_says(two("order", "\"K\""), {"order is K"});
  expect_says(two("zarr_format", "4"), {"version 4; wanted 2"});
  expect_says(two("dimension_separator", "\"..\""), {"dimension_separator"});
  expect_says(three("zarr_format", "2"), {"version 2; wanted 3"});
  expect_says(three("node_type", "\"tree\""), {"node_type is tree"});
  expect_says(three("data_type", "\"complex64\""), {"samples of complex64"});
  expect_says(three("data_type", "{\"name\": \"r16\"}"), {"samples of"});
  expect_says(three("chunk_grid", "{\"name\": \"rectangular\"}"), {"chunk_grid", "wanted regular"});
  expect_says(three("chunk_key_encoding", "\"fancy\""), {"chunk_key_encoding"});
  expect_says(three("codecs", "[]"), {"codecs without bytes"});
  expect_says(three("codecs", "3"), {"wanted a list"});
  expect_says(three("codecs", R"(["bytes"])"), {"endian is null"});
  expect_says(three("codecs", R"([{"name":"bytes","configuration":{"endian":"little"}},"gzip","zstd"])"), {"zstd after gzip"});
  expect_says(three("codecs", R"(["gzip"])"), {"the codec gzip before bytes"});
  expect_says(three("codecs", R"([{"name":"transpose","configuration":{"order":[0,0]}}])"), {"each of 2 axes once"});
  expect_says(three("storage_transformers", "[3]"), {"storage_transformers"});
  expect_says(three("news", "[3]"), {"news is not known"});
  EXPECT_EQ(samples_of(store(scratch, {{"zarr.json", [] {
    Json json = array3();
    json["news"] = {{"must_understand", false}};
    return json.dump();
  }()}})), Values(6, 7));
  for (const char* const text : {"", "{", "[1,", "\xff", "{\"a\":1e999}", "{\"shape\":[1],\"shape\":[2]}"}) {
    const std::string message = why(store(scratch, {{"zarr.json", text}}));
    expect_says(message, {"zarr.json: "});
  }
  const std::string deep = why(store(scratch, {{"zarr.json", std::string(1'000'000, '[')}}));
  expect_says(deep, {"zarr.json", "64 deep"});
  expect_says(why(store(scratch, {})), {"a.zarr", "holds no zarr.json"});
  put_file(scratch / "b.zarr", "a file");
  expect_says(why(scratch / "b.zarr"), {"b.zarr: is a file; wanted a folder"});
}

/// Many times a text, with commas.
std::string many(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i > 0 ? "," : "") + text;
  return all;
}

/// The description with one more member, as text.
std::string with(const Json& json, const std::string& member) { return json.dump().insert(1, member + ","); }

TEST(Zarr, a_long_description_takes_time_as_it_is_long) {
  const Scratch scratch;
  const auto start = std::chrono::steady_clock::now();
  for (const char* const element : {"{}", "[]", "0", R"({"a":{}})", R"({"name":[[{}]]})"}) {
    const std::string text = with(array2(), "\"x\":[" + many(element, 200'000) + "]");
    EXPECT_EQ(samples_of(store(scratch, {{".zarray", text}})), Values(6, 7)) << element;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));  // it was minutes
}

TEST(Zarr, a_description_that_says_more_than_any_is_refused) {
  const Scratch scratch;
  const auto says = [&](const std::string& member) {
    expect_says(why(store(scratch, {{".zarray", with(array2(), member)}})), {".zarray: more than 65536 numbers and names"});
  };
  for (const char* const element : {"{}", "[]", "0", R"({"name":0})"}) says("\"axes\":[" + many(element, 100'000) + "]");
  std::string names;
  for (int i = 0; i < 100'000; ++i) names += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  says(names);
  expect_says(why(store(scratch, {{".zarray", with(array2(), "\"x\":" + std::string(100, '['))}})), {"64 deep"});
}

TEST(OmeZarr, tables_of_labels_wells_and_channels_are_passed_over) {
  const Scratch scratch;
  Json json = image();
  json["metadata"] = {{"name", "x"}, {"name of a method", Json::array({1, 2, 3})}};
  Files files = hyperstack(json, 2);
  const std::string colours = R"("image-label":{"colors":[)" + many(R"({"label-value":1,"rgba":[255,0,0,255]})", 100'000) + "]}";
  const std::string wells = R"("plate":{"wells":[)" + many(R"({"path":"A/1","rowIndex":0,"columnIndex":0})", 40'000) + "]}";
  const std::string omero = R"("omero":{"channels":[)" + many(R"({"color":"ff","window":{"min":0,"max":1}})", 40'000) + "]}";
  files[".zattrs"] = files[".zattrs"].insert(1, colours + "," + wells + "," + omero + ",");
  ReadOptions options;
  options.time = 1;
  options.channel = "2";
  EXPECT_EQ(samples_of(store(scratch, files), options), Values(4, 120));
  const std::string inside = R"("consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"0":)" +
                             with(array3(), "\"x\":[" + many("{}", 100'000) + "]") + "}}";
  EXPECT_EQ(samples_of(store(scratch, {{"zarr.json", with(array3(), inside)}})), Values(6, 7));
  expect_says(why(store(scratch, {{"zarr.json", with(array3(), R"("news":{"must_understand":true,"x":{}})")}})), {"news is not known"});
  EXPECT_EQ(samples_of(store(scratch, {{"zarr.json", with(array3(), R"("news":{"x":[1],"must_understand":false})")}})), Values(6, 7));
}

TEST(Zarr, a_chunk_of_another_length_is_refused) {
  const Scratch scratch;
  const std::string chunk = bytes_of(ramp(4));
  for (const std::string& bytes : {chunk + "1", chunk.substr(1), std::string()}) {
    expect_says(why(store(scratch, {{".zarray", array2().dump()}, {"0.0", bytes}})), {"a.zarr/0.0", "wanted 8"});
  }
  Json json = array2();
  json["compressor"] = {{"id", "gzip"}};
  const std::string packed = deflated(chunk, true);
  for (const std::string& bytes : {packed.substr(0, packed.size() - 1), packed + "1", deflated(chunk + "1", true),
                                   deflated(chunk.substr(1), true), std::string(), std::string(100'000, 'x')}) {
    expect_says(why(store(scratch, {{".zarray", json.dump()}, {"0.0", bytes}})), {"a.zarr/0.0"});
  }
  for (const char* const id : {"zstd", "blosc"}) {
    json["compressor"] = {{"id", id}};
    for (const std::string& bytes : {chunk, std::string(), std::string("(\xb5/\xfd \x04!")}) {
      expect_says(why(store(scratch, {{".zarray", json.dump()}, {"0.0", bytes}})), {"a.zarr/0.0: corrupt chunk: "});
    }
  }
}

TEST(Zarr, of_a_large_array_one_chunk_in_a_thousand_is_there) {
  const Scratch scratch;
  const std::vector<std::int64_t> large{1 << 20, 1 << 20};
  const std::vector<std::int64_t> small{1 << 15, 1 << 15};  // 1024 of them
  constexpr std::uint64_t none = ~std::uint64_t{0};
  const auto shard = [&](std::uint64_t first) {
    std::vector<std::uint64_t> index(2048, none);
    index[0] = index[1] = first;
    const std::string numbers = bytes_of(index);
    return numbers + checksum(numbers);
  };
  Json shards = sharded("end");
  shards["shape"] = shards["chunk_grid"]["configuration"]["chunk_shape"] = large;
  shards["data_type"] = "uint8";
  shards["codecs"][0]["configuration"]["chunk_shape"] = small;
  const std::string words = "1024 chunks that are hardly there; wanted one in 1000";
  const auto of_shards = [&](Files files) {
    files["zarr.json"] = shards.dump();
    return [path = store(scratch, files)] { static_cast<void>(open_file(path)); };
  };
  expect_says(refusal(of_shards({})), {words});
  expect_says(refusal(of_shards({{"c/0/0", shard(none)}, {"more", "x"}})), {words});
  EXPECT_NO_THROW(of_shards({{"c/0/0", shard(0)}})());
  expect_says(refusal(of_shards({{"c/0/0", "short"}})), {"c/0/0", "its index"});
  Json chunks = array2();
  chunks["shape"] = large;
  chunks["chunks"] = small;
  chunks["dtype"] = "|u1";
  const auto of_chunks = [&](Files files) {
    files[".zarray"] = chunks.dump();
    return [path = store(scratch, files)] { static_cast<void>(open_file(path)); };
  };
  expect_says(refusal(of_chunks({})), {words});
  expect_says(refusal(of_chunks({{"0.0", ""}, {"0.1", ""}, {".zattrs", "{}"}})), {words});
  EXPECT_NO_THROW(of_chunks({{"0.0", "x"}})());
  chunks["shape"] = {1 << 16, 1 << 16};
  EXPECT_NO_THROW(of_chunks({})());  // as a mask that nobody has painted
}

TEST(Zarr, links_in_a_store_are_not_followed_unless_asked) {
  const Scratch scratch;
  const std::string chunk = bytes_of(ramp(4));
  const std::string path = store(scratch, {{".zarray", array2().dump()}});
  put_file(scratch / "secret", chunk);
  std::filesystem::create_symlink(scratch / "secret", path + "/0.0");
  expect_says(why(path), {"a.zarr/0.0", "symbolic link", "`follow`"});
  ReadOptions options;
  options.follow = true;
  EXPECT_EQ(samples_of(path, options), with_hole);
  const std::string group = store(scratch, hyperstack(image(), 2), "b.zarr");
  std::filesystem::rename(group + "/0", scratch / "elsewhere");
  std::filesystem::create_directory_symlink(scratch / "elsewhere", group + "/0");
  options.time = 0;
  options.channel = "0";
  EXPECT_EQ(samples_of(group, options), Values(4, 0));
  options.follow = false;
  expect_says(why(group, options), {"b.zarr/0", "symbolic link"});
  std::filesystem::remove(path + "/0.0");
  ASSERT_EQ(::mkfifo((path + "/0.0").c_str(), 0600), 0);
  expect_says(why(path), {"a.zarr/0.0", "not a regular file"});
}

TEST(Zarr, what_is_written_takes_the_place_of_a_store_and_of_nothing_else) {
  const Scratch scratch;
  const Image image = telling_image(Type::U16, {3, 4, 5, 3});
  const std::string path = store(scratch, {{".zgroup", "{}"}, {"deep/er/file", "x"}}, "out.zarr");
  write(image, path + '/');
  EXPECT_TRUE(same_samples(read(path), image));
  EXPECT_FALSE(std::filesystem::exists(path + "/deep"));
  EXPECT_EQ(scratch.names().size(), 1U);
  std::filesystem::create_directory(scratch / "mine.zarr");
  put_file(scratch / "mine.zarr/thesis.txt", "mine");
  expect_says(obstacle([&] { write(image, scratch / "mine.zarr"); }), {"cannot write", "mine.zarr", "no Zarr store"});
  put_file(scratch / "file.zarr", "mine");
  expect_says(obstacle([&] { write(image, scratch / "file.zarr"); }), {"something else has that name"});
  EXPECT_EQ(bytes_of_file(scratch / "mine.zarr/thesis.txt") + bytes_of_file(scratch / "file.zarr"), "minemine");
}

TEST(Zarr, a_killed_run_leaves_nothing_behind_the_next_one) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / ".a.zarr.tamis-0.part/0/1");
  put_file(scratch / ".a.zarr.tamis-0.part/0/1/2", "half");
  write(telling_image(Type::U8, {1, 30, 40, 2}), scratch / "a.zarr");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.zarr"});
}

TEST(Zarr, outputs_that_cannot_all_take_their_names_leave_the_old_store) {
  const Scratch scratch;
  const Image old = telling_image(Type::U8, {2, 3, 4, 3});
  const Image fresh = telling_image(Type::U16, {2, 3, 4, 3});
  write(old, scratch / "old.zarr");
  {
    OutputFiles outputs;
    for (const char* const name : {"old.zarr", "new.zarr"}) {
      EXPECT_FALSE(outputs.check(scratch / name).direct);
      const auto sink = outputs.create(scratch / name, {Type::U16, fresh.shape(), 1, {}});
      sink->write(fresh.data(), 2);
      sink->finish();
    }
    outputs.write_text(scratch / "c.csv", "text");
    std::filesystem::create_directory(scratch / "c.csv");  // in the meantime
    expect_says(obstacle([&] { outputs.commit(); }), {"could not write", "c.csv"});
  }
  EXPECT_TRUE(same_samples(read(scratch / "old.zarr"), old));
  EXPECT_EQ(scratch.names().size(), 2U);  // and the folder in the way
  std::filesystem::remove(scratch / "c.csv");
  OutputFiles outputs;
  const auto sink = outputs.create(scratch / "old.zarr", {Type::U16, fresh.shape(), 1, {}});
  sink->write(fresh.data(), 2);
  sink->finish();
  outputs.write_text(scratch / "c.csv", "text");
  outputs.commit();
  EXPECT_TRUE(same_samples(read(scratch / "old.zarr"), fresh));
  EXPECT_EQ(scratch.names().size(), 2U);
}

TEST(Zarr, colours_are_channels_and_layers_of_chunks_are_kept) {
  const Scratch scratch;
  const Shape shape{35, 3, 300, 3};
  std::vector<std::byte> pixels(static_cast<std::size_t>(shape.count() * 3));
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::byte>(i * 7 / 3);
  const auto sink = create(scratch / "a.zarr", {Type::U8, shape, 3, {}});
  sink->write(pixels.data(), shape.z);
  sink->finish();
  const auto source = open_file(scratch / "a.zarr");
  ASSERT_EQ(source->layout().channels, 3);
  std::vector<std::byte> slice(pixels.size() / 35);
  for (const std::int64_t z : {34, 0, 1, 16, 15}) {
    source->read(z, 1, slice.data());
    EXPECT_EQ(std::memcmp(slice.data(), pixels.data() + z * static_cast<std::int64_t>(slice.size()), slice.size()), 0) << z;
  }
  ReadOptions options;
  options.channel = "1";
  const Image green = read(scratch / "a.zarr", options);
  EXPECT_EQ(green.row<std::byte>(20, 2)[299], pixels[static_cast<std::size_t>(3 * ((20 * 3 + 2) * 300 + 299) + 1)]);
}

}  // namespace
}  // namespace tamis::io
