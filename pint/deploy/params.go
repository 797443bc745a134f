package deploy

import (
	"fmt"
	"math"

	"pintlab/internal/hash"
	"pintlab/internal/input"
	"pintlab/internal/schema"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/pint/global"
	"pintlab/pint/query"
	"pintlab/transport/ns3"
)

// Params are the keys of PINT in a scenario.
type Params struct {
	// What the digest holds: HPCC's utilisation alone, set by the keys below; the combined
	// queries of PINT §6.4, as our engine plans them or as the paper does; or a query file.
	Plan string `yaml:"plan" default:"hpcc" oneof:"hpcc|combined|combined-by-hand|file"`
	// The query file.
	PlanPath string `yaml:"plan_path" when:"plan=file" file:"yes"`
	// Memory of each host for each query that is recorded per flow; the flow that has been
	// silent for longest is forgotten.
	Memory unit.Bytes `yaml:"memory" when:"plan=combined|combined-by-hand|file" default:"4MiB" range:">=1KiB <=16GiB"`
	// Size of the digest's field on every data packet, whatever the share p.
	WireBytes unit.Bytes `yaml:"wire_bytes" default:"1B; plan=combined|combined-by-hand: 2B" range:">=1B <=64B"`
	// Width of the digest.
	Bits int `yaml:"bits" when:"plan=hpcc" default:"8" range:">=2 <=16"`
	// (1+ε)², ratio of two neighbouring codes; ε = 0.025. The largest of the 2^bits codes must
	// stand for an overloaded link: a utilisation of at least 2.
	Base float64 `yaml:"base" when:"plan=hpcc" default:"1.050625" range:">1 <=16"`
	// What randomized rounding keeps unbiased: the logarithm (paper) or the value (published
	// simulator).
	Rounding string `yaml:"rounding" when:"plan=hpcc" default:"log" oneof:"log|value"`
	// Share of packets whose digest is used.
	P float64 `yaml:"p" when:"plan=hpcc" default:"1" range:">0 <=1"`
	// Who applies p: a global hash at the switches, or the sender for each ACK (published
	// simulator).
	SampleAt string `yaml:"sample_at" when:"plan=hpcc" default:"switch" oneof:"switch|sender"`
	// Packets that update U at a port; data: an ACK loses the interval that ends with it
	// (published simulator).
	EWMAOver string `yaml:"ewma_over" when:"plan=hpcc" default:"all" oneof:"all|data"`
	// Packet whose bytes enter U: the one being dequeued, or the one before (published
	// simulator).
	EWMASize string `yaml:"ewma_size" when:"plan=hpcc" default:"current" oneof:"current|previous"`
	// What the first digest of a flow does: set the window, or only start the clock of
	// lastUpdateSeq (published simulator).
	FirstFeedback string `yaml:"first_feedback" default:"apply" oneof:"apply|skip"`
	// Arithmetic of U at the switch; fixed: integers and tables, as the P4 program has them; ns3-log: the
	// logarithm tables of the published simulator, which also round 512·U up to an integer before encoding.
	Arithmetic string `yaml:"arithmetic" when:"plan=hpcc" default:"float" oneof:"float|fixed|ns3-log"`
	// How the switch computes U: as a difference, U + S + (Q-U)·τ/T in bytes (hpcc_util); as appendix B
	// of the paper, U·(T-τ)/T + Q·τ/T + S, on all of which the tables' error acts; or with its first
	// term as U - U·τ/T.
	TableForm string `yaml:"table_form" when:"arithmetic=fixed" default:"difference" oneof:"difference|appendix-b|decrement"`
	// q: the tables of logarithms and powers have 2^q entries.
	TableBits int `yaml:"table_bits" when:"arithmetic=fixed" default:"6; table_form=appendix-b|decrement: 8" range:">=4 <=12"`
	// Seed of sampling and rounding, on top of the run's seed: varies PINT alone.
	Seed uint64 `yaml:"seed" default:"0"`
}

// Overhead is the field of the digest.
func (p *Params) Overhead() unit.Bytes { return p.WireBytes }

