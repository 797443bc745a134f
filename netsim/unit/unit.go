package unit

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Time is an instant or a span of simulated time. The zero Time is the start of a run. Never
// stands for a time that is not set. An int64 of picoseconds lasts 106 days.
type Time int64

// Spans of time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond

	// Never is later than every instant.
	Never Time = 1<<63 - 1

	// MaxTime is the longest time that a user may set. Some tens of them can be added without
	// overflow.
	MaxTime = 100_000 * Second
)

// Rate is a bit rate in bits per second.
type Rate int64

// Bit rates.
const (
	BitPerSecond Rate = 1
	Kbps              = 1000 * BitPerSecond
	Mbps              = 1000 * Kbps
	Gbps              = 1000 * Mbps
	Tbps              = 1000 * Gbps

	// MaxRate is the fastest link: 64 B take 51.2 ps, which the clock rounds to 52.
	MaxRate = 10 * Tbps
)

// Bytes is a size in bytes.
type Bytes int64

// Sizes. KB, MB and GB are powers of ten, KiB, MiB and GiB powers of two.
const (
	Byte Bytes = 1
	KB         = 1000 * Byte
	MB         = 1000 * KB
	GB         = 1000 * MB
	KiB        = 1024 * Byte
	MiB        = 1024 * KiB
	GiB        = 1024 * MiB

	// MaxBytes is the largest size that a user may set. At 1 Mbps more bytes would take longer than
	// the clock can count.
	MaxBytes = 1000 * GB
)

// Seconds returns t in seconds.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// Nanoseconds returns t in nanoseconds, rounded towards zero.
func (t Time) Nanoseconds() int64 { return int64(t) / int64(Nanosecond) }

// Ratio returns t/u as a real number. (Dividing two Times with / is integer division.)
func (t Time) Ratio(u Time) float64 { return float64(t) / float64(u) }

// TxTime returns how long a link of rate r takes to put n bytes on the wire, rounded
// up to a picosecond so that a link never exceeds its rate. It panics if r is
// not positive, n is negative or the result does not fit a Time.
func (r Rate) TxTime(n Bytes) Time {
	if r <= 0 || n < 0 {
		panic("unit: TxTime needs a positive rate and a size that is not negative")
	}
	hi, lo := bits.Mul64(uint64(n), 8*uint64(Second))
	if hi >= uint64(r) {
		panic("unit: TxTime overflows")
	}
	q, rem := bits.Div64(hi, lo, uint64(r))
	if q >= math.MaxInt64 {
		panic("unit: TxTime overflows")
	}
	if rem != 0 {
		q++
	}
	return Time(q)
}

// In returns how many bytes a link of rate r carries in t, rounded down. It panics if r or t is
// negative or the result does not fit a Bytes.
func (r Rate) In(t Time) Bytes {
	if r < 0 || t < 0 {
		panic("unit: In needs a rate and a time that are not negative")
	}
	hi, lo := bits.Mul64(uint64(r), uint64(t))
	d := uint64(8 * Second)
	if hi >= d {
		panic("unit: In overflows")
	}
	q, _ := bits.Div64(hi, lo, d)
	if q > math.MaxInt64 {
		panic("unit: In overflows")
	}
	return Bytes(q)
}

// BytesPerSecond returns r in bytes per second, as a real number.
func (r Rate) BytesPerSecond() float64 { return float64(r) / 8 }

type suffix struct {
	name  string
	scale int64
}

// Suffixes are sorted by scale, largest first.
var (
	timeSuffixes = []suffix{{"s", int64(Second)}, {"ms", int64(Millisecond)}, {"us", int64(Microsecond)},
		{"ns", int64(Nanosecond)}, {"ps", 1}}
	rateSuffixes = []suffix{{"Tbps", int64(Tbps)}, {"Gbps", int64(Gbps)}, {"Mbps", int64(Mbps)},
		{"Kbps", int64(Kbps)}, {"bps", 1}}
	bytesSuffixes = []suffix{{"GiB", int64(GiB)}, {"MiB", int64(MiB)}, {"KiB", int64(KiB)}, {"GB", int64(GB)},
		{"MB", int64(MB)}, {"KB", int64(KB)}, {"B", 1}}
)

