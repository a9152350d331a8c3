// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <revode/solvers/rosenbrock/rosenbrock_types.hpp>
#include <revode/solvers/switching/stiffness.hpp>

namespace revode {

/// What a step has seen of stiffness: the explicit method by its last stages, the other by products with
/// the Jacobian.
enum class stiffness_seen : std::uint8_t { nothing, calm, stiff };

/// What a replay must not decide.
struct switching_record {
  bool stiffly = false;  ///< by the implicit method
  stiffness_seen seen = stiffness_seen::nothing;
};

/// Which of the two methods makes the next step, and what those before have seen. A rejected attempt
/// leaves no trace.
struct switching_memo {
  static constexpr int until_forgotten = 2, until_calm = 3, apart = 4, long_looks = 10,
                       most_doubts = 7;
  std::uint16_t stiff = 0;   ///< looks of explicit steps that saw stiffness
  std::uint16_t stayed = 0;  ///< looks of this stretch of implicit steps that did
  bool stiffly = false;
  std::uint8_t calm = 0;    ///< looks in a row that did not
  std::uint8_t age = 0;     ///< steps since the last look
  std::uint8_t doubts = 0;  ///< short stretches in a row: the next is waited for twice as long

  /// Every fourth step looks, implicit ones each until the first has seen stiffness.
  bool looks() const { return age + 1 == apart || (stiffly && stayed == 0); }

  /// Behind such a step; `until_stiff` looks that saw stiffness end a stretch of explicit steps.
  void take(const switching_record& step, int until_stiff) {
    if (stiffly != step.stiffly) *this = {.stiffly = step.stiffly};
    age = looks() ? std::uint8_t{0} : static_cast<std::uint8_t>(age + 1);
    if (step.seen == stiffness_seen::nothing) return;
    const bool found = step.seen == stiffness_seen::stiff;
    calm = found ? std::uint8_t{0} : static_cast<std::uint8_t>(calm + 1);
    if (stiffly) {
      if (found && stayed < long_looks) ++stayed;
      if (calm == until_calm) *this = {.doubts = doubts_behind()};
      return;
    }
    if (found) ++stiff;
    if (calm == until_forgotten) stiff = calm = 0;
    if (stiff >= until_stiff << doubts) *this = {.stiffly = true, .doubts = doubts};
  }

 private:
  std::uint8_t doubts_behind() const {
    if (stayed == long_looks) return 0;
    return doubts < most_doubts ? static_cast<std::uint8_t>(doubts + 1) : doubts;
  }
};

/// Two parts of which one step uses one.
template <class OfExplicit, class OfImplicit>
struct of_either {
  [[no_unique_address]] OfExplicit a;
  [[no_unique_address]] OfImplicit b;

  of_either() = default;
  template <class Y>
  requires(!std::is_same_v<Y, of_either>) explicit of_either(const Y& like)
      : a(make_like<OfExplicit>(like)),
        b(make_like<OfImplicit>(like)) {}
  template <class Y>
  static of_either for_dense_output(const Y& like) requires requires {
    OfExplicit::for_dense_output(like);
    OfImplicit::for_dense_output(like);
  }
  {
    of_either w;
    w.a = OfExplicit::for_dense_output(like);
    w.b = OfImplicit::for_dense_output(like);
    return w;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.a);
    visit(self.b);
  }
  void clear() requires requires {
    a.clear();
    b.clear();
  }
  {
    a.clear();
    b.clear();
  }
};

template <class Part, class Visit>
void visit_temporaries([[maybe_unused]] const Part& part, [[maybe_unused]] Visit& visit) {
  if constexpr (requires { part.temporaries(visit); }) part.temporaries(visit);
}

/// The stages of either, and which it was.
template <class OfExplicit, class OfImplicit, class Y>
struct switching_tape : of_either<OfExplicit, OfImplicit> {
  using both = of_either<OfExplicit, OfImplicit>;
  bool stiffly = false;
  Y products[3];  // for a look

  switching_tape() = default;
  explicit switching_tape(const Y& like) : both(like), products{like, like, like} {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    both::parts(self, visit);
    visit(self.stiffly);
  }
  /// What is there for one step at a time and never stored: a budget counts it once.
  template <class Visit>
  void temporaries(Visit&& visit) const {
    for (const Y& part : products) visit(part);
    visit_temporaries(this->a, visit);
    visit_temporaries(this->b, visit);
  }
};

/// The carries of both; that of the method at work is the one of the state.
template <class A, class B, class Y>
struct switching_cache {
  carry<A, Y> a;
  carry<B, Y> b;
  bool stiffly = false;

