// Declares only what registrations use. The interpreter implements strings and lists itself;
// functions without a body are implemented in interpret_library.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ast/stdlib_stub.h"

namespace opledger::scan::ast {

const char* const kStdlibStub = R"cpp(
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
  struct __opledger_any {
    template <class T>
    operator T&() const;
    template <class T>
    operator T&&() const;
    __opledger_any operator&() const { return *this; }
  };
  template <class T>
  __opledger_any __opledger_record_value(int, T&&);
  template <int place>
  struct __opledger_place {};
  template <class T, class... R>
  T& __opledger_argument(__opledger_place<0>, T& first, R&...) {
    return first;
  }
  template <int place, class T, class... R>
  auto& __opledger_argument(__opledger_place<place>, T&, R&... rest) {
    return __opledger_argument(__opledger_place<place - 1>(), rest...);
  }
  template <class R, class... A>
  using __opledger_type = R(A...);
  template <int number, int place>
  struct __opledger_function {
    template <class R, class... A>
    static R call(A... given) {
      return static_cast<R>(__opledger_record_value(
          number, __opledger_argument(__opledger_place<place>(), given...)));
    }
    template <class R, class... A>
    operator __opledger_type<R, A...>*() const {
      return &call<R, A...>;
    }
    template <class... A>
    __opledger_any operator()(A... given) const {
      return __opledger_record_value(number,
                                     __opledger_argument(__opledger_place<place>(), given...));
    }
    __opledger_function operator&() const { return *this; }
    __opledger_function operator*() const { return *this; }
  };
#define __opledger_operator(op)                                             \
    __opledger_any operator op(const __opledger_any&, const __opledger_any&); \
    template <class T>                                                        \
    __opledger_any operator op(const __opledger_any&, const T&);              \
    template <class T>                                                        \
    __opledger_any operator op(const T&, const __opledger_any&)
  __opledger_operator(+);
  __opledger_operator(-);
  __opledger_operator(*);
  __opledger_operator(/);
  __opledger_operator(|);
  __opledger_operator(&);
  __opledger_operator(^);
  __opledger_operator(==);
  __opledger_operator(!=);
  __opledger_operator(<);
  __opledger_operator(>);
#undef __opledger_operator
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
  void swap(T& a, T& b) {
    T c = a;
    a = b;
    b = c;
  }
  template <class T, class U = T>
  T exchange(T& t, U&& u) {
    T old = t;
    t = static_cast<U&&>(u);
    return old;
  }
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
    constexpr void remove_prefix(size_t count) {
      text_ += count;
      size_ -= count;
    }
    constexpr void remove_suffix(size_t count) { size_ -= count; }
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
    basic_string& append(basic_string_view<C>);
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
  template <class C>
  bool operator>(const basic_string<C>&, const basic_string<C>&);
  template <class C>
  bool operator<=(const basic_string<C>&, const basic_string<C>&);
  template <class C>
  bool operator>=(const basic_string<C>&, const basic_string<C>&);
  bool operator==(string_view, string_view);
  string to_string(int);
  string to_string(unsigned);
  string to_string(long);
  string to_string(unsigned long);
  string to_string(long long);
  string to_string(unsigned long long);
  string to_string(double);
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
    void str(const basic_string<C>&);
  };
  using ostringstream = basic_ostringstream<char>;
  using stringstream = basic_ostringstream<char>;
  }  // namespace std
)cpp";