// ParseTime reads a number with one of the suffixes s, ms, us, ns and ps, such as "1.5us". It
// returns an error for fractions of a picosecond, a sign or a missing suffix.
func ParseTime(s string) (Time, error) {
	v, err := parse(s, timeSuffixes, "time")
	if Time(v) == Never {
		return 0, fmt.Errorf("time %q: too large", s)
	}
	return Time(v), err
}

// ParseRate reads a number with one of the suffixes Tbps, Gbps, Mbps, Kbps and
// bps, such as "100Gbps".
func ParseRate(s string) (Rate, error) {
	v, err := parse(s, rateSuffixes, "rate")
	return Rate(v), err
}

// ParseBytes reads a number with one of the suffixes GiB, MiB, KiB, GB, MB, KB
// and B, such as "32MiB".
func ParseBytes(s string) (Bytes, error) {
	v, err := parse(s, bytesSuffixes, "size")
	return Bytes(v), err
}

func parse(s string, suffixes []suffix, what string) (int64, error) {
	i := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if i == 0 && len(s) > 1 && s[0] == '-' && '0' <= s[1] && s[1] <= '9' {
		return 0, fmt.Errorf("%s %q: negative values are not accepted", what, s)
	}
	if i <= 0 {
		return 0, fmt.Errorf("%s %q: want a number and a unit (%s)", what, s, names(suffixes))
	}
	for _, u := range suffixes {
		if s[i:] == u.name {
			v, err := scale(s[:i], u.scale)
			if err != nil {
				return 0, fmt.Errorf("%s %q: %w", what, s, err)
			}
			return v, nil
		}
	}
	return 0, fmt.Errorf("%s %q: unknown unit %q (accepted: %s)", what, s, s[i:], names(suffixes))
}

// scale returns number × by, or an error if the product is not a whole number.
func scale(number string, by int64) (int64, error) {
	whole, frac, point := strings.Cut(number, ".")
	if whole == "" || point && frac == "" {
		return 0, fmt.Errorf("%q is not a decimal number", number)
	}
	v, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large, want at most %d", number, int64(math.MaxInt64))
	}
	hi, lo := bits.Mul64(uint64(v), uint64(by))
	if hi != 0 || lo > 1<<63-1 {
		return 0, fmt.Errorf("too large")
	}
	frac = strings.TrimRight(frac, "0")
	rest := int64(0)
	for _, c := range frac {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%q is not a decimal number", number)
		}
	}
	// This computes frac/10^len · by digit by digit, so that every rounding is noticed.
	unitLeft := by
	for _, c := range frac {
		if unitLeft%10 != 0 {
			// For binary units, an exact rational test is necessary.
			return scaleRational(v, frac, by)
		}
		unitLeft /= 10
		rest += int64(c-'0') * unitLeft
	}
	sum := int64(lo) + rest
	if sum < 0 {
		return 0, fmt.Errorf("too large")
	}
	return sum, nil
}

// scaleRational handles fractions of units that ten does not divide, such as
// 1.5KiB. The result must be whole.
func scaleRational(whole int64, frac string, by int64) (int64, error) {
	if len(frac) > 15 {
		return 0, fmt.Errorf("more decimals than the unit can represent")
	}
	n, err := strconv.ParseInt(frac, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a decimal number", frac)
	}
	den := uint64(1)
	for range frac {
		den *= 10
	}
	hi, lo := bits.Mul64(uint64(n), uint64(by))
	q, rem := bits.Div64(hi, lo, den) // hi < den because frac < 1 and by < 2^63
	if rem != 0 {
		return 0, fmt.Errorf("more decimals than the unit can represent")
	}
	sum := whole*by + int64(q)
	if sum < 0 {
		return 0, fmt.Errorf("too large")
	}
	return sum, nil
}

func names(suffixes []suffix) string { return strings.Join(list(suffixes), ", ") }

func list(suffixes []suffix) []string {
	words := make([]string, len(suffixes))
	for i, s := range suffixes {
		words[i] = s.name
	}
	return words
}

// format prints v exactly, with at most three decimals, in the unit that needs the fewest digits.
// Of two such units it takes the larger.
func format(v int64, suffixes []suffix) string {
	sign, size := "", uint64(v)
	if v < 0 {
		// Negative spans occur in differences only and are never parsed.
		sign, size = "-", -size
	}
	var best string
	digits, largest := 99, uint64(0)
	for _, u := range suffixes {
		scale := uint64(u.scale)
		if size < scale && scale > 1 {
			continue
		}
		text := strconv.FormatUint(size/scale, 10)
		n := len(text)
		if rest := size % scale; rest > 0 {
			if scale%1000 != 0 || rest%(scale/1000) != 0 {
				continue
			}
			frac := strings.TrimRight(fmt.Sprintf("%03d", rest/(scale/1000)), "0")
			text += "." + frac
			n += len(frac)
		}
		if n < digits || n == digits && scale > largest {
			best, digits, largest = text+u.name, n, scale
		}
	}
	return sign + best
}

