package sim

import (
	"context"
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/internal/schema"
	"pintlab/netsim"
	"pintlab/transport"
)

// Choices returns the values of the scenario's settings that are auto. It builds the network but no flows.
func Choices(ctx context.Context, sc scenario.Scenario) ([]schema.Settled, error) {
	if len(schema.Autos(&sc)) == 0 {
		return nil, nil
	}
	s := &Simulation{Scenario: sc.Clone(), stop: ctx.Err}
	if err := s.buildGraph(); err != nil {
		return nil, err
	}
	cfg, err := s.configure()
	if err == nil {
		err = s.choose(cfg)
	}
	return s.Choices, err
}

// choose sets the scenario's settings that are auto. They depend only on rates, delays and routes, and so
// not on the number of workers. If there are such settings, choose builds a network without marking for
// them.
func (s *Simulation) choose(cfg netsim.Config) (err error) {
	sc := &s.Scenario
	if len(schema.Autos(sc)) == 0 {
		return nil
	}
	if s.Net, err = s.network(cfg); err != nil {
		return err
	}
	set := s.setting()
	c := &transport.Choices{List: sc.SettleRails()}
	offer := func(prefix string, part any) {
		if p, ok := part.(transport.FromNetwork); ok {
			c.Prefix = prefix
			p.Choose(set, c)
		}
	}
	if cfg.Trim != nil {
		offer("network.trimming.", &sc.Network.Trimming)
		s.trim(&cfg)
		set.Queue = s.rules.queue
	}
	if w, ok := sc.CC.Params.(transport.Waiting); ok {
		wait, from := w.Timeout(set)
		c.Prefix = "transport."
		transport.Choose(c, "rto_initial", &sc.Transport.RTOInitial, wait, from, transport.AtMost(sc.Transport.RTOMax, "transport.rto_max"))
	}
	offer("transport.", &sc.Transport)
	offer("cc.", sc.CC.Params)
	for i, m := range sc.Monitors {
		offer(fmt.Sprintf("monitors.%d.", i), m.Params)
	}
	if sc.Network.ECN.Enabled {
		c.Prefix = "network.ecn."
		sc.Network.ECN.Choose(marking(sc.CC.Params, set), set, c)
	}
	s.Choices = c.List
	if left := schema.Autos(sc); len(left) > 0 {
		return fmt.Errorf("%s: nothing gives it a value", left[0])
	}
	return s.halted
}

// marking returns the marking thresholds that the congestion control requests. For a control that reads no
// marks, it returns one bandwidth-delay product, as for the TCPs.
func marking(control any, set *transport.Setting) transport.Marking {
	if m, ok := control.(transport.Marker); ok {
		return m.Marking(set)
	}
	return set.MarkBDP(1, "rate x largest base RTT")
}
