package sim

import (
	"context"
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/internal/schema"
	"pintlab/netsim"
	"pintlab/transport"
)

// Choices returns the values of the settings that a scenario leaves to its network ("auto"). It builds
// the network, but no flows.
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

// choose gives the settings that the scenario leaves to its network their values. They follow from
// rates, delays and routes alone, which are the same for any number of workers. It builds a network
// without marks for that, if there is such a setting.
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

// marking returns the thresholds at which the congestion control wants switches to mark. One that reads no marks has no
// wish; a bandwidth-delay product is what the TCPs have.
func marking(control any, set *transport.Setting) transport.Marking {
	if m, ok := control.(transport.Marker); ok {
		return m.Marking(set)
	}
	return set.MarkBDP(1, "rate x largest base RTT")
}
