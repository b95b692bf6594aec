#pragma once

#include <cmath>
#include <complex>
#include <tuple>
#include <type_traits>

/// The one list of scalars, of what values of factors, products and multivectors may be: X(T, ...)
/// for each. All explicit instantiations and whatever has something for every scalar follow it.
#define SPSOLVE_FOR_SCALARS(X, ...)   \
  X(float __VA_OPT__(, ) __VA_ARGS__) \
  X(double __VA_OPT__(, ) __VA_ARGS__)

/// The scalars of what factors are computed by, which is complex, too.
#define SPSOLVE_FOR_FACTOR_SCALARS(X, ...)          \
  SPSOLVE_FOR_SCALARS(X, __VA_ARGS__)               \
  X(std::complex<float> __VA_OPT__(, ) __VA_ARGS__) \
  X(std::complex<double> __VA_OPT__(, ) __VA_ARGS__)
#define SPSOLVE_INSTANTIATE_FOR_FACTORS(CLASS) \
  SPSOLVE_FOR_FACTOR_SCALARS(SPSOLVE_INSTANTIATE_CLASS, CLASS)
#define SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(NAME) \
  SPSOLVE_FOR_FACTOR_SCALARS(SPSOLVE_INSTANTIATE_ONE, NAME)

/// Instantiates a class template for every scalar: SPSOLVE_INSTANTIATE(class Fronts); a header may
/// say with SPSOLVE_INSTANTIATED(class Fronts) that a source file does.
#define SPSOLVE_INSTANTIATE(CLASS) SPSOLVE_FOR_SCALARS(SPSOLVE_INSTANTIATE_CLASS, CLASS)
#define SPSOLVE_INSTANTIATED(CLASS) SPSOLVE_FOR_SCALARS(SPSOLVE_INSTANTIATED_CLASS, CLASS)
#define SPSOLVE_INSTANTIATE_CLASS(T, CLASS) template CLASS<T>;
#define SPSOLVE_INSTANTIATED_CLASS(T, CLASS) extern template CLASS<T>;

/// Instantiates a function template whose name is not overloaded for T, its first parameter.
#define SPSOLVE_INSTANTIATE_FUNCTION(NAME) SPSOLVE_FOR_SCALARS(SPSOLVE_INSTANTIATE_ONE, NAME)
#define SPSOLVE_INSTANTIATE_ONE(T, NAME) template decltype(NAME<T>) NAME<T>;

/// Before a function that kernels of GPUs call, too.
#ifdef __CUDACC__
#define SPSOLVE_ON_DEVICE __host__ __device__
#else
#define SPSOLVE_ON_DEVICE
#endif

namespace spsolve::inline core {

/// What goes with a scalar type. Any template of a complex number over its parts is complex, be it
/// std::complex or one for device code.
template <typename T>
struct ScalarTraits {
  static constexpr bool complex = false;
  using Real = T;
  using Low = float;
  using Wide = double;
};
template <template <typename> class Complex, typename T>
struct ScalarTraits<Complex<T>> {
  static constexpr bool complex = true;
  using Real = T;
  using Low = Complex<float>;
  using Wide = Complex<double>;
};

template <typename T>
inline constexpr bool is_complex = ScalarTraits<T>::complex;

/// The type of |z|: double for double and std::complex<double>.
template <typename T>
using Real = typename ScalarTraits<T>::Real;

/// The scalar of the same field with parts in float.
template <typename T>
using Low = typename ScalarTraits<T>::Low;

/// The scalar of the same field with parts in double.
template <typename T>
using Wide = typename ScalarTraits<T>::Wide;

/// The real part of z: z itself, where it is real.
template <typename T>
SPSOLVE_ON_DEVICE constexpr Real<T> real_part(const T& z) {
  if constexpr (is_complex<T>) {
    return z.real();
  } else {
    return z;
  }
}

/// z with the opposite imaginary part; z itself, where it is real.
template <typename T>
SPSOLVE_ON_DEVICE constexpr T conj(const T& z) {
  if constexpr (is_complex<T>) {
    return T(z.real(), -z.imag());
  } else {
    return z;
  }
}

/// An entry of a matrix from the one across its diagonal: conj(z) where the matrix is Hermitian, z
/// where it is symmetric.
template <typename T>
SPSOLVE_ON_DEVICE constexpr T mirrored(bool hermitian, const T& z) {
  return is_complex<T> && hermitian ? conj(z) : z;
}

/// |z|.
template <typename T>
SPSOLVE_ON_DEVICE inline Real<T> magnitude(const T& z) {
  using std::abs;
  return abs(z);
}

/// What pivots are compared by: |re z| + |im z|, between |z| and sqrt(2) |z| and without a root;
/// |z| of a real one.
template <typename T>
SPSOLVE_ON_DEVICE inline Real<T> pivot_size(const T& z) {
  if constexpr (is_complex<T>) {
    return std::abs(z.real()) + std::abs(z.imag());
  } else {
    return std::abs(z);
  }
}

/// |z|^2, without a root.
template <typename T>
SPSOLVE_ON_DEVICE inline Real<T> square_of_magnitude(const T& z) {
  if constexpr (is_complex<T>) {
    return z.real() * z.real() + z.imag() * z.imag();
  } else {
    return z * z;
  }
}

/// Whether all parts of z are finite.
template <typename T>
inline bool is_finite(const T& z) {
  if constexpr (is_complex<T>) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
  } else {
    return std::isfinite(z);
  }
}

/// The number of magnitude `size` with the sign of z, `size` itself where z has none.
template <typename T>
T with_magnitude(const T& z, Real<T> size) {
  if constexpr (is_complex<T>) {
    const Real<T> own = magnitude(z);
    return own > 0 ? z * (size / own) : T(size);
  } else {
    return z < 0 ? -size : size;
  }
}

/// Tuples of a thing for each scalar of the list, made from equal arguments, and of pointers to
/// them.
template <typename None, typename... T>
struct ScalarList {
  template <template <typename> class Of>
  using Tuple = std::tuple<Of<T>...>;
  template <template <typename> class Of>
  using Pointers = std::tuple<Of<T>*...>;
  template <template <typename> class Of, typename... Arguments>
  static constexpr Tuple<Of> make(Arguments&... arguments) {
    return {Of<T>(arguments...)...};
  }
};
#define SPSOLVE_AND(T) , T
using Scalars = ScalarList<void SPSOLVE_FOR_SCALARS(SPSOLVE_AND)>;
#undef SPSOLVE_AND

/// Has an Of<T> for every scalar T of the list: a kind of memory, for one, what makes factors in
/// it.
template <template <typename> class Of>
class ForScalars {
 public:
  using PerScalar = Scalars::Pointers<Of>;

  virtual ~ForScalars() = default;

  virtual PerScalar per_scalar() = 0;

  template <typename T>
  Of<T>& of() {
    return *std::get<Of<T>*>(per_scalar());
  }
};

/// Pointers to all elements of a tuple.
template <typename... T>
std::tuple<T*...> pointers_to(std::tuple<T...>& all) {
  return std::apply([](T&... each) { return std::tuple<T*...>(&each...); }, all);
}

}  // namespace spsolve::core
