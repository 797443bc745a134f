package flags

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"pintlab/internal/spelling"
)

// Whole is the flag value of a whole number.
type Whole[T int | uint64] struct {
	value *T
	Min   T
	Max   T // 0 for no limit other than uint64's
	Bytes T // bytes of memory that each unit of the number needs; 0 if it needs none
}

func (w *Whole[T]) String() string {
	if w.value == nil || *w.value == 0 {
		return "" // zero means not given: the help shows no default
	}
	return fmt.Sprint(*w.value)
}

// Set parses s and reports an error if the number is out of range.
func (w *Whole[T]) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	most := uint64(w.Max)
	most = cmp.Or(most, math.MaxUint64)
	if err != nil || n < uint64(w.Min) || n > most {
		err := fmt.Errorf("want a whole number from %d to %d", w.Min, most)
		if w.Bytes > 0 && n > most {
			err = fmt.Errorf("%w, which need about %.2g GB of memory",
				err, float64(w.Max)*float64(w.Bytes)/1e9)
		}
		return err
	}
	*w.value = T(n)
	return nil
}

func (w *Whole[T]) Type() string { return "N" }

// Real is the flag value of a real number.
type Real struct {
	value    *float64
	Min, Max float64
	above    bool   // Min itself is not accepted
	below    bool   // Max itself is not accepted
	because  string // reason for Max, added to the error; "" if the rule needs none
}

func (r *Real) String() string {
	if r.value == nil || *r.value == 0 {
		return "" // zero means not given: the help shows no default
	}
	return strconv.FormatFloat(*r.value, 'g', -1, 64)
}

// Set parses s and reports an error if the number is out of range.
func (r *Real) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= r.Min && x <= r.Max) || r.above && x == r.Min || r.below && x == r.Max {
		least, most := "from", "to"
		switch {
		case r.above && r.below:
			least, most = "above", "and below"
		case r.above:
			least, most = "above", "and at most"
		case r.below:
			most = "to below"
		}
		rule := fmt.Sprintf("want a number %s %g %s %g", least, r.Min, most, r.Max)
		if r.because != "" && err == nil && x > r.Max {
			rule += ": " + r.because
		}
		return errors.New(rule)
	}
	if x != 0 && math.Abs(x) < leastReal {
		return fmt.Errorf("a number below 2^-53 has no effect: want 2^-53 (%.2g) or more", leastReal)
	}
	*r.value = x
	return nil
}

// leastReal is the smallest step of a random number between 0 and 1, so a smaller
// probability has no effect.
const leastReal = 1.0 / (1 << 53)

func (r *Real) Type() string { return "X" }

// List is the flag value of a comma-separated list. Each use of the flag appends to the
// list.
type List[T comparable] struct {
	values *[]T
	One    func(*T) pflag.Value
	once   bool // a value may not occur twice
	given  bool
}

func (l *List[T]) restart() { l.given = false }

func (l *List[T]) String() string {
	if l.values == nil {
		return ""
	}
	words := make([]string, len(*l.values))
	for i := range *l.values {
		words[i] = fmt.Sprint((*l.values)[i])
	}
	return strings.Join(words, ",")
}

// Set parses s and appends its values to the values of earlier uses of the flag.
func (l *List[T]) Set(s string) error {
	values := []T{}
	if l.given {
		values = *l.values
	}
	for word := range strings.SplitSeq(s, ",") {
		var v T
		if err := l.One(&v).Set(strings.TrimSpace(word)); err != nil {
			if word == s {
				return err
			}
			return fmt.Errorf("%q: %w", word, err)
		}
		if l.once && slices.Contains(values, v) {
			return fmt.Errorf("%v occurs twice", v)
		}
		values = append(values, v)
	}
	*l.values, l.given = values, true
	return nil
}

func (l *List[T]) Type() string { return "list" }

// Choice is the flag value of a string field that accepts one of the words in Of.
type Choice struct {
	value *string
	Of    []string
}

func (c *Choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Set reports an error if s is not an accepted word.
func (c *Choice) Set(s string) error {
	if !slices.Contains(c.Of, s) {
		return fmt.Errorf("want one of %s%s", strings.Join(c.Of, ", "), spelling.Hint(s, c.Of))
	}
	*c.value = s
	return nil
}

func (c *Choice) Type() string { return "string" }
