#pragma once

#include "spsolve/dense.hpp"
