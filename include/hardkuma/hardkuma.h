#pragma once

/// Text classifiers that show their evidence. This header includes the whole public API, which
/// needs only the standard library.

#include "hardkuma/error.h"
#include "hardkuma/evaluation.h"
#include "hardkuma/explanation.h"
#include "hardkuma/model.h"
#include "hardkuma/token.h"
#include "hardkuma/train.h"
#include "hardkuma/version.h"
