#pragma once

namespace hardkuma {

/// The support a gate variable is stretched to before it is rectified to [0, 1] (section 3.2 of
/// the paper), and where 0 and 1 fall inside the unstretched unit interval.
struct Support {
  double l = -0.1;
  double r = 1.1;

  constexpr double width() const { return r - l; }
  constexpr double zero() const { return -l / width(); }
  constexpr double one() const { return (1.0 - l) / width(); }
};

/// Of the Hard Concrete.
inline constexpr double kConcreteTemperature = 2.0 / 3.0;

/// The value of a gate at prediction.
enum class Decision {
  Argmax,  ///< the likeliest of {0, 1, in between}; in between gives the underlying mean
  Binary,  ///< 1 wherever Argmax gives more than 0
};

}  // namespace hardkuma
