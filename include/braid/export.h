#pragma once

// Marks a class or function as part of the public face of libbraid.
#define BRAID_API __attribute__((visibility("default")))
