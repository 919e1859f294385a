#include "python/object/element.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

#include <tamis/element_shapes.hpp>
#include <tamis/error.hpp>

#include "python/array/image.hpp"
#include "python/array/result/output.hpp"
#include "python/family/families.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

const char* const class_doc = R"(A structuring element: a set of offsets, or a sum of such sets. It does not change.

Everything that takes an element takes its text ('disk:5'), an Element, or an array that is not 0 inside. `a + b` is
first a, then b. NumPy, SciPy and scikit-image take an Element as a footprint: as an array it is its `mask()`.

Parameters
----------
spec : str, Element or array
    A text as in docs/elements.md; masks of 'file:mask.png' are read by `read`. An array of two or three axes: what is
    not 0 is in.
origin : tuple of int, optional
    Of an array: the index of its origin in the order of the axes, (y, x) or (z, y, x); it may lie outside. Otherwise
    n // 2 along each axis.

Raises
------
InputError
    For a text that cannot be read, which names the part and lists what there is; for an array without a True.

Examples
--------
>>> import tamis
>>> element = tamis.Element("line:5@0") + tamis.Element([[1, 1]], origin=(0, 0))
>>> element.offsets().tolist()
[[0, -2], [0, -1], [0, 0], [0, 1], [0, 2], [0, 3]]
)";

Image mask_image(nb::handle array, std::string_view keyword) {
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object mask = numpy.attr("asarray")(array);
  if (nb::cast<int>(mask.attr("ndim")) == 0) {
    throw InputError(std::string(keyword) + "=" + text_of(array) +
                     ": wanted a text such as 'disk:5', a tamis.Element, or a mask");
  }
  const ImageInput input(mask.attr("astype")("bool"), keyword, false, 0);
  return input.read({});
}

/// Whether it is a mask and how often it comes, as in scikit-image's sequences of footprints; rows of masks are not.
bool is_repeated(nb::handle item) {
  if (!nb::isinstance<nb::tuple>(item) && !nb::isinstance<nb::list>(item)) return false;
  if (nb::len(item) != 2) return false;
  const nb::object mask = item[0], times = item[1];
  return PySequence_Check(mask.ptr()) == 1 && PyIndex_Check(times.ptr()) == 1 && PySequence_Check(times.ptr()) == 0;
}

/// The masks of a sequence of (mask, n) one after the other; nothing for anything else.
std::optional<StructuringElement> sum_of_repeated(nb::handle sequence, std::string_view keyword) {
  std::optional<StructuringElement> sum;
  if (!nb::isinstance<nb::tuple>(sequence) && !nb::isinstance<nb::list>(sequence)) return sum;
  for (const nb::handle item : sequence) {
    if (!is_repeated(item)) return std::nullopt;
    const nb::object mask = item[0], times = item[1];
    const auto element = StructuringElement::from_mask(mask_image(mask, keyword));
    std::int64_t count = 0;
    if (!nb::try_cast(times, count) || count < 1) {
      throw InputError(std::string(keyword) + ": (mask, " + text_of(times) + "); wanted a mask and how often, 1 or more");
    }
    for (std::int64_t i = 0; i < count; ++i) sum = sum ? *sum + element : element;
  }
  return sum;
}

Image image_of_file(const std::string& path) {
  const nb::object image = nb::module_::import_("tamis._files").attr("read")(path);
  return mask_image(image, "file:" + path);
}

Offset offset_of(nb::handle numbers, int rank, const char* keyword) {
  std::vector<std::int64_t> axes;
  const bool flat_too = rank == 0;
  const bool read = nb::try_cast(numbers, axes) && !PyUnicode_Check(numbers.ptr());
  if (!read || (flat_too ? axes.size() != 2 && axes.size() != 3 : axes.size() != static_cast<std::size_t>(rank))) {
    const std::string count = flat_too ? "2 or 3" : std::to_string(rank);
    throw InputError(std::string(keyword) + "=" + text_of(numbers) + ": wanted " + count +
                     " whole numbers in the order of the axes");
  }
  axes.insert(axes.begin(), 3 - axes.size(), 0);
  return {axes[0], axes[1], axes[2]};
}

StructuringElement element_with_origin(nb::handle spec, nb::handle origin) {
  if (origin.is_none()) return structuring_element_of(spec, "element");
  if (PyUnicode_Check(spec.ptr()) || nb::isinstance<ElementObject>(spec)) {
    throw InputError("origin=" + text_of(origin) + " of " + text_of(spec) + ": wanted it with a mask; shifted(...) " +
                     "displaces an element");
  }
  const Image mask = mask_image(spec, "element");
  return StructuringElement::from_mask(mask, offset_of(origin, mask.shape().rank, "origin"));
}

