package deploy

import (
	"fmt"
	"math"

	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/pint/global"
	"pintlab/pint/query"
)

// Params holds the keys of PINT in a scenario.
type Params struct {
	// The content of the digest. hpcc, powertcp: HPCC's utilisation or PowerTCP's power, set by the
	// keys below; combined: the queries of PINT §6.4 in the plan of our engine; combined-by-hand:
	// the same queries in the plan of the PINT paper; file: the queries of a query file.
	Plan string `yaml:"plan" default:"hpcc" oneof:"$one|$several|file" draw:"$one|$several"`
	// The query file.
	PlanPath string `yaml:"plan_path" when:"plan=file" file:"yes"`
	// Switches on the longest path between hosts. A flow has 1 KB for each query, proportionally more
	// above 5 switches. A detour may be longer and is also recorded.
	Hops int `yaml:"hops" when:"plan=$several" default:"5" range:">=1 <=64" omit:"default"`
	// Bits of a checksum of the path, which every packet carries with the digest of the plan. Packets of a flow over
	// different paths then have separate records. 0: none.
	PathChecksum int `yaml:"path_checksum" when:"plan=$several" default:"0" range:">=0 <=16" omit:"default" draw:"0|8|16"`
	// Memory of each host for each query that is recorded per flow; if it is full, the flow with
	// the oldest last packet is removed.
	Memory unit.Bytes `yaml:"memory" when:"plan=$several|file" default:"4MiB" range:">=1KiB <=16GiB" draw:"64KiB|16KiB"`
	// Size of the digest field on every data packet, for any share p. It must hold the bits of the plan.
	WireBytes unit.Bytes `yaml:"wire_bytes" default:"1B; plan=$several|file: 2B; path_checksum=8: 3B; path_checksum=16: 4B" range:">=1B <=64B"`
	// Width of the digest.
	Bits int `yaml:"bits" when:"plan=$one" default:"8" range:">=2 <=16" draw:"4..8"`
	// (1+ε)², ratio of neighbouring codes; ε = 0.025. Code 0 means a utilisation of 1/512 or a
	// power of 1/16. The largest of the 2^bits codes must mean an overloaded link: a utilisation or
	// power of at least 2.
	Base float64 `yaml:"base" when:"plan=$one" default:"1.050625; plan=powertcp: 1.033" range:">1 <=16" draw:"$bases"`
	// What randomised rounding keeps unbiased: the logarithm (paper) or the value (published
	// simulator).
	Rounding string `yaml:"rounding" when:"plan=$one" default:"log" oneof:"log|value"`
	// Share of packets whose digest is used.
	P float64 `yaml:"p" when:"plan=$one" default:"1" range:">0 <=1" draw:"1|0.0625|0.5"`
	// Where p is applied: by a global hash at the switches, or by the sender for each ACK
	// (published simulator).
	SampleAt string `yaml:"sample_at" when:"plan=hpcc" default:"switch" oneof:"switch|sender" draw:"switch"`
	// Packets that update U at a port. data: ACKs do not update U, and U loses the interval that
	// ends with an ACK (published simulator).
	EWMAOver string `yaml:"ewma_over" when:"plan=hpcc" default:"all" oneof:"all|data"`
	// Packet whose bytes enter U: the departing packet, or the packet before it (published simulator).
	EWMASize string `yaml:"ewma_size" when:"plan=hpcc" default:"current" oneof:"current|previous" draw:"current"`
	// Effect of the first digest of a flow: set the window, or only start the clock of
	// lastUpdateSeq (published simulator).
	FirstFeedback string `yaml:"first_feedback" when:"plan=hpcc|$several|file" default:"apply" oneof:"apply|skip"`
	// Arithmetic at the switch. fixed: integers and tables as in the P4 program; ns3-log: the
	// logarithm tables of the published simulator, which also rounds 512·U up to an integer before
	// encoding.
	Arithmetic string `yaml:"arithmetic" when:"plan=$one" default:"float" oneof:"$exact|ns3-log" draw:"$exact"`
	// How the switch computes U. difference: U + S + (Q-U)·τ/T in bytes (hpcc_util); appendix-b:
	// U·(T-τ)/T + Q·τ/T + S as in appendix B of the PINT paper, with table errors in all terms;
	// decrement: as appendix-b, with the first term U - U·τ/T.
	TableForm string `yaml:"table_form" when:"arithmetic=fixed & plan=hpcc" default:"difference" oneof:"$forms"`
	// q: the tables of logarithms and powers have 2^q entries.
	TableBits int `yaml:"table_bits" when:"arithmetic=fixed" default:"6; table_form=$sums: 8" range:">=4 <=12"`
	// Seed of sampling and rounding, combined with the run's seed; another seed changes only PINT.
	Seed uint64 `yaml:"seed" default:"0"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// Group returns the words that tags abbreviate.
func (Params) Group(name string) []string {
	switch name {
	case "one": // plans with a single quantity
		return []string{hpcc, powerTCP}
	case "exact": // arithmetics without the random numbers of the published simulator
		return []string{"float", "fixed"}
	case "several": // named plans of queries
		return []string{"combined", "combined-by-hand"}
	case "bases":
		return []string{"1.6", "2", "1.5", "1.050625"}
	case "sums": // forms of U with a table for each of three terms
		return []string{"appendix-b", "decrement"}
	}
	return lists.Map(fixedpoint.Forms(), fixedpoint.Form.String)
}

// Overhead returns the size of the digest field.
func (p *Params) Overhead() unit.Bytes { return p.WireBytes }

// Stack returns 0, because packets carry only a digest.
func (*Params) Stack(int, bool) int { return 0 }

// Gives returns HPCC's utilisation or PowerTCP's power. For a plan of queries, only Attach can
// check whether the plan includes the utilisation.
func (p *Params) Gives() []telemetry.Quantity {
	if p.Plan == powerTCP {
		return []telemetry.Quantity{telemetry.Power}
	}
	return []telemetry.Quantity{telemetry.Utilisation}
}

func (*Params) Otherwise(q telemetry.Quantity) (key, value string) {
	switch q {
	case telemetry.Power:
		return "plan", powerTCP
	case telemetry.Utilisation:
		return "plan", hpcc
	}
	return "", ""
}

// The plans with a single quantity in the digest.
const (
	hpcc     = "hpcc"
	powerTCP = "powertcp"
)

// Recorded returns true for plans of queries.
func (p *Params) Recorded() bool { return p.Plan != hpcc && p.Plan != powerTCP }

// Check reports settings that contradict each other.
func (p *Params) Check(c *schema.Checker) {
	c.FailForIf(!p.Recorded() && 8*p.WireBytes < unit.Bytes(p.Bits), "telemetry.bits", "telemetry.wire_bytes",
		fmt.Sprintf("too few for telemetry.bits = %d", p.Bits))
	if largest, least := p.largest(); !p.Recorded() && largest < overloaded {
		c.FailFor("telemetry.bits", "telemetry.base", fmt.Sprintf("the largest code of %s would mean a %s of only "+
			"%.3g, so no digest could report an overloaded link: want a base of at least "+
			"%g", number.Count(p.Bits, "bit"), p.Gives()[0], largest, least))
	}
	c.FailForIf(p.Plan == powerTCP && p.Arithmetic == "ns3-log", "telemetry.plan", "telemetry.arithmetic",
		"the published simulator has no PowerTCP (accepted: float, fixed)")
	c.FailForIf(p.Arithmetic == "fixed" && p.Rounding != "log", "telemetry.arithmetic", "telemetry.rounding",
		"fixed arithmetic rounds the logarithm at random (accepted: log)")
	if p.Seed != 0 && p.Arithmetic == "ns3-log" && (p.SampleAt == "sender" || p.P == 1) {
		c.FailFor("telemetry.arithmetic", "telemetry.seed",
			"has no effect: rounding with telemetry.arithmetic = ns3-log and sampling with telemetry.sample_at = "+
				"sender use the random numbers of the published simulator, which have no seed (accepted: 0)")
	}
}

// overloaded is a utilisation, or power, that every code must be able to represent: a busy link
// with one bandwidth-delay product in its queue.
const overloaded = 2

// code returns the code for a digest with a single quantity.
func (p *Params) code() approx.Config {
	c := approx.Utilization()
	if p.Plan == powerTCP {
		c = approx.PowerCode()
	}
	c.Base, c.Codes = p.Base, 1<<p.Bits
	if p.Rounding == "value" {
		c.Rounding = approx.UnbiasedValue
	}
	return c
}

// largest returns the value of the largest code, and the smallest base for which this value is
// large enough.
func (p *Params) largest() (value, leastBase float64) {
	codes, min := float64(int(1)<<p.Bits-1), p.code().Min
	least := math.Pow(overloaded/min, 1/codes)
	return min * math.Pow(p.Base, codes), math.Ceil(1e4*least) / 1e4
}

// queries compiles the plan. It returns nil if the digest contains a single quantity.
func (p *Params) queries() (*query.Plan, error) {
	if !p.Recorded() {
		return nil, nil
	}
	plan, err := compile(p.Plan, p.PlanPath, p.Hops, p.PathChecksum)
	if err != nil {
		return nil, fmt.Errorf("telemetry.%w", err)
	}
	if err := fitsIn(p.WireBytes, plan); err != nil {
		return nil, fmt.Errorf("telemetry.%w", err)
	}
	return plan, nil
}

// fitsIn returns an error if a digest field of this size is too small for the digests of the plan.
func fitsIn(wire unit.Bytes, plan *query.Plan) error {
	if least := unit.Bytes(plan.Bits+7) / 8; wire < least {
		return fmt.Errorf("wire_bytes = %v: too few bytes for the %s of the plan (accepted: %v or more)", wire,
			number.Count(plan.Bits, "bit"), least)
	}
	return nil
}

// compile compiles a named plan, for paths of up to hops switches if hops > 0, or the plan of a query file. It adds a
// checksum of the given number of bits to a named plan.
func compile(name, path string, hops, checksum int) (*query.Plan, error) {
	spec, ok := query.Preset(name)
	if ok {
		if hops > 0 {
			for i := range spec.Queries { // the memory of a flow is split over its hops
				spec.Queries[i].Space = spec.Queries[i].Space * unit.Bytes(max(hops, spec.Hops)) / unit.Bytes(spec.Hops)
			}
			spec.Hops = hops
		}
		if checksum > 0 {
			spec.AddLane(checksum)
		}
	} else {
		text, err := input.ReadFile(path, input.Settings)
		if err != nil {
			return nil, fmt.Errorf("plan_path: %w", err)
		}
		s, err := query.Parse(path, text)
		if err != nil {
			return nil, fmt.Errorf("plan_path: %w", err)
		}
		spec = *s
	}
	plan, err := query.Compile(spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", planKey(name, path), err)
	}
	return plan, nil
}

// planKey returns the key that names the plan in errors, with its value.
func planKey(name, path string) string {
	if name == "file" {
		return "plan_path = " + path
	}
	return "plan = " + name
}

// Attach attaches the digest of a single quantity, or a plan of queries, to a network.
func (p *Params) Attach(s *telemetry.Site) (*telemetry.Parts, error) {
	plan, err := p.queries()
	if err != nil {
		return nil, err
	}
	if plan != nil {
		return p.attachPlan(s, plan)
	}
	return p.attachOne(s)
}

// attachOne attaches HPCC or PowerTCP over PINT. Ports of the same rate share their arithmetic.
func (p *Params) attachOne(s *telemetry.Site) (*telemetry.Parts, error) {
	code, err := approx.New(p.code())
	if err != nil {
		return nil, err
	}
	horizon, err := s.Horizon()
	if err != nil {
		return nil, err
	}
	// The published simulator uses one random stream for the rounding of switches and the sampling
	// of senders.
	rand := newPublishedRand()
	arithmetic, err := p.arithmetic(s, horizon, code, rand)
	if err != nil {
		return nil, err
	}
	seed := global.RunSeed(s.Seed, p.Seed)
	var carries func(uint64) bool
	d := telemetry.Digest{Code: code, Mask: 1<<p.Bits - 1, SkipFirst: p.FirstFeedback == "skip"}
	switch {
	case p.SampleAt == "sender":
		// The published simulator draws for every ACK, even with p = 1.
		d.Carries = func(uint64) bool { return rand.below(p.P) }
	case p.P < 1:
		carries = share(seed, p.P)
		d.Carries = carries
	}
	feedback := telemetry.Feedback{Digest: only(p.Gives()[0], &d), Share: p.P, ShareOf: "telemetry.p"}
	parts := &telemetry.Parts{Feedback: feedback, System: &system{attached{seed: seed}, false, p.WireBytes}}
	if p.Plan == powerTCP {
		o := pint.PowerOptions{Seed: seed, Drain: drain(horizon), Carries: carries, Mask: d.Mask}
		parts.Tap = pint.NewPower(s.Net.Ports(), arithmetic, o)
		return parts, nil
	}
	parts.Tap = pint.NewUtilization(s.Net.Ports(), arithmetic, pint.UtilizationOptions{
		Seed: seed, Carries: carries, Mask: d.Mask,
		DataOnly: p.EWMAOver == "data",
		Previous: p.EWMASize == "previous",
	})
	return parts, nil
}

// drain returns the longest wait for arrivals that counts in Γ while a queue drains: an eighth of
// T, in whole ticks of a switch.
func drain(horizon unit.Time) unit.Time { return max(1, ticks(horizon)/8) * fixedpoint.Tick }

// ticks returns the horizon of a switch in ticks, rounded to a whole number.
func ticks(horizon unit.Time) unit.Time { return (horizon + fixedpoint.Tick/2) / fixedpoint.Tick }

// only returns the function Feedback.Digest for a digest that contains one quantity.
func only(q telemetry.Quantity, d *telemetry.Digest) func(telemetry.Quantity) (*telemetry.Digest, error) {
	return func(want telemetry.Quantity) (*telemetry.Digest, error) {
		if want != q {
			return nil, fmt.Errorf("the digest holds %s, not %s", q, want)
		}
		return d, nil
	}
}

// share returns a function that reports which packets carry the digest: those with q(p) below p.
func share(seed uint64, p float64) func(key uint64) bool {
	family := global.Fast(seed)
	limit := uint64(p * (1 << 32))
	return func(key uint64) bool { return uint64(family.Hash(global.QuerySet, 0, key, 0)) < limit }
}

// arithmetic returns the arithmetic of each port. Ports of the same rate share one arithmetic.
func (p *Params) arithmetic(
	s *telemetry.Site, horizon unit.Time, code *approx.Multiplicative, rand *publishedRand,
) (func(netsim.PortID) pint.Arithmetic, error) {
	var of func(unit.Rate) (pint.Arithmetic, error)
	switch p.Arithmetic {
	case "ns3-log":
		published := newPublished(rand, horizon, p.Base)
		of = func(r unit.Rate) (pint.Arithmetic, error) { return published.at(r), nil }
	case "fixed":
		tables, err := p.tables()
		if err != nil {
			return nil, err
		}
		of = func(r unit.Rate) (pint.Arithmetic, error) { return tables.NewPort(r, ticks(horizon)*fixedpoint.Tick) }
	case "float":
		of = func(r unit.Rate) (pint.Arithmetic, error) {
			if p.Plan == powerTCP {
				return approx.NewExactPower(r, horizon, code)
			}
			return approx.NewExact(r, horizon, code)
		}
	}
	return byRate(s, of)
}

// tables returns the tables of a switch with integer arithmetic.
func (p *Params) tables() (*fixedpoint.Shared, error) {
	form := fixedpoint.Power
	if p.Plan == hpcc {
		var err error
		if form, err = fixedpoint.ParseForm(p.TableForm); err != nil {
			return nil, err
		}
	}
	c := fixedpoint.ConfigOf(form, p.TableBits)
	c.Base, c.Codes = p.Base, 1<<p.Bits
	return fixedpoint.NewShared(c)
}

// byRate makes one arithmetic for all ports of the same rate.
func byRate(
	s *telemetry.Site, of func(unit.Rate) (pint.Arithmetic, error),
) (func(netsim.PortID) pint.Arithmetic, error) {
	made := map[unit.Rate]pint.Arithmetic{}
	err := s.Rates(func(r unit.Rate) (err error) {
		made[r], err = of(r)
		return err
	})
	return func(port netsim.PortID) pint.Arithmetic { return made[s.Net.PortRate(port)] }, err
}