const char* const kStdlibStubContainers = R"cpp(
  namespace std {
  template <class A, class B>
  struct pair {
    A first;
    B second;
    constexpr pair() : first(), second() {}
    constexpr pair(const A& a, const B& b) : first(a), second(b) {}
    template <class X, class Y>
    constexpr pair(const pair<X, Y>& other) : first(other.first), second(other.second) {}
    template <class X, class Y>
    constexpr pair(X&& a, Y&& b) : first(static_cast<X&&>(a)), second(static_cast<Y&&>(b)) {}
  };
  template <class A, class B>
  pair(A, B) -> pair<A, B>;
  template <class A, class B>
  pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
    return {a, b};
  }
  template <class T>
  class allocator {};
  template <class T, size_t n>
  struct array {
    T items_[n];
    constexpr size_t size() const { return n; }
    constexpr bool empty() const { return n == 0; }
    constexpr T* begin() { return items_; }
    constexpr T* end() { return items_ + n; }
    constexpr const T* begin() const { return items_; }
    constexpr const T* end() const { return items_ + n; }
    constexpr T& operator[](size_t i) { return items_[i]; }
    constexpr const T& operator[](size_t i) const { return items_[i]; }
    constexpr const T& at(size_t i) const { return items_[i]; }
    constexpr const T* data() const { return items_; }
  };
  template <class T, class... R>
  array(T, R...) -> array<T, 1 + sizeof...(R)>;
#define OPLEDGER_SEQUENCE(NAME)               \
    template <class T, class A = allocator<T>>  \
    class NAME {                                \
     public:                                    \
      using value_type = T;                     \
      using iterator = T*;                      \
      using const_iterator = const T*;          \
      NAME();                                   \
      NAME(initializer_list<T>);                \
      NAME(const NAME&);                        \
      NAME(NAME&&);                             \
      explicit NAME(size_t);                    \
      NAME(size_t, const T&);                   \
      template <class I>                        \
      NAME(I, I);                               \
      ~NAME();                                  \
      NAME& operator=(const NAME&);             \
      NAME& operator=(initializer_list<T>);     \
      size_t size() const;                      \
      bool empty() const;                       \
      void clear();                             \
      void reserve(size_t);                     \
      void resize(size_t);                      \
      T* begin();                               \
      T* end();                                 \
      const T* begin() const;                   \
      const T* end() const;                     \
      const T* cbegin() const;                  \
      const T* cend() const;                    \
      T& front();                               \
      T& back();                                \
      const T& front() const;                   \
      const T& back() const;                    \
      T& operator[](size_t);                    \
      const T& operator[](size_t) const;        \
      T& at(size_t);                            \
      const T& at(size_t) const;                \
      const T* data() const;                    \
      T* data();                                \
      void push_back(const T&);                 \
      void pop_back();                          \
      T* insert(const T*, const T&);            \
      T* insert(const T*, initializer_list<T>); \
      T* erase(const T*);                       \
      template <class I>                        \
      T* insert(const T*, I, I);                \
      template <class... P>                     \
      T& emplace_back(P&&... p) {               \
        push_back(T(forward<P>(p)...));         \
        return back();                          \
      }                                         \
    };                                          \
    template <class T>                          \
    NAME(initializer_list<T>) -> NAME<T>;
  OPLEDGER_SEQUENCE(vector)
  OPLEDGER_SEQUENCE(deque)
  OPLEDGER_SEQUENCE(list)
  template <class K>
  struct less {};
  template <class K>
  struct hash {};
  template <class K>
  struct equal_to {};
#define OPLEDGER_SET(NAME)                                                             \
    template <class K, class C = less<K>, class E = equal_to<K>, class A = allocator<K>> \
    class NAME {                                                                         \
     public:                                                                             \
      using value_type = K;                                                              \
      NAME();                                                                            \
      NAME(initializer_list<K>);                                                         \
      NAME(const NAME&);                                                                 \
      template <class I>                                                                 \
      NAME(I, I);                                                                        \
      NAME& operator=(const NAME&);                                                      \
      ~NAME();                                                                           \
      size_t size() const;                                                               \
      bool empty() const;                                                                \
      void clear();                                                                      \
      const K* begin() const;                                                            \
      const K* end() const;                                                              \
      const K* find(const K&) const;                                                     \
      size_t count(const K&) const;                                                      \
      bool contains(const K&) const;                                                     \
      size_t erase(const K&);                                                            \
      pair<const K*, bool> insert(const K&);                                             \
      void insert(initializer_list<K>);                                                  \
      template <class... P>                                                              \
      pair<const K*, bool> emplace(P&&... p) {                                           \
        return insert(K(forward<P>(p)...));                                              \
      }                                                                                  \
    };
  OPLEDGER_SET(set)
  OPLEDGER_SET(unordered_set)
