// Everything of tamis in one include.
#pragma once

#include <tamis/border.hpp>
#include <tamis/context.hpp>
#include <tamis/convert.hpp>
#include <tamis/deskew.hpp>
#include <tamis/element.hpp>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu_array.hpp>
#include <tamis/gpu_frames.hpp>
#include <tamis/gpu_granulometry.hpp>
#include <tamis/gpu_median.hpp>
#include <tamis/gpu_morphology.hpp>
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
#include <tamis/threshold.hpp>
#include <tamis/version.hpp>
