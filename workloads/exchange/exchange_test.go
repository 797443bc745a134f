package exchange

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// read generates a trace and checks properties that all traces share: order, unique identifiers, and each response
// after its request.
func read(t testing.TB, c Config) (events []Event, delays []unit.Time) {
	t.Helper()
	g, err := Generate(c)
	if err != nil {
		t.Fatal(err)
	}
	truth := NewTruth(math.MaxInt64 / 2)
	requests := int64(0)
	var e Event
	for g.Next(&e) {
		if n := len(events); n > 0 && e.Time < events[n-1].Time {
			t.Fatalf("event %d at %v follows one at %v", n, e.Time, events[n-1].Time)
		}
		events = append(events, e)
		if !e.Response {
			requests++
		}
		if d, ok := truth.Take(&e); ok {
			delays = append(delays, d)
		}
	}
	if g.Err() != nil || requests != c.Requests {
		t.Fatalf("%d requests, %v; want %d", requests, g.Err(), c.Requests)
	}
	return events, delays
}

// The numbers of §5 are 1 million requests per second, 40 % of them answered, log-uniform delays of up to T, about 0.5
// million samples and 1.75 million packets. The share of requests with a response deviates from 40 % by more than 5
// standard errors with probability below 1e-6. For the distribution, the Kolmogorov-Smirnov distance exceeds 2.7/√n
// with probability 1e-6.
func TestSynthetic(t *testing.T) {
	c := Synthetic(64*unit.Millisecond, 1)
	events, delays := read(t, c)
	n := float64(len(delays))
	if want := 0.4 * 1.25e6; math.Abs(n-want) > 5*math.Sqrt(0.6*want) {
		t.Errorf("%v samples, want %v", n, want)
	}
	if len(events) != 1_250_000+len(delays) {
		t.Errorf("%d packets with %v samples", len(events), n)
	}
	for i, e := range events[:1000] {
		if e.Time != unit.Time(i)*unit.Microsecond || e.Response {
			t.Fatalf("event %d is %+v, want the request of microsecond %d: no delay is below 1 ms", i, e, i)
		}
	}
	distance(t, delays, func(d unit.Time) float64 { return math.Log2(float64(d)/float64(unit.Millisecond)) / 6 })
}

// distance compares delays with a distribution by the Kolmogorov-Smirnov test.
func distance(t *testing.T, delays []unit.Time, cdf func(unit.Time) float64) {
	t.Helper()
	slices.Sort(delays)
	worst, n := 0.0, float64(len(delays))
	for i, d := range delays {
		worst = max(worst, math.Abs(cdf(d)-float64(i)/n), math.Abs(cdf(d)-float64(i+1)/n))
	}
	if worst*math.Sqrt(n) > 2.7 {
		t.Errorf("the distribution of %d delays is off by %v", len(delays), worst)
	}
}

// §5 reports these numbers: the trace takes 11.4 s; 61 % of the packets are requests; 13 % of the requests are
// answered, after 57.8 ms on average, with a 99th percentile near 2^9 ms. The test uses a tenth of the trace. Each
// number deviates by more than 5 standard errors with probability below 1e-6 (the delay has σ = 57.8
// ms·√(e^1.695 - 1)).
func TestISP(t *testing.T) {
	c := ISP(1)
	c.Requests /= 10
	events, delays := read(t, c)
	requests, packets := float64(c.Requests), float64(len(events))
	if share := requests / packets; math.Abs(share-0.61) > 5*0.61*0.61*math.Sqrt(0.64/requests) {
		t.Errorf("%v of the packets are requests, want 61 %%", share)
	}
	n := float64(len(delays))
	if share := n / requests; math.Abs(share-0.13) > 5*math.Sqrt(0.13*0.87/requests) {
		t.Errorf("%v of the requests are answered, want 13 %%", share)
	}
	var last unit.Time
	sum := 0.0
	for _, e := range events {
		if !e.Response {
			last = e.Time
		}
	}
	for _, d := range delays {
		sum += d.Seconds()
	}
	if math.Abs(last.Seconds()/1.14-1) > 5/math.Sqrt(requests) {
		t.Errorf("the requests take %v, want a tenth of 11.4 s", last)
	}
	sigma := 57.8e-3 * math.Sqrt(math.Exp(1.302*1.302)-1)
	if mean := sum / n; math.Abs(mean-57.8e-3) > 5*sigma/math.Sqrt(n) {
		t.Errorf("mean delay %v s, want 57.8 ms", mean)
	}
	slices.Sort(delays)
	if p99 := delays[len(delays)*99/100]; p99 < 490*unit.Millisecond || p99 > 535*unit.Millisecond {
		t.Errorf("99th percentile %v, want about 512 ms", p99)
	}
	mu := math.Log(57.8e-3) - 1.302*1.302/2
	distance(t, delays, func(d unit.Time) float64 {
		return math.Erfc(-(math.Log(d.Seconds())-mu)/1.302/math.Sqrt2) / 2
	})
}

func TestExponentialDelays(t *testing.T) {
	r := hash.Stream(1, "exponential delays")
	delays := make([]unit.Time, 50_000)
	for i := range delays {
		delays[i] = Exponential{unit.Second}.Draw(r)
	}
	distance(t, delays, func(d unit.Time) float64 { return -math.Expm1(-d.Seconds()) })
}