  switching_cache() = default;
  explicit switching_cache(const Y& like) : a(make_carry<A>(like)), b(make_carry<B>(like)) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    const auto of = [&](auto& own) {
      visit(own.state);
      visit(own.cache);
    };
    visit(self.stiffly);
    return self.stiffly ? of(self.b) : of(self.a);
  }
  /// All that is beside them: the carry of the method that is not at work, and places.
  template <class Visit>
  void temporaries(Visit&& visit) const {
    const auto idle = [&](const auto& own) {
      visit(own.state);
      visit(own.cache);
    };
    stiffly ? idle(a) : idle(b);
    visit(a.memo);
    visit(b.memo);
    visit_temporaries(a.cache, visit);
    visit_temporaries(b.cache, visit);
  }
  template <class Self, class Visit>
  static void matrices(Self& self, Visit&& visit) {
    visit(self.a.cache);
    visit(self.b.cache);
  }
};

/// a_b of methods a and b.
template <class A, class B>
struct joined_names {
  char text[std::string_view(A::name).size() + std::string_view(B::name).size() + 2] = {};
  consteval joined_names() {
    char* to = text;
    for (const char c : std::string_view(A::name)) *to++ = c;
    *to++ = '_';
    for (const char c : std::string_view(B::name)) *to++ = c;
  }
};
template <class A, class B>
inline constexpr joined_names<A, B> joined_name{};

/// An explicit method where the problem is not stiff, a linearly implicit one where it is:
///   switching<tsit5, rodas5p>
/// Explicitly until a number of steps had |h λ| at nine tenths of the stability interval's length, then
/// implicitly until explicit steps would cost less: the shorter ones that stability leaves, without a
/// factorisation (cost_of_step). Where a stretch of implicit steps proves short the next is waited for
/// twice as long. Oscillations are left to explicit steps only where these resolve them: what they do to
/// those that they cannot see no later step would mend. Hence states that oscillate at the start begin
/// implicitly, behind events and jumps as well. Equal steps, whose error nobody looks at, are implicit
/// throughout. Which method made a step is in its record: derivatives are those of the methods that were
/// taken.
/// cost    that of the method at work; at every fourth step three JVPs if it is implicit, else sums over
///         the state; a tape has the stages of both
/// source  Hairer & Wanner, Solving ODEs II, IV.2; Petzold, SIAM J. Sci. Stat. Comput. 4 (1983) 136–148
template <explicit_method A, rosenbrock_method B>
struct switching {
  static constexpr const char* name = joined_name<A, B>.text;
  static constexpr const char* source = B::source;
  static constexpr int order = A::order < B::order ? A::order : B::order;
  static constexpr int embedded_order = A::embedded_order;
  static constexpr int dense_order =
      A::dense_order < B::dense_order ? A::dense_order : B::dense_order;
  static constexpr bool exact = is_exact_v<B>;
  static constexpr double extent = stability_extent<A>();

  [[no_unique_address]] A nonstiff{};
  [[no_unique_address]] B stiff{};
  int begins_stiffly_to = 100;  ///< states of so many elements; of more, a Jacobian costs too much

  /// Of an implicit step in explicit ones, as measured: 3 + n/2 with a dense matrix, else 6.
  double cost_of_step(int n) const {
    return std::is_same_v<algebra_t<B>, dense_algebra> ? 3 + 0.5 * n : 6;
  }
  /// Looks at explicit steps that see stiffness, before the implicit method is tried: what passes by then
  /// costs two of its steps, and is 16 steps at least (15 in DOPRI5).
  int until_stiff(int n) const {
    const double looks = 2 * cost_of_step(n) / switching_memo::apart;
    return looks < 4 ? 4 : looks < 64 ? static_cast<int>(looks) : 64;
  }

  template <class Y>
  struct types : default_types<Y> {
    using of_a = method_types<A, Y>;
    using of_b = method_types<B, Y>;
    using memo = switching_memo;
    using record = switching_record;
    using cache = switching_cache<A, B, Y>;
    using tape = switching_tape<typename of_a::tape, typename of_b::tape, Y>;
    using scratch = of_either<typename of_a::scratch, typename of_b::scratch>;
    using seeds = of_either<typename of_a::seeds, typename of_b::seeds>;
    static constexpr bool asks_jacobian = of_b::asks_jacobian;
  };
};

template <class A, class B>
inline constexpr bool is_linearly_implicit_v<switching<A, B>> = true;

}  // namespace revode
