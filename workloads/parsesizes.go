package workloads

import (
	"fmt"
	"strconv"
	"strings"

	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// sizeForms lists the forms that ParseSizes accepts, for errors.
const sizeForms = "websearch, hadoop, fixed:SIZE, uniform:MIN:MAX or pareto:SHAPE:MIN:MAX, sizes such as 10KB"

// ParseSizes makes a distribution from its name: websearch, hadoop, fixed:SIZE,
// uniform:MIN:MAX or pareto:SHAPE:MIN:MAX, with sizes such as "10KB" or "1.5MiB". (A
// CDF file is read by ReadCDF.)
func ParseSizes(s string) (Sizes, error) {
	sizes, err := parseSizes(s)
	if err != nil {
		return nil, fmt.Errorf("flow sizes %q: %w", s, err)
	}
	return sizes, nil
}

func parseSizes(s string) (Sizes, error) {
	kind, rest, hasArgs := strings.Cut(s, ":")
	var args []string
	if hasArgs {
		args = strings.Split(rest, ":")
	}
	want, known := map[string]int{"websearch": 0, "hadoop": 0, "fixed": 1, "uniform": 2, "pareto": 3}[kind]
	if !known {
		return nil, fmt.Errorf("unknown distribution %q (accepted: %s)", kind, sizeForms)
	}
	if len(args) != want {
		return nil, fmt.Errorf("%s has %s, want %d (accepted: %s)", kind, number.Count(len(args), "value"), want,
			sizeForms)
	}
	var shape float64
	if kind == "pareto" {
		var err error
		if shape, err = strconv.ParseFloat(args[0], 64); err != nil {
			return nil, fmt.Errorf("shape %q is not a number", args[0])
		}
		args = args[1:]
	}
	var bytes [2]unit.Bytes
	for i, a := range args {
		var err error
		if bytes[i], err = unit.ParseBytes(a); err != nil {
			return nil, err
		}
	}
	var sizes Sizes
	switch kind {
	case "websearch":
		sizes = WebSearch()
	case "hadoop":
		sizes = Hadoop()
	case "fixed":
		sizes = Fixed(bytes[0])
	case "uniform":
		sizes = Uniform{bytes[0], bytes[1]}
	default:
		return NewPareto(shape, bytes[0], bytes[1])
	}
	return sizes, checkSizes(sizes)
}
