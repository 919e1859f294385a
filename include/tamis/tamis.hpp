// Everything of tamis in one include.
#pragma once

#include <tamis/compiler.hpp>

#include <tamis/balls.hpp>
#include <tamis/border.hpp>
#include <tamis/context.hpp>
#include <tamis/convert.hpp>
#include <tamis/crop.hpp>
#include <tamis/deskew.hpp>
#include <tamis/distance.hpp>
#include <tamis/domain.hpp>
#include <tamis/element.hpp>
#include <tamis/element_shapes.hpp>
#include <tamis/error.hpp>
#include <tamis/frames.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu_array.hpp>
#include <tamis/gpu_binary.hpp>
#include <tamis/gpu_granulometry.hpp>
#include <tamis/gpu_median.hpp>
#include <tamis/gpu_morphology.hpp>
#include <tamis/gpu_prepared.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>
#include <tamis/io.hpp>
#include <tamis/line.hpp>
#include <tamis/median.hpp>
#include <tamis/memory.hpp>
#include <tamis/morphology.hpp>
#include <tamis/one_line.hpp>
#include <tamis/orientation.hpp>
#include <tamis/phantom.hpp>
#include <tamis/porosimetry.hpp>
#include <tamis/threshold.hpp>
#include <tamis/version.hpp>
