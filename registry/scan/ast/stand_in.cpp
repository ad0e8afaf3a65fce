// Only what registrations are made of. Strings and lists are the interpreter's own; what it knows
// without a body is in standard_library.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ast/stand_in.h"

namespace opledger::scan::ast {

const char* const kStandIn = R"cpp(
#define assert(...) ((void)0)
#define NULL nullptr
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__
#define __constant__
#define __shared__
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
  using size_t = unsigned long;
  using ptrdiff_t = long;
  using ssize_t = long;
  using int8_t = signed char;
  using int16_t = short;
  using int32_t = int;
  using int64_t = long;
  using uint8_t = unsigned char;
  using uint16_t = unsigned short;
  using uint32_t = unsigned;
  using uint64_t = unsigned long;
  using uintptr_t = unsigned long;
  using intptr_t = long;
  extern "C" {
  size_t strlen(const char*);
  int strcmp(const char*, const char*);
  int tolower(int);
  int toupper(int);
  int isalnum(int);
  int isdigit(int);
  void* memcpy(void*, const void*, size_t);
  void* memset(void*, int, size_t);
  int printf(const char*, ...);
  void abort();
  void exit(int);
  }
  template <class T>
  int __opledger_record(int, T&&);
  template <class T, class... R>
  T&& __opledger_identity(T&& t, R&&...) {
    return static_cast<T&&>(t);
  }
  struct __opledger_any {};
  namespace std {
  using ::abort;
  using ::exit;
  using ::int16_t;
  using ::int32_t;
  using ::int64_t;
  using ::int8_t;
  using ::isalnum;
  using ::isdigit;
  using ::memcpy;
  using ::memset;
  using ::printf;
  using ::ptrdiff_t;
  using ::size_t;
  using ::strcmp;
  using ::strlen;
  using ::tolower;
  using ::toupper;
  using ::uint16_t;
  using ::uint32_t;
  using ::uint64_t;
  using ::uint8_t;
  using ::uintptr_t;
  using nullptr_t = decltype(nullptr);
  template <class T, T v>
  struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant;
    constexpr operator T() const { return v; }
    constexpr T operator()() const { return v; }
  };
  template <bool b>
  using bool_constant = integral_constant<bool, b>;
  using true_type = bool_constant<true>;
  using false_type = bool_constant<false>;
  template <class T>
  struct remove_reference {
    using type = __remove_reference_t(T);
  };
  template <class T>
  using remove_reference_t = __remove_reference_t(T);
  template <class T>
  using remove_cv_t = __remove_cv(T);
  template <class T>
  struct remove_cv {
    using type = __remove_cv(T);
  };
  template <class T>
  struct remove_const {
    using type = __remove_const(T);
  };
  template <class T>
  using remove_const_t = __remove_const(T);
  template <class T>
  using remove_cvref_t = __remove_cvref(T);
  template <class T>
  struct remove_cvref {
    using type = __remove_cvref(T);
  };
  template <class T>
  using decay_t = __decay(T);
  template <class T>
  struct decay {
    using type = __decay(T);
  };
  template <class T>
  using remove_pointer_t = __remove_pointer(T);
  template <class T>
  struct remove_pointer {
    using type = __remove_pointer(T);
  };
  template <class T>
  using underlying_type_t = __underlying_type(T);
  template <class T>
  struct underlying_type {
    using type = __underlying_type(T);
  };
  template <class T>
  using add_const_t = const T;
  template <bool b, class T = void>
  struct enable_if {};
  template <class T>
  struct enable_if<true, T> {
    using type = T;
  };
  template <bool b, class T = void>
  using enable_if_t = typename enable_if<b, T>::type;
  template <bool b, class A, class B>
  struct conditional {
    using type = A;
  };
  template <class A, class B>
  struct conditional<false, A, B> {
    using type = B;
  };
  template <bool b, class A, class B>
  using conditional_t = typename conditional<b, A, B>::type;
  template <class...>
  using void_t = void;
  template <class A, class B>
  inline constexpr bool is_same_v = __is_same(A, B);
  template <class A, class B>
  struct is_same : bool_constant<__is_same(A, B)> {};
  template <class A, class B>
  struct is_base_of : bool_constant<__is_base_of(A, B)> {};
  template <class A, class B>
  inline constexpr bool is_base_of_v = __is_base_of(A, B);
  template <class A, class B>
  struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
  template <class A, class B>
  inline constexpr bool is_convertible_v = __is_convertible_to(A, B);
  template <class T>
  struct is_enum : bool_constant<__is_enum(T)> {};
  template <class T>
  struct is_class : bool_constant<__is_class(T)> {};
  template <class T>
  struct is_empty : bool_constant<__is_empty(T)> {};
  template <class T>
  struct is_integral : bool_constant<__is_integral(T)> {};
  template <class T>
  struct is_floating_point : bool_constant<__is_floating_point(T)> {};
  template <class T>
  struct is_arithmetic : bool_constant<__is_arithmetic(T)> {};
  template <class T>
  struct is_pointer : bool_constant<__is_pointer(T)> {};
  template <class T>
  struct is_void : bool_constant<__is_void(T)> {};
  template <class T>
  struct is_reference : bool_constant<__is_reference(T)> {};
  template <class T>
  struct is_const : bool_constant<__is_const(T)> {};
  template <class T>
  struct is_signed : bool_constant<__is_signed(T)> {};
  template <class T>
  struct is_unsigned : bool_constant<__is_unsigned(T)> {};
  template <class T>
  inline constexpr bool is_integral_v = __is_integral(T);
  template <class T>
  inline constexpr bool is_floating_point_v = __is_floating_point(T);
  template <class T>
  inline constexpr bool is_arithmetic_v = __is_arithmetic(T);
  template <class T>
  inline constexpr bool is_enum_v = __is_enum(T);
  template <class T>
  inline constexpr bool is_class_v = __is_class(T);
  template <class T>
  T&& declval();
  template <class T>
  constexpr T&& forward(remove_reference_t<T>& t) {
    return static_cast<T&&>(t);
  }
  template <class T>
  constexpr T&& forward(remove_reference_t<T>&& t) {
    return static_cast<T&&>(t);
  }
  template <class T>
  constexpr remove_reference_t<T>&& move(T&& t) {
    return static_cast<remove_reference_t<T>&&>(t);
  }
  template <class T>
  constexpr const T& as_const(T& t) {
    return t;
  }
  template <class T>
  void swap(T&, T&);
  template <class T, T... i>
  struct integer_sequence {
    static constexpr size_t size() { return sizeof...(i); }
  };
  template <size_t... i>
  using index_sequence = integer_sequence<size_t, i...>;
  template <size_t n>
  using make_index_sequence = __make_integer_seq<integer_sequence, size_t, n>;
  template <class... T>
  using index_sequence_for = make_index_sequence<sizeof...(T)>;
  template <class T>
  struct numeric_limits {
    static constexpr T max();
    static constexpr T min();
    static constexpr T lowest();
  };
  template <class T>
  const T& max(const T& a, const T& b) {
    return a < b ? b : a;
  }
  template <class T>
  const T& min(const T& a, const T& b) {
    return b < a ? b : a;
  }
  template <class T>
  class initializer_list {
    const T* first_;
    size_t count_;

