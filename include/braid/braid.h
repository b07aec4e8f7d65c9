#pragma once

/// \file
/// All of Braid's public face.

#include <braid/error.h>
#include <braid/session.h>
#include <braid/tensor.h>
