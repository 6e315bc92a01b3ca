#pragma once

#include <vector>

#include "hardkuma/report/chart.h"

namespace hardkuma {

/// The two parameters of a Kumaraswamy variable.
struct KumaShape {
  double a = 1.0;
  double b = 1.0;
};

/// From Kuma to HardKuma, the paper's figure 2: the density, stretched, and rectified with its
/// masses at 0 and 1.
LineChart rectification_chart(KumaShape shape);

/// Densities; for HardKuma also the masses at 0 and 1 as vertical lines (figures 7 and 8).
LineChart kuma_densities(const std::vector<KumaShape>& shapes);
LineChart hardkuma_densities(const std::vector<KumaShape>& shapes);

/// P(H ≤ x), with its jumps (figure 9).
LineChart hardkuma_distributions(const std::vector<KumaShape>& shapes);

}  // namespace hardkuma
