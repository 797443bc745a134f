package dctcp

import (
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/reno"
)

// Params are the keys of DCTCP in a scenario. The defaults are from RFC 8257 and the published
// simulator. Rates follow from the network.
type Params struct {
	// What is updated: the window of TCP (paper) or a rate (published simulator).
	Form string `yaml:"form" default:"window" oneof:"window|rate"`
	// g, weight of the latest window in alpha.
	Gain float64 `yaml:"gain" default:"0.0625" range:">0 <=1" draw:"0.0625|1"`
	// Full packets before the first ACK.
	InitialWindow int `yaml:"initial_window" when:"form=window" default:"10" range:">=1 <=10000" draw:"1..20"`
	// Window at which the first slow start ends, or "none": it ends with the first loss or mark.
	InitialThreshold unit.Limit `yaml:"initial_ssthresh" when:"form=window" default:"none" range:">0B"`
	// Increase of the rate once per window; auto: one packet per largest base RTT (RFC 8257, §3.3).
	RateAI unit.Rate `yaml:"rate_ai" when:"form=rate" default:"auto" range:">=0bps" draw:"615Mbps|0bps"`
	// Smallest rate; the largest is the NIC's. auto: a hundredth of the slowest host's or link's (published simulator).
	MinRate unit.Rate `yaml:"min_rate" when:"form=rate" default:"auto" range:">0bps" draw:"500Mbps"`
	// Bytes in flight: no limit, rate times base RTT, or line rate times base RTT.
	Window string `yaml:"window" when:"form=rate" default:"scaled" oneof:"none|scaled|constant"`
	// Base RTT of the window: the largest of the network, or the flow's.
	RTT string `yaml:"rtt" when:"window=scaled|constant" default:"max" oneof:"max|path"`
}

// Default returns the parameters with the defaults of their tags. A run replaces the values that are auto (Choose).
func Default() Params { return schema.Default[Params]() }

func (p *Params) Choose(s *transport.Setting, c *transport.Choices) {
	transport.Choose(c, "rate_ai", &p.RateAI, s.PerRTT(), "a packet for the largest base RTT", s.OneBit())
	s.ChooseLeast(c, &p.MinRate, 100, "")
}

// Marking implements transport.Marker. K is a seventh of the bandwidth-delay product (DCTCP paper,
// §3.4, equation 13).
func (*Params) Marking(s *transport.Setting) transport.Marking {
	return s.MarkBDP(7, "rate x largest base RTT / 7 (DCTCP, equation 13)")
}

// Needs requires marks, and TCP or, with form rate, RDMA-like loss recovery.
func (p *Params) Needs() transport.Needs {
	if p.Form == "rate" {
		return transport.Needs{Loss: transport.RDMALoss, Marking: true, NextPacket: true}
	}
	return transport.Needs{Loss: transport.TCPLoss, Pacing: transport.Unpaced, Marking: true}
}

// New makes the controllers of a run.
func (p *Params) New(s *transport.Setting) (transport.Factory, error) {
	if p.Form == "rate" {
		if err := s.CheckMinRate(p.MinRate); err != nil {
			return nil, err
		}
		rated, c := transport.Rated{Limit: s.Window(p.Window, p.RTT)}, *p
		return func() transport.Controller { return &rateSender{Rated: rated, cfg: &c} }, nil
	}
	return func() transport.Controller {
		r := reno.Params{InitialWindow: p.InitialWindow, InitialThreshold: p.InitialThreshold}
		return &windowSender{Sender: reno.NewSender(r), gain: p.Gain}
	}, nil
}
