package interp

import (
	"fmt"
	"math/big"
	"net/netip"
	"strconv"
	"strings"

	"pintlab/internal/number"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// parseValue reads a number of at most width bits in the spelling of the control plane: decimal, 0x,
// 0b or 0o, also negative, or an IPv4, IPv6 or MAC address.
func parseValue(s string, width int) (*big.Int, error) {
	v, err := parseNumber(s)
	if err != nil {
		return nil, err
	}
	if t := (&types.Bit{Width: width, Signed: v.Sign() < 0}); !t.Fits(v) {
		return nil, fmt.Errorf("%s does not fit %s", s, number.Count(width, "bit"))
	}
	return types.Unsigned(width).Wrap(v), nil
}

func parseNumber(s string) (*big.Int, error) {
	if len(s) > 1<<14 {
		return nil, fmt.Errorf("the number has %d characters", len(s))
	}
	if v, ok := new(big.Int).SetString(s, 0); ok && !strings.Contains(s, "_") {
		return v, nil
	}
	if strings.Count(s, ":") == 5 {
		if v, ok := parseMAC(s); ok {
			return v, nil
		}
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return new(big.Int).SetBytes(a.AsSlice()), nil
	}
	if s == "true" {
		return big.NewInt(1), nil
	}
	if s == "false" {
		return new(big.Int), nil
	}
	return nil, fmt.Errorf("%q is not a number or address", s)
}

func parseMAC(s string) (*big.Int, bool) {
	v := new(big.Int)
	for _, part := range strings.Split(s, ":") {
		b, err := strconv.ParseUint(part, 16, 8)
		if err != nil {
			return nil, false
		}
		v.Lsh(v, 8)
		v.Or(v, new(big.Int).SetUint64(b))
	}
	return v, true
}

// parseMatch reads the value of one key: "v", "v/length" for lpm, "v&&&mask" for
// ternary, "lo->hi" for range, "v" or "*" for optional. "*" matches anything in every
// kind but exact.
func parseMatch(s string, kind ir.MatchKind, width int) (ir.EntryKey, error) {
	none := ir.EntryKey{}
	if s == "*" && kind != ir.Exact {
		return ir.EntryKey{Kind: ir.SetAny}, nil
	}
	two := func(sep string) (a, b *big.Int, err error) {
		x, y, _ := strings.Cut(s, sep)
		if a, err = parseValue(x, width); err != nil {
			return nil, nil, err
		}
		b, err = parseValue(y, width)
		return a, b, err
	}
	switch {
	case kind == ir.LPM:
		addr, length, ok := strings.Cut(s, "/")
		if !ok {
			return none, fmt.Errorf("%q: expected value/prefix length", s)
		}
		v, err := parseValue(addr, width)
		if err != nil {
			return none, err
		}
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > width {
			return none, fmt.Errorf("prefix length %q: expected 0 to %d", length, width)
		}
		return exec.Prefix(v, n, width), nil
	case (kind == ir.Ternary || kind == ir.Optional) && strings.Contains(s, "&&&"):
		v, m, err := two("&&&")
		if err != nil {
			return none, err
		}
		return ir.EntryKey{Kind: ir.SetMask, X: v, Y: m}, nil
	case kind == ir.Range && strings.Contains(s, "->"):
		lo, hi, err := two("->")
		if err != nil {
			return none, err
		}
		return ir.EntryKey{Kind: ir.SetRange, X: lo, Y: hi}, nil
	case kind == ir.Ternary:
		return none, fmt.Errorf("%q: expected value&&&mask", s)
	case kind == ir.Range:
		return none, fmt.Errorf("%q: expected low->high", s)
	}
	v, err := parseValue(s, width)
	if err != nil {
		return none, err
	}
	return ir.EntryKey{Kind: ir.SetValue, X: v}, nil
}
