package chamelemon

import (
	"math"
	"slices"
	"testing"

	"pintlab/int/sketch/mrac"
)

// points contains the sizes of 17,500 flows of a switch, of which 7,500 have ten packets or more.
var points = []mrac.Point{{Size: 1, Flows: 10_000}, {Size: 10, Flows: 7000}, {Size: 100, Flows: 500}}

// victims returns n victims of a size.
func victims(n int, size uint64, sampled bool) []victim {
	return slices.Repeat([]victim{{size, sampled}}, n)
}

// Each rule of the controller is computed by hand, for 4096 buckets.
func TestController(t *testing.T) {
	healthy := func(hl int, high uint64) setting {
		return setting{widths: [parts]int{0, hl, 4096 - hl}, high: high}
	}
	ill := func(low, high uint64, share float64) setting {
		return setting{ill: true, widths: [parts]int{512, 2560, 1024}, low: low, high: high, share: share}
	}
	hl, hh, ll := [parts]bool{heavyLoss: true}, [parts]bool{heavyLoss: true, heavy: true}, [parts]bool{light: true}
	for _, x := range []struct {
		what       string
		from, want setting
		failed     [parts]bool
		flows      [parts]float64
		victims    []victim
	}{
		{"few victims leave the first setting", healthy(512, 0), healthy(512, 0), [parts]bool{},
			[parts]float64{0, 500, 100}, nil},
		{"2000 victims need 2000/1.95 buckets", healthy(512, 0), healthy(1026, 0), hl, [parts]float64{0, 2000, 100},
			nil},
		{"HL grows though linear counting finds room", healthy(1000, 0), healthy(1001, 0), hl,
			[parts]float64{0, 900, 100}, nil},
		{"1000 victims are less than 1.8 × 1026", healthy(1026, 0), healthy(513, 0), [parts]bool{},
			[parts]float64{0, 1000, 100}, nil},
		{"1900 victims are between 1.8 × 1026 and 2.1 × 1026", healthy(1026, 0), healthy(1026, 0), [parts]bool{},
			[parts]float64{0, 1900, 100}, nil},
		// 2.1 × 3584 = 7526 flows fit: the 7500 with 10 packets or more, but not those with 1 packet.
		{"HH fails", healthy(512, 0), healthy(512, 2), hh, [parts]float64{0, 0, 9000}, nil},
		{"HH fails although the estimate finds room", healthy(512, 5), healthy(512, 6), hh, [parts]float64{0, 0, 9000},
			nil},
		{"HH has room, and T_h falls", healthy(512, 50), healthy(512, 2), [parts]bool{}, [parts]float64{0, 0, 500},
			nil},
		// 7000 victims are more than 2.1 × 3072 = 6451. HH has 1024 buckets, so 2150 flows fit: the 500 with 100
		// packets, but not the 7000 with 10 packets.
		{"ill", healthy(512, 2), ill(11, 11, 1.95*512/7000), hl, [parts]float64{0, 7000, 7500}, nil},
		{"ill, when HL cannot grow", healthy(3072, 11), ill(11, 11, 1.95*512/6000), hl, [parts]float64{0, 6000, 2000},
			nil},
		{"LL fails", ill(11, 11, 0.5), ill(11, 11, 0.5*998.4/2000), ll, [parts]float64{2000, 3000, 2000}, nil},
		{"LL fails although linear counting finds room", ill(11, 11, 0.5), ill(11, 11, 0.5*1.95/2.95), ll,
			[parts]float64{900, 3000, 2000}, nil},
		// There are 1000, 3000 and 4000 flows with 12, 20 and 30 packets. 1.95 × 2560 = 4992 flows fit, so only the
		// flows with 30 packets do.
		{"HL fails: bisection", ill(11, 50, 0.1), ill(21, 50, 0.1), hl, [parts]float64{800, 8000, 2000},
			slices.Concat(victims(100, 12, true), victims(300, 20, true), victims(400, 30, true))},
		{"T_l beyond T_h takes it along", ill(11, 15, 0.1), ill(21, 21, 0.1), hl, [parts]float64{800, 8000, 2000},
			slices.Concat(victims(100, 12, true), victims(300, 20, true), victims(400, 30, true))},
		{"HL fails, and LL has no victims", ill(11, 50, 0.1), ill(23, 50, 0.1), hl, [parts]float64{0, 9984, 2000}, nil},
		{"HH fails in the ill state", ill(5, 5, 0.1), ill(5, 11, 0.1), hh, [parts]float64{0, 0, 4000}, nil},
		// 3000 + 300/0.1 = 6000 victims need 3077 buckets, but egress has only 3072.
		{"healthy again", ill(11, 11, 0.1), healthy(3072, 11), [parts]bool{}, [parts]float64{300, 3000, 2000}, nil},
		{"more of LL", ill(11, 11, 0.1), ill(11, 11, 0.1*998.4/500), [parts]bool{}, [parts]float64{500, 5000, 2000},
			nil},
		// LL contains 1/10 of its flows. HL has 4000 victims and room for 4992, so the 500 victims with 9 packets fit,
		// but not the 4500 with 5 packets.
		{"T_l falls", ill(11, 11, 0.1), ill(6, 11, 0.1*998.4/500), [parts]bool{}, [parts]float64{500, 4000, 2000},
			slices.Concat(victims(4000, 50, false), victims(450, 5, true), victims(50, 9, true))},
	} {
		v := &view{failed: x.failed, flows: x.flows, victims: x.victims, sizes: func() []mrac.Point { return points }}
		got := controller{4096}.next(x.from, v)
		if math.Abs(got.share-x.want.share) < 1e-12 {
			got.share = x.want.share
		}
		if got != x.want {
			t.Errorf("%s: from %+v to\n%+v, want\n%+v", x.what, x.from, got, x.want)
		}
	}
	if got := (controller{4096}).start(); got != healthy(512, 0) {
		t.Errorf("start %+v", got)
	}
}