// In a mixture of two kinds of delays, each kind has the right share and distribution.
func TestMixture(t *testing.T) {
	l, err := ParseLaw("0.9:loguniform:1ms,2ms+0.1:loguniform:1s,4s")
	if err != nil {
		t.Fatal(err)
	}
	r := hash.Stream(1, "mixture")
	delays := make([]unit.Time, 50_000)
	for i := range delays {
		delays[i] = l.Draw(r)
	}
	distance(t, delays, func(d unit.Time) float64 {
		near, far := math.Log2(d.Seconds()*1e3), math.Log2(d.Seconds())/2
		return 0.9*min(1, max(0, near)) + 0.1*min(1, max(0, far))
	})
}

// The bytes of a trace are the same on every machine.
func TestGolden(t *testing.T) {
	c := ISP(7)
	c.Requests = 20_000
	events, _ := read(t, c)
	h := uint64(0)
	for _, e := range events {
		h = hash.Combine(h, uint64(e.Time))
		h = hash.Combine(h, e.ID)
	}
	if want := uint64(0xc4740e3ba13f5340); h != want {
		t.Errorf("hash of %d events is %#x, want %#x", len(events), h, want)
	}
}

func TestTruth(t *testing.T) {
	truth := NewTruth(100)
	take := func(time unit.Time, id uint64, response bool) (unit.Time, bool) {
		return truth.Take(&Event{time, id, response})
	}
	take(0, 1, false)
	take(10, 2, false)
	if d, ok := take(60, 1, true); !ok || d != 60 {
		t.Errorf("delay %v, %v; want 60", d, ok)
	}
	if _, ok := take(61, 1, true); ok {
		t.Error("a second response gave a delay")
	}
	take(110, 3, false)
	if _, ok := take(111, 2, true); ok {
		t.Error("a request older than the window gave a delay")
	}
	take(120, 3, false) // again
	if d, ok := take(215, 3, true); !ok || d != 95 {
		t.Errorf("delay %v, %v; want 95 from the last request", d, ok)
	}
	take(300, 4, false)
	if _, ok := take(299, 4, true); ok {
		t.Error("a response before its request gave a delay")
	}
	for i := range uint64(1000) {
		take(unit.Time(1000+i), 100+i, false)
	}
	if len(truth.waiting.sent) != 101 || len(truth.waiting.queue) > 300 {
		t.Errorf("%d requests wait in a queue of %d, want 101", len(truth.waiting.sent), len(truth.waiting.queue))
	}
}

func TestLaws(t *testing.T) {
	for _, s := range []string{"loguniform:1ms,64ms", "lognormal:57.8ms,1.302", "exponential:20us",
		"0.925:lognormal:34ms,0.8+0.075:exponential:350ms"} {
		l, err := ParseLaw(s)
		if err != nil || l.String() != s {
			t.Errorf("%q reads as %v, %v", s, l, err)
		}
	}
	for s, want := range map[string]string{
		"uniform:1ms,2ms": `law of delays "uniform:1ms,2ms": want loguniform:MIN,MAX, ` +
			`lognormal:MEAN,SIGMA or exponential:MEAN, or shares of these, 0.9:LAW+0.1:LAW`,
		"0.5:exponential:1ms":   "shares add up to 0.5, want 1",
		"2:exponential:1ms":     "shares add up to 2, want 1",
		"0:exponential:1ms":     "share 0, want more than 0",
		"1..2:exponential:1ms":  `share "1..2", want a number`,
		"1:uniform:1ms":         "want loguniform",
		"1:0.5:exponential:1ms": "want loguniform",
		"1:exponential:0s":      "want more than 0",
		"loguniform:1ms":        "want loguniform:MIN,MAX",
		"loguniform:2ms,1ms":    "want 0 < min < max",
		"lognormal:1ms,x":       `sigma = "x", want a number`,
		"lognormal:1ms,-1":      "a sigma of 0 to 5",
		"exponential:0s":        "want more than 0",
		"exponential:1 hour":    "exponential:1 hour",
		"lognormal:1ms,NaN":     "a sigma of 0 to 5",
		"exponential:1ms,2ms":   "want loguniform",
	} {
		if _, err := ParseLaw(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", s, err, want)
		}
	}
}

func FuzzParseLaw(f *testing.F) {
	for _, s := range []string{"loguniform:1ms,64ms", "lognormal:57.8ms,1.302", "exponential:20us",
		"lognormal:,", ":", "0.5:exponential:1ms+0.5:lognormal:1ms,2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLaw(s)
		if err != nil {
			return
		}
		if again, err := ParseLaw(l.String()); err != nil || again.String() != l.String() {
			t.Fatalf("%q reads as %v, which reads as %v, %v", s, l, again, err)
		}
		r := hash.Stream(1, "fuzz")
		for range 10 {
			if d := l.Draw(r); d < 0 {
				t.Fatalf("%q: delay %v", s, d)
			}
		}
	})
}

func TestBadConfig(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"requests = 0, want 1 to":                           func(c *Config) { c.Requests = 0 },
		"interval between requests = 0s, want at least 1ps": func(c *Config) { c.Interval = 0 },
		"interval between requests = 10s, want at most": func(c *Config) {
			c.Interval,
				c.Requests = 10*unit.Second, 1<<30
		},
		"answered = 2, want 0 to 1":     func(c *Config) { c.Answered = 2 },
		"orphans = NaN, want 0 to 1000": func(c *Config) { c.Orphans = math.NaN() },
		"no law of delays":              func(c *Config) { c.Delays = nil },
		"log-uniform delays from 1ms to 1us": func(c *Config) {
			c.Delays = LogUniform{unit.Millisecond,
				unit.Microsecond}
		},
	} {
		c := ISP(1)
		change(&c)
		if _, err := Generate(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	c := ISP(1)
	c.Requests = 1 << 37
	g, err := Generate(c)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var e Event
	for range b.N {
		g.Next(&e)
	}
}