// Stack is 0: a digest is all that packets carry.
func (*Params) Stack(int, bool) int { return 0 }

// Gives is HPCC's utilisation; whether a plan of queries has it, Attach finds out.
func (*Params) Gives() []telemetry.Quantity {
	return []telemetry.Quantity{telemetry.Utilisation}
}

// Recorded is true for plans of queries.
func (p *Params) Recorded() bool { return p.Plan != "hpcc" }

// Check reports settings that contradict each other.
func (p *Params) Check(c *schema.Checker) {
	if p.Plan == "hpcc" && 8*p.WireBytes < unit.Bytes(p.Bits) {
		c.FailFor("telemetry.bits", "telemetry.wire_bytes", fmt.Sprintf("too few for telemetry.bits = %d", p.Bits))
	}
	if largest, least := p.largest(); p.Plan == "hpcc" && largest < overloaded {
		c.FailFor("telemetry.bits", "telemetry.base", fmt.Sprintf("the largest code of %d bits would stand for a utilisation of %.3g, so that no digest could say that a link is overloaded: want a base of at least %g", p.Bits, largest, least))
	}
	if p.Arithmetic == "fixed" && p.Rounding != "log" {
		c.FailFor("telemetry.arithmetic", "telemetry.rounding", "fixed arithmetic rounds the logarithm at random (accepted: log)")
	}
	if p.Seed != 0 && p.Arithmetic == "ns3-log" && (p.SampleAt == "sender" || p.P == 1) {
		c.FailFor("telemetry.arithmetic", "telemetry.seed", "has no effect: telemetry.arithmetic = ns3-log rounds, and telemetry.sample_at = sender draws, by the random numbers of the published simulator, which have no seed (accepted: 0)")
	}
}

// overloaded is a utilisation that every code must be able to tell: a link that is busy all
// the time with one bandwidth-delay product in its queue.
const overloaded = 2

// largest is the utilisation for which the largest code stands, and the base from which on
// it is enough.
func (p *Params) largest() (value, leastBase float64) {
	codes, min := float64(int(1)<<p.Bits-1), approx.Utilization().Min
	least := math.Pow(overloaded/min, 1/codes)
	return min * math.Pow(p.Base, codes), math.Ceil(1e4*least) / 1e4
}

// PlanOfQueries compiles the plan; nil if the digest holds HPCC's utilisation alone.
func (p *Params) PlanOfQueries() (*query.Plan, error) {
	var spec query.Spec
	switch p.Plan {
	case "combined":
		spec = query.Combined()
	case "combined-by-hand":
		spec = query.CombinedByHand()
	case "file":
		text, err := input.ReadFile(p.PlanPath, input.Settings)
		if err != nil {
			return nil, fmt.Errorf("telemetry.plan_path: %w", err)
		}
		s, err := query.Parse(p.PlanPath, text)
		if err != nil {
			return nil, err
		}
		spec = *s
	default:
		return nil, nil
	}
	plan, err := query.Compile(spec)
	if err != nil {
		return nil, fmt.Errorf("telemetry.plan = %s: %w", p.Plan, err)
	}
	if 8*p.WireBytes < unit.Bytes(plan.Bits) {
		return nil, fmt.Errorf("telemetry.wire_bytes = %v: too few for the %d bits of the plan", p.WireBytes, plan.Bits)
	}
	return plan, nil
}

// Attach puts the digest of HPCC's utilisation, or a plan of queries, into a network.
func (p *Params) Attach(s *telemetry.Site) (*telemetry.Parts, error) {
	plan, err := p.PlanOfQueries()
	if err != nil {
		return nil, err
	}
	if plan != nil {
		return p.attachPlan(s, plan)
	}
	return p.attachUtilisation(s)
}

// RunSeed is the seed of everything that PINT draws in a run.
func (p *Params) RunSeed(run uint64) uint64 {
	return hash.Combine(hash.Combine(hash.String("pint"), run), p.Seed)
}

