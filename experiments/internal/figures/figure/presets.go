package figure

// Parameters that papers and published simulators use for certain rates and round-trip times. Figures set these
// parameters if their network has such a rate and round-trip time. In other networks, the defaults are computed from
// the network.
var (
	// Swift contains our own parameters for 100 Gb/s and a base RTT of 12 us.
	Swift = []string{"cc.base_target=10us", "cc.hop_target=2us", "cc.fs_range=30us", "cc.max_cwnd=10000"}
	// TIMELY contains the parameters of the TIMELY paper (§5), for 10 Gb/s.
	TIMELY = []string{"cc.t_low=50us", "cc.t_high=500us", "cc.min_rtt=20us", "cc.segment=16KB", "cc.rate_ai=10Mbps",
		"cc.min_rate=10Mbps"}
	// DCQCN contains the parameters of the DCQCN paper (§5), for 40 Gb/s.
	DCQCN = []string{
		"cc.cnp_interval=50us", "cc.alpha_timer=55us", "cc.timer=55us", "cc.byte_counter=10MB",
		"cc.rate_ai=40Mbps", "cc.rate_hai=400Mbps", "cc.min_rate=10Mbps",
	}
	// PublishedTIMELY, PublishedDCQCN and PublishedDCTCP are presets of the published HPCC simulator
	// at 100 Gb/s.
	PublishedTIMELY = []string{
		"cc.variant=ns3", "cc.t_low=50us", "cc.t_high=500us", "cc.min_rtt=20us",
		"cc.rate_ai=100Mbps", "cc.rate_hai=500Mbps", "cc.min_rate=1Gbps",
	}
	PublishedDCQCN = []string{"cc.variant=ns3", "cc.rate_ai=20Mbps", "cc.rate_hai=200Mbps", "cc.min_rate=1Gbps"}
	PublishedDCTCP = []string{"cc.form=rate", "cc.rate_ai=615Mbps", "cc.min_rate=1Gbps"}
	// IRN contains the parameters of the IRN paper (§4.1).
	IRN = []string{"transport.rto_low=100us", "transport.rto_high=320us"}
)
