package compare

import (
	"fmt"
	"slices"
	"strings"
)

// Variation is a key of the scenario and a list of its values. Each value becomes a case of a comparison.
type Variation struct {
	Key    string
	Values []string
}

// ParseVariation reads "KEY=VALUE,VALUE...". A comma within brackets or braces belongs to a value. set lists other
// changes of the scenario; these must not change the same key.
func ParseVariation(s string, set []string) (Variation, error) {
	key, values, ok := strings.Cut(s, "=")
	v := Variation{Key: key}
	depth, begin := 0, 0
	for i, c := range values + "," {
		switch {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && (depth == 0 || i == len(values)):
			v.Values = append(v.Values, strings.TrimSpace(values[begin:i]))
			begin = i + 1
		}
	}
	if !ok || key == "" || len(v.Values) < 2 || slices.Contains(v.Values, "") {
		return Variation{}, fmt.Errorf("--vary %q: want a key of the scenario and at least two values, such as "+
			"workload.0.load=0.3,0.5", s)
	}
	if key == "seed" {
		return Variation{}, fmt.Errorf("--vary %q: seeds are not varied, because a case averages over all seeds: "+
			"want --seeds N", s)
	}
	for i, x := range v.Values {
		if slices.Contains(v.Values[:i], x) {
			return Variation{}, fmt.Errorf("--vary %q: %s occurs twice", s, x)
		}
	}
	if slices.ContainsFunc(set, func(a string) bool { return strings.HasPrefix(a, key+"=") }) {
		return Variation{}, fmt.Errorf("--vary %q: --set also changes %s", s, key)
	}
	return v, nil
}

// Short returns the last word of the key.
func (v Variation) Short() string { return v.Key[strings.LastIndexByte(v.Key, '.')+1:] }
