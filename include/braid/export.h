#pragma once

/// Marks what libbraid exports; everything else stays hidden.
#define BRAID_API __attribute__((visibility("default")))
