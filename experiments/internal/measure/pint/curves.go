package pint

import (
	"fmt"
	"strings"

	"pintlab/pint/coding"
	"pintlab/pint/trace"
)

// budgets lists the digests that Fig. 10 compares.
var budgets = []struct{ instances, bits int }{{1, 1}, {1, 4}, {2, 8}}

func budgetName(instances, b int) string {
	if instances == 1 {
		return fmt.Sprintf("b=%d", b)
	}
	return fmt.Sprintf("%d×(b=%d)", instances, b)
}

const (
	switchHash   = "yes: two or three hashes, a compare and an XOR"
	switchLinear = "yes: a hash and an XOR of shifted copies of it for the set bits of the switch's index"
	switchMark   = "yes: a hash, a compare, a table of eight contents"
)

// PublishedCurves returns the curves of Fig. 10 for a typical path of d hops (10 on the internet providers' networks, 5
// on the fat tree): PINT with 1, 4 and 2 x 8 bits, PPM, and AMS2. The PINT paper does not print tau and p. We use the
// values of the published artifact, tau = 1/2 and p = 1/d; of the candidates, they also need the fewest packets. There
// are two variants of PINT: the parameters of Algorithm 1, and a decoder that considers only the switches of the true
// path. No real collector knows this path.
func PublishedCurves(d int) []PathCurve {
	var out []PathCurve
	artifact := coding.Interleaved(0.5, 1/float64(d))
	for _, b := range budgets {
		out = append(out, PathCurve{Label: "PINT " + budgetName(b.instances, b.bits), Method: allSwitches,
			Code: trace.HashCode(b.instances, b.bits, artifact), Switch: switchHash})
	}
	out = append(out,
		PathCurve{Label: "PPM", Method: ppmMarks, Switch: switchMark},
		PathCurve{Label: "AMS2 m=5", Method: ams2Marks, Match: 5, Switch: switchMark},
		PathCurve{Label: "AMS2 m=6", Method: ams2Marks, Match: 6, Switch: switchMark},
		PathCurve{Label: "PINT 2×(b=8), Algorithm 1", Method: allSwitches,
			Code: trace.HashCode(2, 8, coding.MultiLayer(d, 0)), Switch: switchHash},
		PathCurve{Label: "PINT 2×(b=8), Hybrid", Method: allSwitches,
			Code: trace.HashCode(2, 8, coding.Hybrid(d)), Switch: switchHash})
	for _, b := range budgets {
		out = append(out, PathCurve{Label: "PINT " + budgetName(b.instances, b.bits) +
			", true path's switches only", Method: TruePath,
			Code: trace.HashCode(b.instances, b.bits, artifact), Switch: switchHash})
	}
	return out
}

// Readings returns the curves that may explain the numbers of the PINT paper, for a typical path of d hops. They are
// PublishedCurves, and PINT and AMS2 as in the program that its authors published.
func Readings(d int) []PathCurve {
	out := PublishedCurves(d)
	for _, c := range out {
		c.Label += ", published code"
		switch {
		case c.Method == ams2Marks:
			c.Method = publishedAMS2
		case strings.HasSuffix(c.Label, "only, published code"):
			c.Method = publishedPath
		case len(c.Code.Schemes) == 1 && c.Code.Schemes[0].Tau == 0.5:
			c.Method = publishedAll
		default:
			continue
		}
		out = append(out, c)
	}
	return out
}

// OneHop returns the curves of a hash of 16 bits and of a hash of 8 bits. The hash of 16 bits is equivalent to two
// hashes of 8 bits of the same hop. Both our decoder and the decoder of the published program know the switches of the
// path.
func OneHop(d int) (list []PathCurve) {
	for _, decoder := range []struct {
		name   string
		method Method
	}{{"our decoder", TruePath}, {"published code", publishedPath}} {
		for _, bits := range []int{16, 8} {
			list = append(list, PathCurve{Label: fmt.Sprintf("a hash of %d bits, %s", bits, decoder.name),
				Method: decoder.method, Code: trace.HashCode(1, bits, coding.Interleaved(0.5, 1/float64(d)))})
		}
	}
	return list
}

// OurCurves returns the curves of our two decoders with the same budgets on a map, for a typical path of d hops and a
// longest path. They are the linear hash with all hops acting, and the topology-aware decoder with its best encoding
// and with the published encoding.
func OurCurves(m *trace.Map, d, longest int) []PathCurve {
	var out []PathCurve
	for _, b := range budgets {
		out = append(out, PathCurve{Label: "linear " + budgetName(b.instances, b.bits), Method: allSwitches,
			Code: trace.LinearCode(m, b.instances, b.bits), Switch: switchLinear})
	}
	for _, b := range budgets {
		c := PathCurve{Label: "topology " + budgetName(b.instances, b.bits), Method: TopologyAware,
			Code: trace.AwareCode(m, longest, b.instances, b.bits), Switch: switchHash}
		if c.Code.Mode == coding.Linear {
			c.Switch = switchLinear
		}
		out = append(out, c)
	}
	for _, b := range budgets {
		out = append(out, PathCurve{Label: "topology " + budgetName(b.instances, b.bits) + ", published encoding",
			Method: TopologyAware,
			Code:   trace.HashCode(b.instances, b.bits, coding.Interleaved(0.5, 1/float64(d))), Switch: switchHash})
	}
	return out
}