#define OPLEDGER_MAP(NAME)                                                                      \
    template <class K, class V, class C = less<K>, class E = equal_to<K>, class A = allocator<K>> \
    class NAME {                                                                                  \
     public:                                                                                      \
      using key_type = K;                                                                         \
      using mapped_type = V;                                                                      \
      using value_type = pair<const K, V>;                                                        \
      NAME();                                                                                     \
      NAME(initializer_list<value_type>);                                                         \
      NAME(const NAME&);                                                                          \
      NAME& operator=(const NAME&);                                                               \
      ~NAME();                                                                                    \
      size_t size() const;                                                                        \
      bool empty() const;                                                                         \
      void clear();                                                                               \
      value_type* begin();                                                                        \
      value_type* end();                                                                          \
      const value_type* begin() const;                                                            \
      const value_type* end() const;                                                              \
      const value_type* find(const K&) const;                                                     \
      value_type* find(const K&);                                                                 \
      size_t count(const K&) const;                                                               \
      bool contains(const K&) const;                                                              \
      V& operator[](const K&);                                                                    \
      const V& at(const K&) const;                                                                \
      size_t erase(const K&);                                                                     \
      pair<value_type*, bool> insert(const value_type&);                                          \
      void insert(initializer_list<value_type>);                                                  \
      template <class... P>                                                                       \
      pair<value_type*, bool> emplace(P&&... p) {                                                 \
        return insert(value_type(forward<P>(p)...));                                              \
      }                                                                                           \
    };
  OPLEDGER_MAP(map)
  OPLEDGER_MAP(unordered_map)
  template <class F>
  class function;
  template <class R, class... P>
  class function<R(P...)> {
   public:
    function();
    function(nullptr_t);
    function(const function&);
    template <class F>
    function(F);
    function& operator=(const function&);
    ~function();
    R operator()(P...) const;
    explicit operator bool() const;
  };
  template <class T>
  class unique_ptr {
    T* held_;

   public:
    unique_ptr() : held_(nullptr) {}
    unique_ptr(nullptr_t) : held_(nullptr) {}
    explicit unique_ptr(T* held) : held_(held) {}
    template <class U>
    unique_ptr(unique_ptr<U>&& other) : held_(other.get()) {}
    T* get() const { return held_; }
    T& operator*() const { return *held_; }
    T* operator->() const { return held_; }
    explicit operator bool() const { return held_ != nullptr; }
  };
  template <class T>
  class shared_ptr {
    T* held_;

   public:
    shared_ptr() : held_(nullptr) {}
    shared_ptr(nullptr_t) : held_(nullptr) {}
    explicit shared_ptr(T* held) : held_(held) {}
    template <class U>
    shared_ptr(const shared_ptr<U>& other) : held_(other.get()) {}
    T* get() const { return held_; }
    T& operator*() const { return *held_; }
    T* operator->() const { return held_; }
    explicit operator bool() const { return held_ != nullptr; }
  };
  template <class T, class... P>
  unique_ptr<T> make_unique(P&&... p) {
    return unique_ptr<T>(new T(forward<P>(p)...));
  }
  template <class T, class... P>
  shared_ptr<T> make_shared(P&&... p) {
    return shared_ptr<T>(new T(forward<P>(p)...));
  }
  struct nullopt_t {};
  inline constexpr nullopt_t nullopt;
  template <class T>
  class optional {
    T* held_;

   public:
    optional() : held_(nullptr) {}
    optional(nullopt_t) : held_(nullptr) {}
    optional(const optional& other) : held_(other.held_ ? new T(*other.held_) : nullptr) {}
    template <class U>
    requires(!__is_same(__remove_cvref(U), optional) && !__is_same(__remove_cvref(U), nullopt_t))
        optional(U&& u)
        : held_(new T(static_cast<U&&>(u))) {}
    optional& operator=(const optional& other) {
      held_ = other.held_ ? new T(*other.held_) : nullptr;
      return *this;
    }
    explicit operator bool() const { return held_ != nullptr; }
    bool has_value() const { return held_ != nullptr; }
    void reset() { held_ = nullptr; }
    T& operator*() { return *held_; }
    const T& operator*() const { return *held_; }
    T* operator->() { return held_; }
    const T* operator->() const { return held_; }
    T& value() { return *held_; }
    const T& value() const { return *held_; }
    template <class U>
    T value_or(U&& u) const {
      if (held_ != nullptr) return *held_;
      return T(static_cast<U&&>(u));
    }
  };
  template <class T, size_t n>
  constexpr size_t size(const T (&)[n]) {
    return n;
  }
  template <class C>
  constexpr auto size(const C& c) -> decltype(c.size()) {
    return c.size();
  }
  template <class T, size_t n>
  constexpr T* begin(T (&a)[n]) {
    return a;
  }
  template <class T, size_t n>
  constexpr T* end(T (&a)[n]) {
    return a + n;
  }
  template <class C>
  constexpr auto begin(C& c) -> decltype(c.begin()) {
    return c.begin();
  }
  template <class C>
  constexpr auto end(C& c) -> decltype(c.end()) {
    return c.end();
  }
  template <class I, class F>
  F for_each(I first, I last, F f) {
    for (; first != last; ++first) f(*first);
    return f;
  }
  template <class... T>
  struct tuple {};
  template <class H, class... R>
  struct tuple<H, R...> {
    H head_;
    tuple<R...> rest_;
    tuple() : head_(), rest_() {}
    tuple(const H& head, const R&... rest) : head_(head), rest_(rest...) {}
    template <class U, class... V>
    requires(sizeof...(V) == sizeof...(R) && !__is_same(__remove_cvref(U), tuple))
        tuple(U&& head, V&&... rest)
        : head_(static_cast<U&&>(head)), rest_(static_cast<V&&>(rest)...) {}
  };
  template <class... T>
  tuple(T...) -> tuple<T...>;
  template <class T>
  struct tuple_size;
  template <class T>
  struct tuple_size<const T> : tuple_size<T> {};
  template <class... T>
  struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
  template <class A, class B>
  struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
  template <class T, size_t n>
  struct tuple_size<array<T, n>> : integral_constant<size_t, n> {};
  template <size_t i, class T>
  struct tuple_element;
  template <size_t i, class T, size_t n>
  struct tuple_element<i, array<T, n>> {
    using type = T;
  };
  template <size_t i, class T>
  using tuple_element_t = typename tuple_element<i, T>::type;
  template <size_t i, class T>
  struct tuple_element<i, const T> {
    using type = const tuple_element_t<i, T>;
  };
  template <size_t i, class H, class... R>
  struct tuple_element<i, tuple<H, R...>> : tuple_element<i - 1, tuple<R...>> {};
  template <class H, class... R>
  struct tuple_element<0, tuple<H, R...>> {
    using type = H;
  };
  template <size_t i, class A, class B>
  struct tuple_element<i, pair<A, B>> {
    using type = conditional_t<i == 0, A, B>;
  };
  template <size_t i, class H, class... R>
  auto& get(tuple<H, R...>& t) {
    if constexpr (i == 0) {
      return t.head_;
    } else {
      return get<i - 1>(t.rest_);
    }
  }
  template <size_t i, class H, class... R>
  const auto& get(const tuple<H, R...>& t) {
    if constexpr (i == 0) {
      return t.head_;
    } else {
      return get<i - 1>(t.rest_);
    }
  }
  template <size_t i, class A, class B>
  auto& get(pair<A, B>& p) {
    if constexpr (i == 0) {
      return p.first;
    } else {
      return p.second;
    }
  }
  template <size_t i, class A, class B>
  const auto& get(const pair<A, B>& p) {
    if constexpr (i == 0) {
      return p.first;
    } else {
      return p.second;
    }
  }
  template <size_t i, class T, size_t n>
  constexpr T& get(array<T, n>& a) {
    return a[i];
  }
  template <size_t i, class T, size_t n>
  constexpr const T& get(const array<T, n>& a) {
    return a[i];
  }
  template <class... T>
  tuple<decay_t<T>...> make_tuple(T&&... t) {
    return tuple<decay_t<T>...>(static_cast<T&&>(t)...);
  }
  template <class... T>
  tuple<T&...> tie(T&...);
  template <class T>
  class reference_wrapper {
   public:
    reference_wrapper(T&);
    operator T&() const;
    T& get() const;
  };
  template <class T>
  reference_wrapper<T> ref(T&);
  template <class T>
  reference_wrapper<const T> cref(const T&);
  template <class T>
  T* addressof(T&);
  template <class I>
  I next(I i, long n = 1) {
    return i + n;
  }
  template <class I>
  I prev(I i, long n = 1) {
    return i - n;
  }
  template <class I>
  long distance(I a, I b) {
    return b - a;
  }
  template <class I, class P>
  I find_if(I a, I b, P p) {
    for (; a != b; ++a) {
      if (p(*a)) return a;
    }
    return b;
  }
  template <class I, class P>
  bool any_of(I a, I b, P p) {
    return find_if(a, b, p) != b;
  }
  template <class I, class P>
  bool none_of(I a, I b, P p) {
    return find_if(a, b, p) == b;
  }
  template <class I, class P>
  bool all_of(I a, I b, P p) {
    for (; a != b; ++a) {
      if (!p(*a)) return false;
    }
    return true;
  }
  template <class I, class V>
  I find(I a, I b, const V& v) {
    for (; a != b; ++a) {
      if (*a == v) return a;
    }
    return b;
  }
  template <class I, class V>
  long count(I a, I b, const V& v) {
    long n = 0;
    for (; a != b; ++a) {
      if (*a == v) ++n;
    }
    return n;
  }
  template <class I, class O>
  O copy(I a, I b, O o) {
    for (; a != b; ++a, ++o) *o = *a;
    return o;
  }
  template <class I, class O, class F>
  O transform(I a, I b, O o, F f) {
    for (; a != b; ++a, ++o) *o = f(*a);
    return o;
  }
  template <class I, class V>
  V accumulate(I a, I b, V v) {
    for (; a != b; ++a) v = v + *a;
    return v;
  }
  template <class I>
  void reverse(I a, I b) {
    while (a != b && a != --b) swap(*a++, *b);
  }
  template <class I, class P>
  void sort(I a, I b, P p) {
    for (I i = a; i != b; ++i) {
      for (I j = i; j != a && p(*j, *(j - 1)); --j) swap(*j, *(j - 1));
    }
  }
  template <class I>
  void sort(I a, I b) {
    for (I i = a; i != b; ++i) {
      for (I j = i; j != a && *j < *(j - 1); --j) swap(*j, *(j - 1));
    }
  }
  template <class I, class J>
  bool equal(I, I, J);
  template <class I>
  I unique(I, I);
  template <class T>
  class atomic {
   public:
    atomic();
    atomic(T);
    operator T() const;
  };
  template <class... T>
  struct common_type;
  template <class... T>
  using common_type_t = typename common_type<T...>::type;
  class bad_cast {};
  template <class C>
  struct __inserter {
    C* into_;
    template <class T>
    __inserter& operator=(const T& t) {
      into_->push_back(t);
      return *this;
    }
    __inserter& operator*() { return *this; }
    __inserter& operator++() { return *this; }
  };
  template <class C>
  __inserter<C> back_inserter(C& c) {
    return {&c};
  }
  template <class T>
  struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
  class mutex {
   public:
    void lock();
    void unlock();
  };
  template <class M>
  class lock_guard {
   public:
    explicit lock_guard(M&);
  };
  class exception {
   public:
    virtual ~exception();
    virtual const char* what() const;
  };
  class runtime_error : public exception {
   public:
    explicit runtime_error(const string&);
  };
  class logic_error : public exception {
   public:
    explicit logic_error(const string&);
  };
  class type_info {
   public:
    const char* name() const;
  };
  }  // namespace std
)cpp";

}  // namespace opledger::scan::ast