   public:
    using value_type = T;
    size_t size() const;
    const T* begin() const;
    const T* end() const;
  };
  template <class C>
  class basic_string;
  template <class C>
  class basic_string_view {
    const C* text_;
    size_t size_;

   public:
    static constexpr size_t npos = static_cast<size_t>(-1);
    constexpr basic_string_view() : text_(nullptr), size_(0) {}
    constexpr basic_string_view(const C* text) : text_(text), size_(__builtin_strlen(text)) {}
    constexpr basic_string_view(const C* text, size_t size) : text_(text), size_(size) {}
    basic_string_view(const basic_string<C>&);
    constexpr basic_string_view(const basic_string_view&) = default;
    constexpr basic_string_view& operator=(const basic_string_view&) = default;
    constexpr size_t size() const { return size_; }
    constexpr size_t length() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const C* data() const { return text_; }
    constexpr C operator[](size_t at) const { return text_[at]; }
    C at(size_t) const;
    C front() const;
    C back() const;
    constexpr basic_string_view substr(size_t from = 0, size_t count = npos) const {
      return {text_ + from, count < size_ - from ? count : size_ - from};
    }
    constexpr const C* begin() const { return text_; }
    constexpr const C* end() const { return text_ + size_; }
    size_t find(basic_string_view, size_t = 0) const;
    size_t find(C, size_t = 0) const;
    size_t rfind(basic_string_view, size_t = npos) const;
    size_t rfind(C, size_t = npos) const;
    size_t find_first_of(basic_string_view, size_t = 0) const;
    size_t find_last_of(basic_string_view, size_t = npos) const;
    size_t find_first_not_of(basic_string_view, size_t = 0) const;
    size_t find_last_not_of(basic_string_view, size_t = npos) const;
    bool starts_with(basic_string_view) const;
    bool ends_with(basic_string_view) const;
    int compare(basic_string_view) const;
  };
  template <class C>
  class basic_string {
   public:
    using value_type = C;
    using size_type = size_t;
    using iterator = C*;
    using const_iterator = const C*;
    static constexpr size_t npos = static_cast<size_t>(-1);
    basic_string();
    basic_string(const C*);
    basic_string(const C*, size_t);
    basic_string(size_t, C);
    basic_string(const basic_string&);
    basic_string(basic_string&&);
    explicit basic_string(basic_string_view<C>);
    basic_string(initializer_list<C>);
    template <class I>
    basic_string(I, I);
    ~basic_string();
    basic_string& operator=(const basic_string&);
    basic_string& operator=(const C*);
    basic_string& operator=(C);
    basic_string& assign(const basic_string&);
    size_t size() const;
    size_t length() const;
    bool empty() const;
    const C* c_str() const;
    const C* data() const;
    C& operator[](size_t);
    const C& operator[](size_t) const;
    C& at(size_t);
    const C& at(size_t) const;
    C& front();
    const C& front() const;
    C& back();
    const C& back() const;
    C* begin();
    C* end();
    const C* begin() const;
    const C* end() const;
    basic_string substr(size_t = 0, size_t = npos) const;
    basic_string& operator+=(const basic_string&);
    basic_string& operator+=(const C*);
    basic_string& operator+=(C);
    basic_string& operator+=(basic_string_view<C>);
    basic_string& append(const basic_string&);
    basic_string& append(const C*);
    basic_string& append(size_t, C);
    basic_string& append(const C*, size_t);
    void push_back(C);
    void pop_back();
    void clear();
    void reserve(size_t);
    void resize(size_t);
    basic_string& erase(size_t = 0, size_t = npos);
    basic_string& insert(size_t, const basic_string&);
    basic_string& replace(size_t, size_t, const basic_string&);
    size_t find(const basic_string&, size_t = 0) const;
    size_t find(const C*, size_t = 0) const;
    size_t find(C, size_t = 0) const;
    size_t rfind(const basic_string&, size_t = npos) const;
    size_t rfind(const C*, size_t = npos) const;
    size_t rfind(C, size_t = npos) const;
    size_t find_first_of(const basic_string&, size_t = 0) const;
    size_t find_first_of(const C*, size_t = 0) const;
    size_t find_first_of(C, size_t = 0) const;
    size_t find_last_of(const basic_string&, size_t = npos) const;
    size_t find_last_of(const C*, size_t = npos) const;
    size_t find_last_of(C, size_t = npos) const;
    size_t find_first_not_of(const C*, size_t = 0) const;
    size_t find_last_not_of(const C*, size_t = npos) const;
    bool starts_with(basic_string_view<C>) const;
    bool ends_with(basic_string_view<C>) const;
    int compare(const basic_string&) const;
    int compare(const C*) const;
  };
  using string = basic_string<char>;
  using wstring = basic_string<wchar_t>;
  using string_view = basic_string_view<char>;
  template <class C>
  basic_string<C> operator+(const basic_string<C>&, const basic_string<C>&);
  template <class C>
  basic_string<C> operator+(const basic_string<C>&, const C*);
  template <class C>
  basic_string<C> operator+(const C*, const basic_string<C>&);
  template <class C>
  basic_string<C> operator+(const basic_string<C>&, C);
  template <class C>
  basic_string<C> operator+(C, const basic_string<C>&);
  template <class C>
  bool operator==(const basic_string<C>&, const basic_string<C>&);
  template <class C>
  bool operator==(const basic_string<C>&, const C*);
  template <class C>
  bool operator<(const basic_string<C>&, const basic_string<C>&);
  bool operator==(string_view, string_view);
  string to_string(int);
  string to_string(unsigned);
  string to_string(long);
  string to_string(unsigned long);
  string to_string(long long);
  string to_string(unsigned long long);
  inline namespace literals {
  inline namespace string_literals {
  inline string operator""s(const char* t, size_t n) { return string(t, n); }
  }  // namespace string_literals
  inline namespace string_view_literals {
  inline string_view operator""sv(const char* t, size_t n) { return string_view(t, n); }
  }  // namespace string_view_literals
  }  // namespace literals
  class ostream {
   public:
    template <class T>
    ostream& operator<<(const T&);
    ostream& write(const char*, long);
  };
  class istream {
   public:
    template <class T>
    istream& operator>>(T&);
    istream& read(char*, long);
  };
  ostream& endl(ostream&);
  extern ostream cout, cerr;
  template <class C>
  class basic_ostringstream : public ostream {
   public:
    basic_ostringstream();
    explicit basic_ostringstream(const basic_string<C>&);
    basic_ostringstream& operator<<(const basic_string<C>&);
    basic_ostringstream& operator<<(const C*);
    basic_ostringstream& operator<<(C);
    template <class T>
    basic_ostringstream& operator<<(const T&);
    basic_string<C> str() const;
  };
  using ostringstream = basic_ostringstream<char>;
  using stringstream = basic_ostringstream<char>;
  }  // namespace std
)cpp";

}  // namespace opledger::scan::ast
