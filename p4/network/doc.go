// Package network runs switches with P4 programs that are joined by links: each switch is a
// pipeline of package p4/interp, each egress port a first-in-first-out queue in front of a link
// of some rate and delay. Packets come from capture files and leave by ports without a link.
//
//	d, err := network.Load("chain.yaml")
//	n, err := network.New(d, program, network.Options{Seed: 1})
//	stats, err := n.Run(ctx, out)
//
// # Description
//
//	clock: us                 # what a switch counts: us, as simple_switch, or ns
//	cell: 0B                  # unit of queue depths: packets if 0
//	rate: 100Gbps             # of ports without a link
//	switches:
//	  - {name: s1, program: pint_path, commands: [s1.txt], after: [read.txt]}
//	  - {name: s2, program: pint_path, defines: [TICK_SHIFT=0], offset: 3ms}
//	links:
//	  - {from: "s1:2", to: "s2:1", rate: 100Gbps, delay: 1us}  # both ways
//	inputs:
//	  - {at: "s1:0", file: in.pcap}
//	outputs:
//	  - {from: "s2:3", file: host.pcap}
//
// program is a built-in program or a file that ends in .p4; commands are files that are obeyed
// before the first packet, after those that are obeyed after the last one. Files are relative to the description. Packets that leave
// by ports that no output names go to the caller.
//
// # Time
//
// The first packet of the inputs arrives when the clock of a switch without offset shows one
// second. A packet goes through ingress when its last bit is there, waits, goes through egress
// when it is at the head of its queue and the link is idle, and then takes its size at the rate
// of the link and the delay. Frames have no preamble, check sequence or gap. Nothing is lost in
// queues: they have no bound.
package network