/// A cross is drawn as on an image if nobody says otherwise.
int rank_of(const StructuringElement& element, std::optional<int> rank) {
  if (!rank) return element.rank() == 3 ? 3 : 2;
  if (*rank != 2 && *rank != 3) throw InputError("rank=" + std::to_string(*rank) + ": wanted 2 or 3");
  return *rank;
}

nb::object axes_tuple(const Offset& offset, int rank) {
  return rank == 2 ? nb::make_tuple(offset.y, offset.x) : nb::make_tuple(offset.z, offset.y, offset.x);
}

nb::object offsets(const ElementObject& self, std::optional<int> wanted_rank) {
  const int rank = rank_of(self.value, wanted_rank);
  const OffsetSet set = self.value.sum(rank);
  nb::object array = numpy_empty(nb::make_tuple(set.count(), rank), Type::I64);
  const Buffer buffer(array, PyBUF_WRITABLE);
  auto* out = static_cast<std::int64_t*>(buffer.view().buf);
  for (const OffsetSet::Run& run : set.runs()) {
    for (std::int64_t i = 0; i < run.length; ++i) {
      if (rank == 3) *out++ = run.start.z;
      *out++ = run.start.y;
      *out++ = run.start.x + i;
    }
  }
  return array;
}

nb::object mask(const ElementObject& self, std::optional<int> wanted_rank) {
  const int rank = rank_of(self.value, wanted_rank);
  const OffsetSet set = self.value.sum(rank);
  const OffsetBox& box = set.box();
  const Offset extent = box.high - box.low + Offset{1, 1, 1};
  nb::object array = nb::module_::import_("numpy").attr("zeros")(axes_tuple(extent, rank), "bool");
  const Buffer buffer(array, PyBUF_WRITABLE);
  auto* const out = static_cast<std::byte*>(buffer.view().buf);
  for (const OffsetSet::Run& run : set.runs()) {
    const Offset at = run.start - box.low;
    std::memset(out + (at.z * extent.y + at.y) * extent.x + at.x, 1, static_cast<std::size_t>(run.length));
  }
  return array;
}

nb::object origin(const ElementObject& self, std::optional<int> wanted_rank) {
  const int rank = rank_of(self.value, wanted_rank);
  return axes_tuple(-self.value.sum(rank).box().low, rank);
}

nb::object as_array(const ElementObject& self, nb::handle dtype, nb::handle) {
  const nb::object array = mask(self, std::nullopt);
  return dtype.is_none() ? array : nb::object(array.attr("astype")(dtype));
}

ElementObject sum(const ElementObject& first, const ElementObject& then) {
  std::vector<StructuringElement> parts = first.summands;
  parts.insert(parts.end(), then.summands.begin(), then.summands.end());
  return ElementObject(std::move(parts));
}

ElementObject object_of(nb::handle element) {
  if (nb::isinstance<ElementObject>(element)) return nb::cast<ElementObject>(element);
  return ElementObject(structuring_element_of(element, "element"));
}

/// Of a sum every part is mirrored, and their order turns round.
ElementObject reflected(const ElementObject& self) {
  std::vector<StructuringElement> parts;
  for (auto part = self.summands.rbegin(); part != self.summands.rend(); ++part) parts.push_back(part->reflected());
  return ElementObject(std::move(parts));
}

/// Of a sum the first part is displaced.
ElementObject shifted(const ElementObject& self, nb::handle by) {
  const Offset offset = offset_of(by, 0, "by");
  std::vector<StructuringElement> parts = self.summands;
  parts.front() = parts.front().shifted(offset);
  return ElementObject(std::move(parts));
}

/// Equal elements have equal hashes.
std::size_t hash(const ElementObject& self) {
  const OffsetSet set = self.value.sum(rank_of(self.value, std::nullopt));
  const OffsetBox& box = set.box();
  return nb::hash(nb::make_tuple(set.count(), axes_tuple(box.low, 3), axes_tuple(box.high, 3)));
}

using Runs = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>>;
/// A summand as its text; if that cannot be read again, also as its rank and runs (z, y, x, length).
using Summand = std::tuple<std::string, int, Runs>;

bool readable(const StructuringElement& element) {
  try {
    return StructuringElement(element.spec()) == element;
  } catch (const InputError&) {
    return false;
  }
}

/// Whether it is the same sets on images and slices of volumes, as all but crosses are.
bool has_one_form(const StructuringElement& element) {
  return element.rank() == 3 || element.sets(2) == element.sets(3);
}

