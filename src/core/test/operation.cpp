#include "core/operation/operation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>
#include <string>

#include <tamis/error.hpp>

namespace tamis {
namespace {

enum class Colour : std::uint8_t { Red, Green };
constexpr Choice<Colour> colours[] = {{"red", Colour::Red}, {"green", Colour::Green}};

struct Base {
  std::int64_t count = 3;
};
struct Own : Base {
  double share = 0.5;
  bool loud = false;
  Colour colour = Colour::Green;
  Border border = Border::reflect();
  StructuringElement element = StructuringElement::square(3);
  std::optional<StructuringElement> other;
  std::optional<std::int64_t> last;
  std::vector<double> lengths = {41};
  std::uint64_t seed = 7;
  std::string name = "foam";
};

const OperationDescription& described() {
  static const OperationDescription operation =
      describe({}, Own(), "Everything", parameter(&Own::count, "count").between(1, 10),
               parameter(&Own::share, "share").above(0).below(1).section("Shares"), parameter(&Own::loud, "loud"),
               parameter(&Own::colour, "colour").choices(colours),
               parameter(&Own::border, "border").words({"reflect", "constant:V"}), parameter(&Own::element, "element"),
               parameter(&Own::other, "other").excludes({"element"}), parameter(&Own::last, "last").at_least(0),
               parameter(&Own::lengths, "lengths").at_least(1), parameter(&Own::seed, "seed").at_least(0),
               parameter(&Own::name, "name").text("how it is called").example("foam"));
  return operation;
}

const Parameter& facts(std::string_view name) {
  for (const Parameter& parameter : described().parameters) {
    if (parameter.name == name) return parameter;
  }
  throw std::logic_error("no such parameter");
}

std::string refusal(std::string_view parameter, std::string_view text) {
  Arguments arguments = described().defaults;
  try {
    arguments.set(parameter, text);
  } catch (const InputError& error) {
    EXPECT_FALSE(arguments.given(parameter));
    return error.what();
  }
  return "taken";
}

TEST(Operation, defaults_are_those_of_the_options) {
  const Arguments arguments = described().defaults;
  for (const auto& [name, wanted] :
       {std::pair{"count", "3"}, {"share", "0.5"}, {"colour", "green"}, {"border", "reflect"}, {"element", "square:3"},
        {"other", ""}, {"last", ""}, {"lengths", "41"}, {"seed", "7"}, {"name", "foam"}}) {
    EXPECT_EQ(arguments.text(name), wanted) << name;
    EXPECT_EQ(facts(name).initial, wanted) << name;
    EXPECT_FALSE(arguments.given(name)) << name;
  }
  EXPECT_EQ(arguments.text("loud"), "false");
}

TEST(Operation, a_text_sets_its_member_and_comes_back) {
  Arguments arguments = described().defaults;
  const std::pair<const char*, const char*> texts[] = {
      {"count", "10"},     {"share", "0.25"},        {"loud", "true"}, {"colour", "red"},  {"border", "constant:-3"},
      {"other", "disk:2"}, {"element", "line:9@30"}, {"last", "12"},   {"lengths", "1,2.5"}, {"seed", "9"}};
  for (const auto& [name, text] : texts) {
    arguments.set(name, text);
    EXPECT_EQ(arguments.text(name), text);
    EXPECT_TRUE(arguments.given(name));
  }
  const Own& own = arguments.as<Own>();
  EXPECT_EQ(own.count, 10);
  EXPECT_EQ(own.share, 0.25);
  EXPECT_TRUE(own.loud);
  EXPECT_EQ(own.colour, Colour::Red);
  EXPECT_EQ(own.border, Border::constant(-3));
  EXPECT_EQ(own.last, 12);
  EXPECT_EQ(own.lengths, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(described().defaults.as<Own>().count, 3);  // a copy is a call of its own
}

TEST(Operation, an_element_needs_no_text) {
  Arguments arguments = described().defaults;
  const StructuringElement mask(OffsetSet(OffsetBox{{0, 0, 0}, {0, 1, 4}}), 2);
  arguments.set_element("element", mask);
  arguments.set_element("other", mask);
  EXPECT_EQ(arguments.as<Own>().element, mask);
  EXPECT_EQ(arguments.as<Own>().other, mask);
  EXPECT_THROW(arguments.set_element("count", mask), InputError);
}

TEST(Operation, a_refusal_says_what_is_wanted_in_the_words_of_the_description) {
  EXPECT_EQ(refusal("count", "11"), "wanted a whole number from 1 to 10");
  EXPECT_EQ(refusal("count", "2.5"), "wanted a whole number from 1 to 10");
  EXPECT_EQ(refusal("share", "1"), "wanted a number above 0 and below 1");
  EXPECT_EQ(refusal("share", "nan"), "wanted a number above 0 and below 1");
  EXPECT_EQ(refusal("loud", "yes"), "wanted true or false");
  EXPECT_EQ(refusal("colour", "blue"), "wanted red or green");
  EXPECT_EQ(refusal("border", "nearest"), "wanted reflect or constant:V");
  EXPECT_EQ(refusal("border", "constant:x"), "wanted a number");
  EXPECT_EQ(refusal("last", "-1"), "wanted a whole number, 0 or more");
  EXPECT_EQ(refusal("seed", "99999999999999999999"), "wanted a whole number, 0 or more");
  EXPECT_EQ(refusal("lengths", "1,,2"), "wanted a number, or several as in 11,21,41");
  for (const Parameter& parameter : described().parameters) EXPECT_FALSE(parameter.wanted.empty()) << parameter.name;
}

TEST(Operation, a_parameter_that_is_not_there_is_named) {
  Arguments arguments = described().defaults;
  try {
    arguments.set("colours", "red");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "colours: no such parameter");
  }
}

TEST(Operation, facts_are_what_was_written_down) {
  EXPECT_EQ(facts("count").section, "Everything");
  EXPECT_EQ(facts("share").section, "Shares");
  EXPECT_EQ(facts("colour").choices, (std::vector<std::string>{"red", "green"}));
  EXPECT_EQ(facts("other").excludes, std::vector<std::string>{"element"});
  EXPECT_EQ(facts("name").text, "how it is called");
  EXPECT_EQ(name(facts("border").kind), "border");
  EXPECT_EQ(name(facts("seed").kind), "integer");
}

TEST(Operation, ranges_are_said_as_people_say_them) {
  EXPECT_EQ(range_text({0, 100}), "0 to 100");
  EXPECT_EQ(range_text(iteration_counts), "1 to 1000000");
  EXPECT_EQ(range_text({0, 45, true}), "above 0 and at most 45");
  EXPECT_EQ(range_text({.lowest = {}, .highest = 1, .without_highest = true}), "below 1");
  EXPECT_FALSE(holds({0, 1}, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_THROW(require_in({0, 1}, 2, "share"), InputError);
}

TEST(Operation, messages_name_parameters_as_each_front_end_does) {
  const auto option = [](std::string_view name, std::string_view value) {
    return "--" + std::string(name) + (value.empty() ? "" : " " + std::string(value));
  };
  EXPECT_EQ(spelled("wanted `channel 0` .. 2, or `channel luma`; or `follow`", option),
            "wanted --channel 0 .. 2, or --channel luma; or --follow");
  for (const char* const message : {"", "`", "``", "a`b", "`A b`", "three ` of ` them `", "no parameter"}) {
    EXPECT_EQ(spelled(message, [](std::string_view, std::string_view) { return "?"; }), message);
  }
}

RC_GTEST_PROP(Operation, numbers_come_back_to_the_last_bit, (double number)) {
  struct One {
    double number = 0;
  };
  const OperationDescription operation = describe({}, One(), "", parameter(&One::number, "number"));
  Arguments arguments = operation.defaults;
  arguments.set("number", ValueText<double>::print(number));
  RC_ASSERT(arguments.as<One>().number == number);
}

TEST(Operations, each_has_a_name_of_its_own_and_says_what_it_does) {
  std::set<std::string> names;
  for (const OperationDescription& operation : operations()) {
    EXPECT_TRUE(names.insert(operation.name).second) << operation.name;
    EXPECT_FALSE(operation.text.empty() || operation.gives.empty()) << operation.name;
  }
  EXPECT_EQ(operation("median").name, "median");
  EXPECT_THROW(static_cast<void>(operation("mean")), InputError);
}

TEST(Operations, every_parameter_takes_its_example_and_its_default) {
  for (const OperationDescription& operation : operations()) {
    for (const Parameter& parameter : operation.parameters) {
      Arguments arguments = operation.defaults;
      EXPECT_FALSE(parameter.text.empty()) << operation.name << ' ' << parameter.name;
      for (const std::string& text : {parameter.initial, parameter.example}) {
        if (!text.empty()) arguments.set(parameter.name, text);
      }
      EXPECT_TRUE(parameter.kind == ParameterKind::Flag || !parameter.example.empty())
          << operation.name << ' ' << parameter.name;
    }
  }
}

TEST(Operations, filters_can_be_called) {
  for (const OperationDescription& operation : operations()) {
    if (!operation.filter) continue;
    EXPECT_TRUE(operation.filter.run_on_gpu && operation.filter.bytes_between && operation.filter.report)
        << operation.name;
    std::vector<Image> images;
    for (std::size_t i = 0; i < operation.takes.size(); ++i) images.emplace_back(Type::U8, Shape{1, 5, 9, 2});
    std::vector<const Image*> pointers;
    for (const Image& image : images) pointers.push_back(&image);
    Context context;
    context.device = Device::Cpu;
    Image out;
    operation.filter.run(context, pointers, operation.defaults, out);
    EXPECT_EQ(out.shape(), images.front().shape()) << operation.name;
    EXPECT_FALSE(operation.filter.report(context, operation.defaults, out.type(), out.shape()).parameters.empty());
  }
}

}  // namespace
}  // namespace tamis
