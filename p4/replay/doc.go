// Package replay runs packets of capture files through a P4 program or a network of switches. It also runs packet
// tests on a program. It reads and writes the files that the commands p4 run and p4 test name.
//
// # Networks
//
// Each switch of a network is a pipeline of package p4/interp. Each egress port is a first-in-first-out
// queue in front of a link with a rate and a delay. Packets come from capture files and leave through
// ports without a link. A file describes the network:
//
//	clock: us                 # unit of the switches' clocks: us, as in simple_switch, or ns (with TICK_SHIFT=0)
//	cell: 0B                  # unit of queue depths: packets if 0
//	rate: 100Gbps             # of ports without a link
//	switches:
//	  - {name: s1, program: pint_path, commands: [s1.txt], after: [read.txt]}
//	  - {name: s2, program: pint_path, defines: [QUEUE_SHIFT=6], offset: 3ms}
//	links:
//	  - {from: "s1:2", to: "s2:1", rate: 100Gbps, delay: 1us}  # both ways
//	inputs:
//	  - {at: "s1:0", file: in.pcap}
//	outputs:
//	  - {from: "s2:3", file: host.pcap}
//
// program is a built-in program or a file that ends in .p4. commands are files of commands that run before
// the first packet; after are files of commands that run after the last one. Files are relative to the
// description. Packets that leave through ports without an output go to --out.
//
// # Time in a network
//
// The first packet of the inputs arrives when the clock of a switch without offset shows one second. A packet goes
// through ingress when its last bit has arrived. It goes through egress when it is at the head of its queue and the
// link is idle. The time on the link is then the packet's size divided by the rate of the link, plus the delay.
// Frames have no preamble, check sequence or gap. If a file contains only the first bytes of a packet, the packet
// still counts with its whole length. Queues have no bound and lose nothing.
package replay
