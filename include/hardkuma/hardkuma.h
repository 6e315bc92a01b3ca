#pragma once

/// Text classifiers that show their evidence: everything a program needs, the standard library
/// alone.

#include "hardkuma/error.h"
#include "hardkuma/evaluation.h"
#include "hardkuma/explanation.h"
#include "hardkuma/model.h"
#include "hardkuma/token.h"
#include "hardkuma/train.h"
#include "hardkuma/version.h"
