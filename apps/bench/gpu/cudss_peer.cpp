// cuDSS: multifrontal LL^T, LDL^T or LU of one GPU. Its interface is told here as its documentation
// has it, since its headers come with the library alone.

#include <functional>
#include <utility>

#include <library_types.h>

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/peers.hpp"
#include "core/error.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/stream.hpp"
#include "process/shared_library.hpp"

namespace spsolve::bench {

namespace {

using cuda::DeviceArray;

/// Version 1 of cuDSS, with orderings in threads where its layer for them is found.
struct Cudss {
  using Object = void*;
  static constexpr int known_version = 1;
  enum Phase {
    reorder = 1,
    plan = 2,
    factor = 4,
    refactor = 8,
    solve = 16 + 32 + 64 + 128 + 256 + 512
  };
  enum Setting { host_threads = 14 };
  enum Datum { info = 0, factor_entries = 1, flops = 26 };
  enum Kind { general, symmetric, hermitian, definite, hermitian_definite };
  enum View { all, lower, upper };

  using Create = int(Object*);
  using Destroy = int(Object);
  using Set = int(Object, int, const void*, std::size_t);
  using Get = int(Object, Object, int, void*, std::size_t, std::size_t*);
  using CreateDense = int(Object*, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                          const void* values, int type, int layout);
  using CreateRows = int(Object*, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                         const void* begins, const void* ends, const void* places,
                         const void* values, int of_begins, int of_places, int of_values, int kind,
                         int view, int first);
  using Execute = int(Object, int phase, Object settings, Object data, Object matrix, Object x,
                      Object b);

  SharedLibrary library{file_named_by("CUDSS_LIBRARY"), "libcudss.so.1", "libcudss.so"};
  std::string layer_name = file_named_by("CUDSS_THREADING_LIB", "libcudss_mtlayer_gomp.so.1");
  SharedLibrary layer{layer_name};
  int (*property)(libraryPropertyType,
                  int*) = function<int(libraryPropertyType, int*)>("GetProperty");
  Create* create = function<Create>("Create");
  Destroy* destroy = function<Destroy>("Destroy");
  int (*set_layer)(Object, const char*) = function<int(Object, const char*)>("SetThreadingLayer");
  Create* create_settings = function<Create>("ConfigCreate");
  Destroy* destroy_settings = function<Destroy>("ConfigDestroy");
  Set* set = function<Set>("ConfigSet");
  int (*create_data)(Object, Object*) = function<int(Object, Object*)>("DataCreate");
  int (*destroy_data)(Object, Object) = function<int(Object, Object)>("DataDestroy");
  Get* get = function<Get>("DataGet");
  CreateDense* create_dense = function<CreateDense>("MatrixCreateDn");
  CreateRows* create_rows = function<CreateRows>("MatrixCreateCsr");
  Destroy* destroy_matrix = function<Destroy>("MatrixDestroy");
  Execute* execute = function<Execute>("Execute");

 private:
  template <typename Function>
  Function* function(const std::string& name) {
    return library.function<Function>(("cudss" + name).c_str());
  }
};

Cudss& cudss() {
  static Cudss loaded;
  return loaded;
}

std::string missing() {
  if (const std::string none = cuda::why_no_gpu(); !none.empty()) return none;
  if (const std::string& problem = cudss().library.problem(); !problem.empty()) {
    return problem + "; CUDSS_LIBRARY may name the file libcudss.so.1";
  }
  int version = 0;
  cudss().property(MAJOR_VERSION, &version);
  if (version == Cudss::known_version) return "";
  return fmt::format("it is of version {}, and version {} is known", version, Cudss::known_version);
}

void check(int status) {
  constexpr int lacks_memory = 2;
  if (status == lacks_memory) fail(ExitCode::resources, "it lacks memory");
  if (status != 0) fail(ExitCode::internal, "it returns status {}", status);
}

/// A handle or a matrix of the library.
class Held {
 public:
  explicit Held(std::function<void(Cudss::Object)> destroy) : destroy_(std::move(destroy)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { reset(); }

  void reset() {
    if (object_ != nullptr) destroy_(std::exchange(object_, nullptr));
  }
  Cudss::Object* made() {
    reset();
    return &object_;
  }
  Cudss::Object get() const { return object_; }

 private:
  Cudss::Object object_ = nullptr;
  std::function<void(Cudss::Object)> destroy_;
};

class CudssContender final : public ColumnwisePeer {
 public:
  CudssContender(const SparseSystem& system, int threads, bool symmetric)
      : ColumnwisePeer(system, {.part = symmetric && (system.symmetric || system.hermitian)
                                            ? TakenRows::Triangle::upper
                                            : TakenRows::Triangle::all}),
        kind_(symmetric ? kind_of(system) : Cudss::general),
        numbers_(system.is_complex() ? CUDA_C_64F : CUDA_R_64F),
        offsets_(rows_.offsets),
        columns_of_rows_(rows_.columns),
        values_(rows_.values) {
    check(cudss().create(handle_.made()));
    check(cudss().create_settings(settings_.made()));
    if (cudss().layer.problem().empty()) {
      check(cudss().set_layer(handle_.get(), cudss().layer_name.c_str()));
      check(cudss().set(settings_.get(), Cudss::host_threads, &threads, sizeof threads));
    }
    check(cudss().create_data(handle_.get(), data_.made()));
    const std::int64_t n = system.order;
    const int view = kind_ == Cudss::general ? Cudss::all : Cudss::upper;
    check(cudss().create_rows(matrix_.made(), n, n, columns_of_rows_.size(), offsets_.data(),
                              nullptr, columns_of_rows_.data(), values_.data(), CUDA_R_32I,
                              CUDA_R_32I, numbers_, kind_, view, 0));
    set_right_hand_sides(Dense<double>(system.rows(), 1));  // which its analysis wants to see, too
  }