std::vector<Summand> state_of(const ElementObject& self) {
  std::vector<Summand> state;
  for (const StructuringElement& part : self.summands) {
    if (readable(part) || !has_one_form(part)) {  // the latter: crosses among masks of files, which have to be there
      state.emplace_back(part.spec(), 0, Runs());
      continue;
    }
    for (const OffsetSet& set : part.sets(part.rank())) {
      Runs runs;
      for (const OffsetSet::Run& run : set.runs()) {
        runs.emplace_back(run.start.z, run.start.y, run.start.x, run.length);
      }
      state.emplace_back(part.spec(), part.rank(), std::move(runs));
    }
  }
  return state;
}

std::string call_of(const std::string& arguments) { return "tamis.element(" + arguments + ")"; }

std::string quoted(const std::string& text) { return nb::cast<std::string>(nb::repr(nb::str(text.c_str()))); }

/// A set as a mask with its origin, as Python writes it.
std::string mask_text(const OffsetSet& set, int rank) {
  const OffsetBox& box = set.box();
  const Offset extent = box.high - box.low + Offset{1, 1, 1};
  std::vector<char> samples(static_cast<std::size_t>(extent.z * extent.y * extent.x), '0');
  for (const OffsetSet::Run& run : set.runs()) {
    const Offset at = run.start - box.low;
    const std::int64_t first = (at.z * extent.y + at.y) * extent.x + at.x;
    std::fill_n(samples.begin() + first, run.length, '1');
  }
  std::string text;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (at % extent.x == 0) {
      const bool slice = at % (extent.x * extent.y) == 0;
      text += at == 0 ? "[" : slice ? "]], [" : "], ";
      text += "[";
    } else {
      text += ", ";
    }
    text += samples[i];
  }
  text += "]]";
  if (rank == 3) text = "[" + text + "]";
  const Offset origin = -box.low;
  const bool middle = origin.z == extent.z / 2 && origin.y == extent.y / 2 && origin.x == extent.x / 2;
  if (!middle) text += ", origin=" + nb::cast<std::string>(nb::repr(axes_tuple(origin, rank)));
  return text;
}

/// What gives the element back: texts as far as they can be read, other summands as masks. Those of many samples are
/// described instead.
std::string repr(const ElementObject& self) {
  constexpr std::int64_t most_samples = 1024;
  std::vector<std::string> calls;
  std::string text;
  const auto end_text = [&] {
    if (!text.empty()) calls.push_back(call_of(quoted(text)));
    text.clear();
  };
  for (const StructuringElement& part : self.summands) {
    if (readable(part) || !has_one_form(part)) {
      text += (text.empty() ? "" : "+") + part.spec();
      continue;
    }
    end_text();
    for (const OffsetSet& set : part.sets(part.rank())) {
      const Offset extent = set.box().high - set.box().low + Offset{1, 1, 1};
      if (extent.z * extent.y * extent.x > most_samples) {
        return "<tamis.Element: " + self.value.spec() + ", " + std::to_string(set.count()) + " offsets>";
      }
      calls.push_back(call_of(mask_text(set, part.rank())));
    }
  }
  end_text();
  std::string sum;
  for (const std::string& call : calls) sum += (sum.empty() ? "" : " + ") + call;
  return sum;
}

void restore(ElementObject& self, const std::vector<Summand>& state) {
  if (state.empty()) throw InputError("the state of an element: nothing; wanted what __getstate__ gave");
  std::vector<StructuringElement> parts;
  for (const auto& [spec, rank, tuples] : state) {
    if (rank == 0) {
      parts.emplace_back(spec, image_of_file);
      continue;
    }
    std::vector<OffsetSet::Run> runs;
    for (const auto& [z, y, x, length] : tuples) runs.push_back({{z, y, x}, length});
    parts.emplace_back(OffsetSet(std::move(runs)), rank, spec);
  }
  new (&self) ElementObject(std::move(parts));
}

