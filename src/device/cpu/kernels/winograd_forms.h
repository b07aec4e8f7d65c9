#pragma once

#include <array>

namespace braid::cpu {

/// Minimal filtering by Winograd (docs/papers.md): `kOutputs` neighbouring outputs y of a filter g
/// of three taps from `kInputs` inputs d, with one product for each input,
///
///     y = A' ((G g) . (B' d)),     for images  Y = A' ((G g G') . (B' d B)) A
///
/// where the products are those of polynomials at `kInputs` points, the last at infinity. `input`
/// is B', `output` A', `kFilter` G.
struct WinogradF4 {
  static constexpr int kOutputs = 4;
  static constexpr int kInputs = 6;

  // The points are 0, a, -a, b, -b. All coefficients are exact floats, and they are nearer to one
  // another than those of 1 and 2: results have less than half the error in the mean of squares.
  static constexpr double a = 5.0 / 8;
  static constexpr double b = 3.0 / 2;
  static constexpr double a2 = a * a;
  static constexpr double b2 = b * b;

  static constexpr double kAtA = 1 / (2 * a2 * (a2 - b2));
  static constexpr double kAtB = 1 / (2 * b2 * (b2 - a2));
  static constexpr double kFilter[kInputs][3] = {
      {1 / (a2 * b2), 0, 0},     {kAtA, a* kAtA, a2* kAtA},  {kAtA, -a* kAtA, a2* kAtA},
      {kAtB, b* kAtB, b2* kAtB}, {kAtB, -b* kAtB, b2* kAtB}, {0, 0, 1}};

  template <class Vector>
  [[gnu::always_inline]] static void input(const Vector (&d)[kInputs], Vector (&t)[kInputs]) {
    constexpr auto fa = static_cast<float>(a);
    constexpr auto fb = static_cast<float>(b);
    constexpr auto fa2 = static_cast<float>(a2);
    constexpr auto fb2 = static_cast<float>(b2);
    constexpr auto product = static_cast<float>(a2 * b2);
    constexpr auto sum = static_cast<float>(a2 + b2);
    const Vector even_a = d[4] - fb2 * d[2];
    const Vector odd_a = d[3] - fb2 * d[1];
    const Vector even_b = d[4] - fa2 * d[2];
    const Vector odd_b = d[3] - fa2 * d[1];
    t[0] = (d[4] - sum * d[2]) + product * d[0];
    t[1] = even_a + fa * odd_a;
    t[2] = even_a - fa * odd_a;
    t[3] = even_b + fb * odd_b;
    t[4] = even_b - fb * odd_b;
    t[5] = (d[5] - sum * d[3]) + product * d[1];
  }

  template <class Vector>
  [[gnu::always_inline]] static void output(const Vector (&m)[kInputs], Vector (&y)[kOutputs]) {
    constexpr auto fa = static_cast<float>(a);
    constexpr auto fb = static_cast<float>(b);
    constexpr auto fa2 = static_cast<float>(a2);
    constexpr auto fb2 = static_cast<float>(b2);
    constexpr auto fa3 = static_cast<float>(a2 * a);
    constexpr auto fb3 = static_cast<float>(b2 * b);
    const Vector sum_a = m[1] + m[2];
    const Vector difference_a = m[1] - m[2];
    const Vector sum_b = m[3] + m[4];
    const Vector difference_b = m[3] - m[4];
    y[0] = (m[0] + sum_a) + sum_b;
    y[1] = fb * difference_b + fa * difference_a;
    y[2] = fb2 * sum_b + fa2 * sum_a;
    y[3] = (m[5] + fb3 * difference_b) + fa3 * difference_a;
  }
};

/// The points are 0, 1 and -1.
struct WinogradF2 {
  static constexpr int kOutputs = 2;
  static constexpr int kInputs = 4;

  static constexpr double kFilter[kInputs][3] = {
      {1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};

  template <class Vector>
  [[gnu::always_inline]] static void input(const Vector (&d)[kInputs], Vector (&t)[kInputs]) {
    t[0] = d[0] - d[2];
    t[1] = d[1] + d[2];
    t[2] = d[2] - d[1];
    t[3] = d[3] - d[1];
  }

  template <class Vector>
  [[gnu::always_inline]] static void output(const Vector (&m)[kInputs], Vector (&y)[kOutputs]) {
    y[0] = (m[0] + m[1]) + m[2];
    y[1] = (m[1] - m[2]) + m[3];
  }
};

}  // namespace braid::cpu