// String returns t with a unit, such as "1.5us"; ParseTime reads it back.
func (t Time) String() string {
	switch t {
	case Never:
		return "never"
	case 0:
		return "0s"
	}
	return format(int64(t), timeSuffixes)
}

// String returns r with a unit, such as "100Gbps"; ParseRate reads it back.
func (r Rate) String() string { return format(int64(r), rateSuffixes) }

// String returns b with a unit, such as "32MiB"; ParseBytes reads it back.
func (b Bytes) String() string { return format(int64(b), bytesSuffixes) }

// MarshalText writes t as String does.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what ParseTime accepts, and "never".
func (t *Time) UnmarshalText(b []byte) error {
	if string(b) == "never" {
		*t = Never
		return nil
	}
	return read(t, b, ParseTime)
}

// read parses a text and sets a value to the result, unless there is an error.
func read[T any](to *T, text []byte, parse func(string) (T, error)) error {
	v, err := parse(string(text))
	if err == nil {
		*to = v
	}
	return err
}

// MarshalText writes r as String does.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what ParseRate accepts.
func (r *Rate) UnmarshalText(b []byte) error { return read(r, b, ParseRate) }

// MarshalText writes b as String does.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads what ParseBytes accepts.
func (b *Bytes) UnmarshalText(text []byte) error { return read(b, text, ParseBytes) }

// Short returns b in the unit that needs the fewest digits, without decimals. 32MB is also a whole
// number of KiB, but the shorter form is clearer.
func (b Bytes) Short() string {
	best := strconv.FormatInt(int64(b), 10) + "B"
	for _, u := range []suffix{{"KB", int64(KB)}, {"MB", int64(MB)}, {"GB", int64(GB)}, {"KiB", int64(KiB)},
		{"MiB", int64(MiB)}, {"GiB", int64(GiB)}} {
		if s := strconv.FormatInt(int64(b)/u.scale, 10) + u.name; b > 0 && int64(b)%u.scale == 0 && len(s) < len(best) {
			best = s
		}
	}
	return best
}

// Most returns the largest time that a scenario may name (package netsim/schema).
func (Time) Most() (limit, also string) { return MaxTime.String(), "" }

// Most returns the largest rate that a scenario may name.
func (Rate) Most() (limit, also string) { return MaxRate.String(), "" }

// Most returns the largest size that a scenario may name.
func (Bytes) Most() (limit, also string) { return MaxBytes.Short(), "" }

// Most returns the largest size that a scenario may name, in addition to "none".
func (Limit) Most() (limit, also string) { return MaxBytes.Short(), "none" }

// Units returns the units in which a time may be given.
func (Time) Units() []string { return list(timeSuffixes) }

// Units returns the units in which a rate may be given.
func (Rate) Units() []string { return list(rateSuffixes) }

// Units returns the units in which a size may be given.
func (Bytes) Units() []string { return list(bytesSuffixes) }

// Units returns the units in which a limit may be given.
func (Limit) Units() []string { return list(bytesSuffixes) }

// Limit is a number of bytes or NoLimit.
type Limit Bytes

// NoLimit is larger than every size, so that min works without a special case.
const NoLimit Limit = math.MaxInt64

// MarshalText writes the size with its unit, or "none".
func (l Limit) MarshalText() ([]byte, error) {
	if l == NoLimit {
		return []byte("none"), nil
	}
	return []byte(Bytes(l).Short()), nil
}

// UnmarshalText reads a size with its unit, or "none".
func (l *Limit) UnmarshalText(b []byte) error {
	if string(b) == "none" {
		*l = NoLimit
		return nil
	}
	v, err := ParseBytes(string(b))
	if err == nil && Limit(v) == NoLimit {
		err = fmt.Errorf("size %q: out of range", b)
	}
	if err != nil {
		return fmt.Errorf("%w, or none", err)
	}
	*l = Limit(v)
	return nil
}
