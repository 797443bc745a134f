package approx

import "fmt"

// Rounding is the rule by which a value between two codes gets one of them. The zero Rounding is
// Nearest.
type Rounding uint8

// The ways to round.
const (
	// Nearest takes the closer code on the logarithmic scale. It needs no randomness and keeps
	// decode(encode(v))/v within [1/(1+ε), 1+ε].
	Nearest Rounding = iota
	// UnbiasedLog chooses the upper code with a probability such that the expected code equals the
	// logarithm: PINT's [·]_R.
	UnbiasedLog
	// UnbiasedValue chooses the upper code with a probability such that the expected decoded value
	// equals the value. The authors' simulator rounds in this way.
	UnbiasedValue
)

var roundingNames = [...]string{Nearest: "nearest", UnbiasedLog: "log", UnbiasedValue: "value"}

// ParseRounding reads "nearest", "log" or "value".
func ParseRounding(s string) (Rounding, error) {
	for i, name := range roundingNames {
		if s == name {
			return Rounding(i), nil
		}
	}
	return 0, fmt.Errorf("rounding %q: want nearest, log or value", s)
}

// String returns the name that ParseRounding reads.
func (r Rounding) String() string { return roundingNames[r] }

// MarshalText writes the name of r.
func (r Rounding) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what ParseRounding accepts.
func (r *Rounding) UnmarshalText(b []byte) error {
	v, err := ParseRounding(string(b))
	if err == nil {
		*r = v
	}
	return err
}

// unitWord maps a hash word to a multiple of 2^-53 in [0, 1).
func unitWord(word uint64) float64 { return float64(float64(word>>11) * 0x1p-53) }
