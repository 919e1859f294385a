// The JSON of a store, within bounds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tamis::io {

using Json = nlohmann::json;

/// Throws InputError for what is no JSON, is nested deeper than any description of an image, or says something twice.
[[nodiscard]] Json parse_json(const std::string& path, std::string_view text);

/// A member of an object; null where there is none, or `object` is none.
[[nodiscard]] const Json& member(const Json& object, std::string_view name);
/// A text, shortened, printable; "" where the member is none.
[[nodiscard]] std::string word(const Json& object, std::string_view name);
/// What a message shows of a value.
[[nodiscard]] std::string json_text(const Json& value);
/// Whole numbers from 1 on. Throws InputError "PATH: shape ...; wanted ..." for anything else.
[[nodiscard]] std::vector<std::int64_t> edges(const std::string& path, const Json& object, std::string_view name);

}  // namespace tamis::io
