// What people and front ends have to know of distance.
#include "operations.hpp"

#include <tamis/operations/arguments.hpp>
#include <tamis/operations/words.hpp>

#include "core/operation/operation.hpp"

namespace tamis {

ThresholdOptions DistanceArguments::threshold_options() const { return with_phase(threshold, phase); }

std::vector<OperationDescription> describe_distance() {
  OperationDescription distance;
  distance.name = "distance";
  distance.text = "at every voxel of the object the distance to the background";
  distance.details =
      "The exact Euclidean distance from the middle of a voxel to the middle of the nearest voxel of the background, 0 "
      "on the background itself, in voxels or in the unit of their size. Squares are whole numbers, so the result is "
      "the same on every machine. Voxels may be longer one way than another: their sides are told as whole numbers whose "
      "ratios are within a millionth of those that are given, 103, 103 and 250 for 0.206x0.206x0.5.";
  distance.takes = {{"image", {}, "the image or volume"}};
  distance.gives = {{"out", {Type::F32, Type::U16, Type::U32, Type::U64}, "distances, f32, or their squares"}};
  distance.examples = {"tamis distance foam.tif distances.tif --threshold otsu --spacing 2.5um",
                       "tamis distance cement.tif squares.npy --threshold otsu --phase dark --squared"};
  distance.references = {
      "A. Meijster, J. B. T. M. Roerdink, W. H. Hesselink, \"A general algorithm for computing distance transforms in "
      "linear time\", 2000."};
  distance.see_also = {"granulometry"};
  distance.refuses = "a threshold that the image has not, sides that are not above 0, an `out` of another type";
  distance.python = R"(>>> import numpy, tamis
>>> image = numpy.array([[0, 1, 1, 1, 1, 0]], bool)
>>> tamis.distance(image, border="neutral")
array([[0., 1., 2., 2., 1., 0.]], dtype=float32)
)";
  return {describe(
      std::move(distance), DistanceArguments(), "Distance",
      parameter(&DistanceArguments::threshold, "threshold")
          .kind(ParameterKind::Threshold)
          .by(parse_threshold, print_threshold)
          .text("bright is above V, or above LO and not above HI, or above the value that a method chooses: " +
                threshold_method_names() + "; an image of two values needs none")
          .section("Object")
          .example("otsu")
          .positional(),
      parameter(&DistanceArguments::phase, "phase")
          .choices(phases)
          .text("the object is what lies above the threshold, or the rest (pores of a scan are mostly dark)")
          .section("Object")
          .example("dark"),
      parameter(&DistanceArguments::border, "border")
          .choices(domain_borders)
          .text("what lies outside: background, or nothing that has a distance")
          .example("neutral"),
      parameter(&DistanceArguments::by_slices, "by_slices").text("each slice of a volume for itself"),
      parameter(&DistanceArguments::squared, "squared")
          .text("squares instead, whole numbers in sides of a voxel: u16, or u32 and u64 where they are larger"))};
}

}  // namespace tamis
