// The containers of the standard library.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ast/stand_in.h"

namespace opledger::scan::ast {

const char* const kStandInContainers = R"cpp(
  namespace std {
  template <class A, class B>
  struct pair {
    A first;
    B second;
    constexpr pair() : first(), second() {}
    constexpr pair(const A& a, const B& b) : first(a), second(b) {}
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
#define OPLEDGER_SEQUENCE(NAME)              \
    template <class T, class A = allocator<T>> \
    class NAME {                               \
     public:                                   \
      using value_type = T;                    \
      using iterator = T*;                     \
      using const_iterator = const T*;         \
      NAME();                                  \
      NAME(initializer_list<T>);               \
      NAME(const NAME&);                       \
      NAME(NAME&&);                            \
      explicit NAME(size_t);                   \
      NAME(size_t, const T&);                  \
      template <class I>                       \
      NAME(I, I);                              \
      ~NAME();                                 \
      NAME& operator=(const NAME&);            \
      NAME& operator=(initializer_list<T>);    \
      size_t size() const;                     \
      bool empty() const;                      \
      void clear();                            \
      void reserve(size_t);                    \
      void resize(size_t);                     \
      T* begin();                              \
      T* end();                                \
      const T* begin() const;                  \
      const T* end() const;                    \
      const T* cbegin() const;                 \
      const T* cend() const;                   \
      T& front();                              \
      T& back();                               \
      const T& front() const;                  \
      const T& back() const;                   \
      T& operator[](size_t);                   \
      const T& operator[](size_t) const;       \
      T& at(size_t);                           \
      const T& at(size_t) const;               \
      const T* data() const;                   \
      T* data();                               \
      void push_back(const T&);                \
      void pop_back();                         \
      T* insert(const T*, const T&);           \
      template <class I>                       \
      T* insert(const T*, I, I);               \
      template <class... P>                    \
      T& emplace_back(P&&...);                 \
    };                                         \
    template <class T>                         \
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
      const K* insert(const K&);                                                         \
      template <class... P>                                                              \
      const K* emplace(P&&...);                                                          \
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
      value_type* insert(const value_type&);                                                      \
      template <class... P>                                                                       \
      value_type* emplace(P&&...);                                                                \
    };
  OPLEDGER_MAP(map)
  OPLEDGER_MAP(unordered_map)
  OPLEDGER_MAP(multimap)
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
  template <class T>
  class optional {
   public:
    optional();
    template <class U>
    optional(U&&);
    explicit operator bool() const;
    bool has_value() const;
    T& operator*();
    const T& operator*() const;
    T* operator->();
    const T& value() const;
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
  class tuple {
   public:
    tuple();
    template <class... U>
    tuple(U&&...);
  };
  template <class T>
  struct tuple_size;
  template <size_t i, class T>
  struct tuple_element;
  template <size_t i, class T>
  using tuple_element_t = typename tuple_element<i, T>::type;
  template <class... T>
  tuple<decay_t<T>...> make_tuple(T&&...);
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
  I next(I, long = 1);
  template <class I>
  I prev(I, long = 1);
  template <class I>
  long distance(I, I);
  template <class I, class P>
  bool any_of(I, I, P);
  template <class I, class P>
  bool all_of(I, I, P);
  template <class I, class P>
  bool none_of(I, I, P);
  template <class I, class P>
  I find_if(I, I, P);
  template <class I, class V>
  I find(I, I, const V&);
  template <class I, class V>
  long count(I, I, const V&);
  template <class I, class O>
  O copy(I, I, O);
  template <class I, class O, class F>
  O transform(I, I, O, F);
  template <class I, class J>
  bool equal(I, I, J);
  template <class I>
  void sort(I, I);
  template <class I, class P>
  void sort(I, I, P);
  template <class I>
  I unique(I, I);
  template <class I, class V>
  V accumulate(I, I, V);
  template <class I>
  void reverse(I, I);
  template <class T>
  class atomic {
   public:
    atomic();
    atomic(T);
    operator T() const;
  };
  struct nullopt_t {};
  inline constexpr nullopt_t nullopt;
  template <class... T>
  struct common_type;
  template <class... T>
  using common_type_t = typename common_type<T...>::type;
  class bad_cast {};
  template <class C>
  C* back_inserter(C&);
  template <class C>
  C* inserter(C&, const void*);
  template <size_t i, class T>
  auto& get(T&&);
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
