// geometry.cpp - templates and std::array without a call that leaves the file: nothing can
// allocate.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace geometry {

template <class T, size_t N> struct Vector {
  std::array<T, N> v{};
  T &operator[](size_t i) { return v[i]; }
  const T &operator[](size_t i) const { return v[i]; }
  friend Vector operator+(const Vector &a, const Vector &b) {
    Vector r;
    std::transform(a.v.begin(), a.v.end(), b.v.begin(), r.v.begin(),
                   [](T x, T y) { return x + y; });
    return r;
  }
  friend Vector operator*(T s, const Vector &a) {
    Vector r;
    std::transform(a.v.begin(), a.v.end(), r.v.begin(), [s](T x) { return s * x; });
    return r;
  }
  friend T dot(const Vector &a, const Vector &b) {
    return std::inner_product(a.v.begin(), a.v.end(), b.v.begin(), T(0));
  }
};

using Point = Vector<double, 3>;

struct Box {
  Point low, high;
  void grow(const Point &p) {
    for (size_t i = 0; i < 3; i++) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  }
  double surface() const {
    double x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return 2 * (x * y + y * z + z * x);
  }
};

Point cross(const Point &a, const Point &b) {
  Point r;
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
  return r;
}

double length(const Point &p) {
  return std::sqrt(dot(p, p));
}

bool hit(const Point &origin, const Point &direction, const Point &a, const Point &b,
         const Point &c, double *distance) {
  Point e1 = b + -1.0 * a, e2 = c + -1.0 * a, h = cross(direction, e2);
  double det = dot(e1, h);
  if (std::fabs(det) < 1e-12) return false;
  Point s = origin + -1.0 * a, q = cross(s, e1);
  double u = dot(s, h) / det, v = dot(direction, q) / det;
  if (u < 0 || v < 0 || u + v > 1) return false;
  *distance = dot(e2, q) / det;
  return *distance > 0;
}

size_t best_split(Point *points, size_t count, Box *box) {
  size_t axis = 0;
  for (size_t i = 0; i < count; i++) box->grow(points[i]);
  for (size_t i = 1; i < 3; i++)
    if (box->high[i] - box->low[i] > box->high[axis] - box->low[axis]) axis = i;
  std::sort(points, points + count,
            [axis](const Point &a, const Point &b) { return a[axis] < b[axis]; });
  return count / 2;
}

} // namespace geometry
