package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// whole is the value of a flag that is a whole number.
type whole[T int | uint64] struct {
	value *T
	min   T
	max   T // 0 for no limit but that of uint64
	bytes T // of memory that each one takes, if they are in memory together
}

func (w *whole[T]) String() string {
	if w.value == nil || *w.value == 0 {
		return "" // not given; help shows no default
	}
	return fmt.Sprint(*w.value)
}

func (w *whole[T]) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	most := uint64(w.max)
	most = cmp.Or(most, math.MaxUint64)
	if err != nil || n < uint64(w.min) || n > most {
		err := fmt.Errorf("want a whole number from %d to %d", w.min, most)
		if w.bytes > 0 && n > most {
			err = fmt.Errorf("%w, for which about %.2g GB of memory are needed", err, float64(w.max)*float64(w.bytes)/1e9)
		}
		return err
	}
	*w.value = T(n)
	return nil
}

func (w *whole[T]) Type() string { return "N" }

// real is the value of a flag that is a number.
type real struct {
	value    *float64
	min, max float64
	above    bool   // min itself is too small
	below    bool   // max itself is too large
	because  string // why no number is larger, where the flag itself does not say it
}

func (r *real) String() string {
	if r.value == nil || *r.value == 0 {
		return "" // not given; help shows no default
	}
	return strconv.FormatFloat(*r.value, 'g', -1, 64)
}

func (r *real) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= r.min && x <= r.max) || r.above && x == r.min || r.below && x == r.max {
		least, most := "from", "to"
		switch {
		case r.above && r.below:
			least, most = "above", "and below"
		case r.above:
			least, most = "above", "and at most"
		case r.below:
			most = "to below"
		}
		rule := fmt.Sprintf("want a number %s %g %s %g", least, r.min, most, r.max)
		if r.because != "" && err == nil && x > r.max {
			rule += ": " + r.because
		}
		return errors.New(rule)
	}
	if x != 0 && math.Abs(x) < leastReal {
		return fmt.Errorf("so small a number has no effect: want 2^-53 (%.2g) or more", leastReal)
	}
	*r.value = x
	return nil
}

// leastReal is the smallest step of a random number between 0 and 1.
const leastReal = 1.0 / (1 << 53)

func (r *real) Type() string { return "X" }

// list is the value of a flag that is several numbers or words with commas. Each use of the flag adds to
// those before.
type list[T comparable] struct {
	values *[]T
	one    func(*T) pflag.Value
	once   bool // none may be there twice
	given  bool
}

func (l *list[T]) restart() { l.given = false }

func (l *list[T]) String() string {
	if l.values == nil {
		return ""
	}
	words := make([]string, len(*l.values))
	for i := range *l.values {
		words[i] = fmt.Sprint((*l.values)[i])
	}
	return strings.Join(words, ",")
}

func (l *list[T]) Set(s string) error {
	values := []T{}
	if l.given {
		values = *l.values
	}
	if _, words := any(values).([]string); words && s == "" {
		*l.values, l.given = values, true
		return nil
	}
	for word := range strings.SplitSeq(s, ",") {
		var v T
		if err := l.one(&v).Set(strings.TrimSpace(word)); err != nil {
			if word == s {
				return err
			}
			return fmt.Errorf("%q: %w", word, err)
		}
		if l.once && slices.Contains(values, v) {
			return fmt.Errorf("%v is there twice", v)
		}
		values = append(values, v)
	}
	*l.values, l.given = values, true
	return nil
}

func (l *list[T]) Type() string { return "list" }
