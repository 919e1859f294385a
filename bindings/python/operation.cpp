#include "python/operation.hpp"

#include <algorithm>
#include <memory>
#include <sstream>

#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "python/function.hpp"
#include "python/parameter.hpp"

namespace tamis::python {
namespace {

template <class Named>
const Named* find(const std::vector<Named>& list, std::string_view name) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const Named& named) { return named.name == name; });
  return at == list.end() ? nullptr : &*at;
}

/// Whether another parameter may be given instead of it: then it is None until somebody gives it.
bool has_a_rival(const OperationDescription& operation, const Parameter& parameter, std::string& rival) {
  for (const Parameter& other : operation.parameters) {
    if (std::count(other.excludes.begin(), other.excludes.end(), parameter.name) == 0) continue;
    rival = other.name;
    return true;
  }
  return false;
}

Keyword parameter_keyword(const OperationDescription& operation, const Parameter& parameter) {
  Keyword keyword{parameter.name, type_of(parameter), initial_of(parameter), documented_type(parameter), {}};
  keyword.text = sentence(parameter.text);
  const std::string range = range_text(parameter.range);
  for (const std::string& more :
       {remark_of(parameter), parameter.details, range.empty() ? "" : "Range: " + range + "."}) {
    if (!more.empty()) keyword.text += " " + more;
  }
  std::string rival;
  if (has_a_rival(operation, parameter, rival)) {
    keyword.text += " None: " + keyword.initial + ", or `" + rival + "`.";
    keyword.initial = "None";
  }
  if (parameter.required) keyword.initial.clear();
  return keyword;
}

/// An operation as a function: its arguments become those of its body.
class OperationFunction {
 public:
  OperationFunction(const OperationDescription& operation, const FunctionFacts& facts, Body body)
      : operation_(operation),
        signature_(operation.name, keywords_of(operation, facts), facts.result, facts.variants),
        body_(std::move(body)) {
    for (const Parameter& parameter : operation.parameters) {
      const std::size_t place = signature_.place(parameter.name);
      const bool own = find(facts.own, parameter.name) != nullptr;
      if (place < signature_.keywords().size() && !own) parameters_.emplace_back(place, &parameter);
    }
  }

  [[nodiscard]] const Signature& signature() const { return signature_; }

  [[nodiscard]] nb::object operator()(const Values& values) const {
    const Given given(signature_, parameters_, operation_, values);
    Call call(given.running());
    return body_(call, given);
  }

 private:
  static Keyword argument(const OperationDescription& operation, const FunctionFacts& facts, const std::string& name) {
    if (const Keyword* own = find(facts.own, name)) return *own;
    if (const Data* data = find(operation.takes, name)) return array_keyword(*data);
    if (const Parameter* parameter = find(operation.parameters, name)) return parameter_keyword(operation, *parameter);
    if (const Keyword* shared = shared_keyword(name)) return *shared;
    throw InputError(operation.name + ": nothing is called " + name);
  }

  static std::vector<Keyword> keywords_of(const OperationDescription& operation, const FunctionFacts& facts) {
    std::vector<Keyword> keywords;
    bool by_position = true;
    std::istringstream names(facts.order);
    for (std::string name; names >> name;) {
      if (name == "*") {
        by_position = false;
        continue;
      }
      keywords.push_back(argument(operation, facts, name));
      keywords.back().by_position = by_position;
    }
    const std::vector<Keyword> running = running_keywords(static_cast<bool>(operation.filter));
    keywords.insert(keywords.end(), running.begin(), running.end());
    return keywords;
  }

  const OperationDescription& operation_;
  Signature signature_;
  ParameterPlaces parameters_;
  Body body_;
};

void require_one_of(const OperationDescription& operation, const Arguments& arguments) {
  for (const Parameter& parameter : operation.parameters) {
    for (const std::string& other : parameter.excludes) {
      if (!arguments.given(parameter.name) || !arguments.given(other)) continue;
      throw InputError(other + " and " + parameter.name + "; wanted one of them");
    }
  }
}

}  // namespace

Given::Given(const Signature& signature, const ParameterPlaces& parameters, const OperationDescription& operation,
             const Values& values)
    : signature_(signature), parameters_(parameters), operation_(operation), values_(values) {}

nb::handle Given::at(std::size_t place) const {
  return place < values_.size() && values_[place].is_valid() ? values_[place] : nb::handle(Py_None);
}

std::string_view Given::text(std::string_view keyword) const {
  return has(keyword) ? text_argument((*this)[keyword], keyword) : std::string_view();
}

bool Given::flag(std::string_view keyword) const { return has(keyword) && flag_argument((*this)[keyword], keyword); }

std::optional<int> Given::channel_axis() const {
  const nb::handle axis = (*this)["channel_axis"];
  return axis.is_none() ? std::nullopt : std::optional(whole_argument(axis, "channel_axis"));
}

Arguments Given::arguments() const {
  Arguments arguments = operation_.defaults;
  bool any = false;
  for (const auto& [place, parameter] : parameters_) {
    if (!values_[place].is_valid()) continue;
    if (values_[place].is_none() && signature_.keywords()[place].initial == "None") continue;
    give(arguments, *parameter, values_[place]);
    any = true;
  }
  if (any) require_one_of(operation_, arguments);
  return arguments;
}

Keywords Given::running() const {
  const auto last = values_.end();
  return {last[-6], last[-5], last[-4], last[-3], last[-2], last[-1]};
}

const Parameter& parameter_of(const OperationDescription& operation, std::string_view name) {
  const Parameter* const parameter = find(operation.parameters, name);
  if (parameter == nullptr) throw InputError(operation.name + ": no parameter is called " + std::string(name));
  return *parameter;
}

Keyword keyword_of(const OperationDescription& operation, std::string_view parameter) {
  return parameter_keyword(operation, parameter_of(operation, parameter));
}

Arguments arguments_in(const OperationDescription& operation, const nb::dict& keywords) {
  Arguments arguments = operation.defaults;
  for (const Parameter& parameter : operation.parameters) {
    const nb::str name(parameter.name.c_str());
    if (!keywords.contains(name)) continue;
    const nb::object value = keywords[name];
    if (value.is_none() && parameter_keyword(operation, parameter).initial == "None") continue;
    give(arguments, parameter, value);
  }
  require_one_of(operation, arguments);
  return arguments;
}

void add_operation(nb::module_& module, const OperationDescription& operation, FunctionFacts facts, Body body) {
  const auto function = std::make_shared<const OperationFunction>(operation, facts, std::move(body));
  add_function(module, function->signature(), docstring(operation, function->signature().keywords(), facts),
               [function](const Values& values) { return (*function)(values); });
}

}  // namespace tamis::python