// attachUtilisation is HPCC over PINT. Ports of one rate share their arithmetic.
func (p *Params) attachUtilisation(s *telemetry.Site) (*telemetry.Parts, error) {
	cfg := approx.Utilization()
	cfg.Base, cfg.Codes = p.Base, 1<<p.Bits
	if p.Rounding == "value" {
		cfg.Rounding = approx.UnbiasedValue
	}
	code, err := approx.New(cfg)
	if err != nil {
		return nil, err
	}
	horizon, err := s.Horizon()
	if err != nil {
		return nil, err
	}
	// The published simulator draws the rounding of switches and the sampling of senders
	// from one stream.
	rand := ns3.NewRand()
	arithmetic, err := p.arithmetic(s, horizon, code, rand)
	if err != nil {
		return nil, err
	}
	o := pint.UtilizationOptions{
		Seed:     p.RunSeed(s.Seed),
		Mask:     1<<p.Bits - 1,
		DataOnly: p.EWMAOver == "data",
		Previous: p.EWMASize == "previous",
	}
	d := telemetry.Digest{Code: code, Mask: o.Mask, SkipFirst: p.FirstFeedback == "skip"}
	switch {
	case p.SampleAt == "sender":
		// The published simulator draws for every ACK, also with p = 1.
		d.Carries = func(uint64) bool { return rand.Below(p.P) }
	case p.P < 1:
		o.Carries = share(p.RunSeed(s.Seed), p.P)
		d.Carries = o.Carries
	}
	return &telemetry.Parts{
		Tap:      pint.NewUtilization(s.Net.Ports(), arithmetic, o),
		Feedback: telemetry.Feedback{Digest: only(telemetry.Utilisation, &d)},
	}, nil
}

// only is a digest that holds one quantity.
func only(q telemetry.Quantity, d *telemetry.Digest) func(telemetry.Quantity) (*telemetry.Digest, error) {
	return func(want telemetry.Quantity) (*telemetry.Digest, error) {
		if want != q {
			return nil, fmt.Errorf("the digest holds %s, not %s", q, want)
		}
		return d, nil
	}
}

// share says which packets carry the digest: q(p) below p.
func share(seed uint64, p float64) func(key uint64) bool {
	family := global.Fast(seed)
	limit := uint64(p * (1 << 32))
	return func(key uint64) bool { return uint64(family.Hash(global.QuerySet, 0, key, 0)) < limit }
}

// arithmetic makes the arithmetic of U at each port.
func (p *Params) arithmetic(s *telemetry.Site, horizon unit.Time, code *approx.Multiplicative, rand *ns3.Rand) (func(netsim.PortID) pint.Arithmetic, error) {
	var of func(unit.Rate) (pint.Arithmetic, error)
	switch p.Arithmetic {
	case "ns3-log":
		logs := ns3.NewLogs()
		of = func(r unit.Rate) (pint.Arithmetic, error) {
			return ns3.NewArithmetic(rand, logs, r, horizon, p.Base), nil
		}
	case "fixed":
		form, err := fixedpoint.ParseForm(p.TableForm)
		if err != nil {
			return nil, err
		}
		c := fixedpoint.ConfigOf(form, p.TableBits)
		c.Base, c.Codes = p.Base, 1<<p.Bits
		tables, err := fixedpoint.NewShared(c)
		if err != nil {
			return nil, err
		}
		// The horizon of a switch is a whole number of ticks.
		ticks := (horizon + fixedpoint.Tick/2) / fixedpoint.Tick
		of = func(r unit.Rate) (pint.Arithmetic, error) { return tables.NewPort(r, ticks*fixedpoint.Tick) }
	default:
		of = func(r unit.Rate) (pint.Arithmetic, error) { return approx.NewExact(r, horizon, code) }
	}
	return byRate(s, of)
}

// byRate makes one arithmetic for all ports of a rate.
func byRate(s *telemetry.Site, of func(unit.Rate) (pint.Arithmetic, error)) (func(netsim.PortID) pint.Arithmetic, error) {
	made := map[unit.Rate]pint.Arithmetic{}
	err := s.Rates(func(r unit.Rate) (err error) {
		made[r], err = of(r)
		return err
	})
	return func(port netsim.PortID) pint.Arithmetic { return made[s.Net.PortRate(port)] }, err
}