void add_protocols(nb::class_<ElementObject>& type) {
  type.def("__array__", as_array, "dtype"_a = nb::none(), "copy"_a = nb::none(),
           nb::sig("def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) -> "
                   "numpy.typing.NDArray[typing.Any]"))
      .def("__add__",
           [](const ElementObject& self, FlatElementArgument then) { return sum(self, object_of(then.value)); })
      .def("__radd__",
           [](const ElementObject& self, FlatElementArgument first) { return sum(object_of(first.value), self); })
      .def(
          "__eq__", [](const ElementObject& a, const ElementObject& b) { return a.value == b.value; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", hash)
      .def("__str__", [](const ElementObject& self) { return self.value.spec(); })
      .def("__repr__", repr)
      .def("_repr_svg_",
           [](nb::handle self) { return nb::module_::import_("tamis._notebook").attr("element_svg")(self); })
      .def("__getstate__", state_of, nb::sig("def __getstate__(self) -> object"))
      .def("__setstate__", restore, nb::sig("def __setstate__(self, state: object, /) -> None"));
  // Or an array on the left would add a mask to its samples.
  type.attr("__array_ufunc__") = nb::none();
}

nb::dict size_object(const ElementSize& size) {
  nb::dict object;
  object["name"] = std::string(size.name);
  object["letter"] = std::string(size.letter);
  object["before"] = std::string(1, size.before);
  object["whole"] = size.whole;
  object["lowest"] = size.lowest;
  object["highest"] = size.highest;
  object["required"] = size.required;
  return object;
}

nb::list shape_objects() {
  nb::list objects;
  for (const ElementShape& shape : element_shapes()) {
    nb::list sizes;
    for (const ElementSize& size : shape.sizes) sizes.append(size_object(size));
    nb::dict object;
    object["name"] = std::string(shape.name);
    object["text"] = std::string(shape.text);
    object["example"] = std::string(shape.example);
    object["rank"] = shape.rank;
    object["sizes"] = sizes;
    objects.append(object);
  }
  return objects;
}

}  // namespace

ElementObject::ElementObject(std::vector<StructuringElement> parts) : value(parts.front()), summands(std::move(parts)) {
  for (std::size_t i = 1; i < summands.size(); ++i) value = value + summands[i];
}

StructuringElement structuring_element_of(nb::handle element, std::string_view keyword) {
  if (nb::isinstance<ElementObject>(element)) return nb::cast<const ElementObject&>(element).value;
  if (const auto sum = sum_of_repeated(element, keyword)) return *sum;
  if (!PyUnicode_Check(element.ptr())) return StructuringElement::from_mask(mask_image(element, keyword));
  try {
    return {nb::cast<std::string_view>(element), image_of_file};
  } catch (const InputError& error) {
    if (keyword == "element") throw;  // as the message begins
    throw InputError(std::string(keyword) + ": " + error.what());
  }
}

std::string element_spec_of(nb::handle element, std::string_view keyword) {
  if (nb::isinstance<ElementObject>(element)) return nb::cast<const ElementObject&>(element).value.spec();
  if (PyUnicode_Check(element.ptr())) return nb::cast<std::string>(element);
  throw InputError(std::string(keyword) + "=" + text_of(element) + ": wanted a text such as 'disk:5' or tamis.disk(5)");
}

void add_element(nb::module_& module) {
  nb::class_<ElementObject> type(module, "Element", class_doc);
  type.def(
          "__init__",
          [](ElementObject* self, FlatElementArgument spec, OriginArgument from) {
            new (self) ElementObject(element_with_origin(spec.value, from.value));
          },
          "spec"_a, "origin"_a.none() = nb::none(),
          nb::sig("def __init__(self, spec: str | Element | numpy.typing.ArrayLike, origin: "
                  "collections.abc.Sequence[int] | None = None) -> None"))
      .def_prop_ro(
          "spec", [](const ElementObject& self) { return self.value.spec(); },
          "The text it was made from or an equivalent one; of masks a name.")
      .def_prop_ro(
          "rank",
          [](const ElementObject& self) {
            return self.value.rank() == 0 ? std::nullopt : std::optional<int>(self.value.rank());
          },
          "2: for images, and volumes slice by slice. 3: for volumes. None: as the image (cross).")
      .def("offsets", offsets, "rank"_a = nb::none(),
           nb::sig("def offsets(self, rank: int | None = None) -> numpy.typing.NDArray[numpy.int64]"),
           "The offsets, (y, x) or (z, y, x), in order: array of int64, shape (count, rank). A cross takes the rank of "
           "its image; here it is 2 unless `rank` says 3.")
      .def("mask", mask, "rank"_a = nb::none(),
           nb::sig("def mask(self, rank: int | None = None) -> numpy.typing.NDArray[numpy.bool_]"),
           "The offsets as an array of bool, the smallest that holds them.")
      .def("origin", origin, "rank"_a = nb::none(),
           nb::sig("def origin(self, rank: int | None = None) -> tuple[int, ...]"),
           "Where the origin is in `mask`, (y, x) or (z, y, x); it may lie outside.")
      .def("reflected", reflected, "Mirrored at the origin.")
      .def("shifted", shifted, "by"_a, nb::sig("def shifted(self, by: collections.abc.Sequence[int]) -> Element"),
           "Displaced by (y, x) or (z, y, x).");
  add_protocols(type);
  type.attr("__module__") = "tamis";
  module.def("element_shapes", shape_objects, nb::sig("def element_shapes() -> list[dict[str, typing.Any]]"),
             "The shapes that a text can name: name, text, example, rank (0: as the image) and sizes, each with name, "
             "letter, before (what stands before it in the text), whole, lowest, highest and required.");
}

}  // namespace tamis::python