  void analyse() override {
    call(Cudss::reorder);
    call(Cudss::plan);
  }

  void factor() override {
    call(factored_ ? Cudss::refactor : Cudss::factor);
    factored_ = true;
  }

  void set_values(std::span<const double> values) override {
    look_at_pivots();
    rows_.set_values(values);
    values_.upload(rows_.values);
  }

  void set_right_hand_sides(const Dense<double>& b) override {
    look_at_pivots();
    ColumnwisePeer::set_right_hand_sides(b);
    b_on_gpu_.grow(static_cast<Index>(b_.size()));
    x_on_gpu_.grow(static_cast<Index>(x_.size()));
    b_on_gpu_.upload(b_);
    const auto wrap = [&](Held& matrix, const DeviceArray<double>& values) {
      check(cudss().create_dense(matrix.made(), system_.order, b.columns, system_.order,
                                 values.data(), numbers_, 0));
    };
    wrap(right_, b_on_gpu_);
    wrap(solution_, x_on_gpu_);
  }

  void solve() override { call(Cudss::solve); }

  Dense<double> solution() const override {
    std::vector<double> x(x_.size());
    x_on_gpu_.download(x);
    return in_rows(x);
  }

  FactorFigures figures() const override {
    FactorFigures figures;
    figures.kind = is_definite()               ? "LL^T"
                   : kind_ == Cudss::hermitian ? "LDL^H"
                   : kind_ == Cudss::symmetric ? "LDL^T"
                                               : "LU";
    figures.nonzeros = static_cast<double>(told<std::int64_t>(Cudss::factor_entries));
    figures.flops = static_cast<double>(told<std::int64_t>(Cudss::flops));
    return figures;
  }

 private:
  void call(int phase) {
    check(cudss().execute(handle_.get(), phase, settings_.get(), data_.get(), matrix_.get(),
                          solution_.get(), right_.get()));
    cuda::wait_for_device();
  }

  /// Looks at the pivots of the last elimination; its timing is without this.
  void look_at_pivots() const {
    if (!factored_ || told<int>(Cudss::info) == 0) return;
    if (is_definite()) throw NotDefinite("the matrix is not definite");
    fail(ExitCode::not_trustworthy, "it meets a pivot of zero");
  }

  template <typename T>
  T told(int what) const {
    T value = 0;
    std::size_t written = 0;
    check(cudss().get(handle_.get(), data_.get(), what, &value, sizeof value, &written));
    return value;
  }

  static Cudss::Kind kind_of(const SystemKind& system) {
    const bool complex = system.is_complex();
    if (system.maybe_definite) return complex ? Cudss::hermitian_definite : Cudss::definite;
    if (system.hermitian && complex) return Cudss::hermitian;
    return system.symmetric ? Cudss::symmetric : Cudss::general;
  }
  bool is_definite() const {
    return kind_ == Cudss::definite || kind_ == Cudss::hermitian_definite;
  }

  const Cudss::Kind kind_;
  const cudaDataType numbers_;
  DeviceArray<int> offsets_, columns_of_rows_;
  DeviceArray<double> values_, b_on_gpu_, x_on_gpu_;
  Held handle_{[](Cudss::Object object) { cudss().destroy(object); }};
  Held settings_{[](Cudss::Object object) { cudss().destroy_settings(object); }};
  Held data_{[this](Cudss::Object object) { cudss().destroy_data(handle_.get(), object); }};
  Held matrix_{[](Cudss::Object object) { cudss().destroy_matrix(object); }};
  Held right_{[](Cudss::Object object) { cudss().destroy_matrix(object); }};
  Held solution_{[](Cudss::Object object) { cudss().destroy_matrix(object); }};
  bool factored_ = false;
};

template <bool symmetric>
std::unique_ptr<SparseContender> make(const SparseSystem& system, const PeerTeam& team) {
  return std::make_unique<CudssContender>(system, team.threads, symmetric);
}

}  // namespace

const SparsePeer cudss_peer{"cudss", cudss_sentence, false, missing, more_than_int, make<true>};
const SparsePeer cudss_lu_peer{"cudss_lu", cudss_lu_sentence, false,
                               missing,    more_than_int,     make<false>};

}  // namespace spsolve::bench
