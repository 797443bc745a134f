package transport

import (
	"testing"

	"pintlab/netsim/unit"
)

// RFC 6298 §2 by hand, with bounds that do not matter. First sample R = 800 us (§2.2):
// SRTT = R, RTTVAR = R/2, RTO = SRTT + 4·RTTVAR = 3R. Second sample 1000 us (§2.3):
// RTTVAR = 3/4·400 + 1/4·|800-1000| = 350, then SRTT = 7/8·800 + 1/8·1000 = 825, RTO =
// 825 + 1400. Third sample 425 us: RTTVAR = 3/4·350 + 1/4·400 = 362.5, SRTT =
// 7/8·825 + 1/8·425 = 775, RTO = 775 + 1450.
func TestRTOOfTheFirstSamples(t *testing.T) {
	const us = unit.Microsecond
	c := Config{Params: Params{RTOMin: us, RTOMax: unit.Second}}
	c.RTOInitial = 77 * us
	r := newRTT(&c)
	for i, tt := range []struct{ sample, smoothed, variation, rto unit.Time }{
		{800 * us, 800 * us, 400 * us, 2400 * us},
		{1000 * us, 825 * us, 350 * us, 2225 * us},
		{425 * us, 775 * us, 362_500 * unit.Nanosecond, 2225 * us},
	} {
		r.take(tt.sample, &c)
		if r.Smoothed != tt.smoothed || r.variation != tt.variation || r.RTO != tt.rto {
			t.Errorf("sample %d: SRTT %v, RTTVAR %v, RTO %v; want %v, %v, %v",
				i+1, r.Smoothed, r.variation, r.RTO, tt.smoothed, tt.variation, tt.rto)
		}
	}
}

// §2.4 and 2.5: the RTO is not below RTOMin nor above RTOMax.
func TestRTOKeepsItsBounds(t *testing.T) {
	c := Config{Params: Params{RTOMin: unit.Millisecond, RTOMax: 4 * unit.Millisecond}}
	low, high := newRTT(&c), newRTT(&c)
	low.take(10*unit.Microsecond, &c)
	high.take(3*unit.Millisecond, &c)
	if low.RTO != unit.Millisecond || high.RTO != 4*unit.Millisecond {
		t.Errorf("RTO %v and %v, want 1ms and 4ms", low.RTO, high.RTO)
	}
}

// §5.5 doubles the RTO, up to RTOMax. After a new sample the RTO follows from SRTT and RTTVAR,
// which have not been doubled (§5.7).
func TestRTOBacksOffAndRecovers(t *testing.T) {
	const us = unit.Microsecond
	c := Config{Params: Params{RTOMin: us, RTOMax: 10_000 * us}}
	r := newRTT(&c)
	r.take(800*us, &c)
	for _, want := range []unit.Time{4800 * us, 9600 * us, 10_000 * us, 10_000 * us} {
		if r.backOff(&c); r.RTO != want {
			t.Errorf("RTO %v after backing off, want %v", r.RTO, want)
		}
	}
	r.take(1000*us, &c)
	if r.RTO != 2225*us {
		t.Errorf("RTO %v after a sample, want 2.225ms", r.RTO)
	}
}

// §2.3: RTO = SRTT + max(G, 4·RTTVAR) with the granularity G of the clock, a nanosecond: equal
// samples must not make the RTO equal to the round-trip time.
func TestRTOExceedsASteadyRTT(t *testing.T) {
	c := Config{Params: Params{RTOMin: 1, RTOMax: unit.Second}}
	r := newRTT(&c)
	for range 1000 {
		r.take(800*unit.Microsecond, &c)
	}
	if r.RTO < 800*unit.Microsecond+unit.Nanosecond {
		t.Errorf("RTO %v with a steady round-trip time of 800us", r.RTO)
	}
}
