#pragma once

#include <cstdint>
#include <vector>

namespace hardkuma {

/// Randomness as a function of where it is used, never of thread or order: a draw is keyed by
/// (seed, stream, step, example, position). The same key always gives the same number, however the
/// work is divided.
///
///   RandomKey key = RandomKey(seed).with(kNoiseStream).with(step).with(example).with(position);
///   float u = key.uniform();   // in the open interval (0, 1)
class RandomKey {
 public:
  explicit constexpr RandomKey(uint64_t seed) : state_(mix(seed + kGolden)) {}

  constexpr RandomKey with(uint64_t part) const {
    RandomKey next(*this);
    next.state_ = mix(state_ ^ mix(part + kGolden));
    return next;
  }

  /// The key's whole state, and the key with a given state.
  constexpr uint64_t state() const { return state_; }
  static constexpr RandomKey of_state(uint64_t state) {
    RandomKey out(0);
    out.state_ = state;
    return out;
  }

  constexpr uint64_t bits() const { return mix(state_ + kGolden); }

  /// The i-th 64 bits of this key's own sequence.
  constexpr uint64_t bits(uint64_t i) const { return mix(state_ + (i + 1) * kGolden); }

  /// Strictly inside (0, 1), on a grid float32 holds exactly: (n + 1/2) / 2^23.
  constexpr float uniform() const {
    return (static_cast<float>(bits() >> 41) + 0.5f) * (1.0f / 8388608.0f);
  }

  /// Strictly inside (0, 1), with 52 bits.
  constexpr double uniform_double() const {
    return (static_cast<double>(bits() >> 12) + 0.5) * (1.0 / 4503599627370496.0);
  }

  /// Uniform over 0 … n-1, for n far below 2^64.
  constexpr uint64_t below(uint64_t n) const { return bits() % n; }

 private:
  static constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

  static constexpr uint64_t mix(uint64_t x) {  // the splitmix64 finaliser
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  uint64_t state_;
};

/// A key of one training step. On a GPU the step's own key may lie in its memory, so that recorded
/// work can be replayed for another step: what is derived from it is kept as a list of parts.
class StepKey {
 public:
  constexpr StepKey(RandomKey key, const uint64_t* device_state = nullptr)
      : key_(key), device_state_(device_state) {}

  constexpr StepKey with(uint64_t part) const {
    StepKey next(*this);
    next.key_ = key_.with(part);
    if (count_ < kMost) next.parts_[count_] = part;
    next.count_ = count_ + 1;
    return next;
  }

  constexpr RandomKey key() const { return key_; }

  /// The same on a GPU, derived from the step's key in GPU memory.
  constexpr RandomKey device_key() const {
    if (device_state_ == nullptr) return key_;
    RandomKey out = RandomKey::of_state(*device_state_);
    for (int i = 0; i < count_; ++i) out = out.with(parts_[i]);
    return out;
  }

  static constexpr int kMost = 6;
  constexpr bool fits() const { return count_ <= kMost; }

 private:
  RandomKey key_;
  const uint64_t* device_state_;
  int count_ = 0;
  uint64_t parts_[kMost] = {};
};

/// What a draw is for; part of the key, so that streams never share numbers.
enum RandomStream : uint64_t {
  kInitStream = 1,
  kShuffleStream = 2,
  kNoiseStream = 3,
  kEmbeddingDropoutStream = 4,
  kOutputDropoutStream = 5,
  kGenerateStream = 6,
  kBootstrapStream = 7,
};

/// 0 … n-1 in an order that depends on the key alone (Fisher–Yates).
std::vector<int64_t> shuffled_indices(int64_t n, RandomKey key);

}  // namespace hardkuma
