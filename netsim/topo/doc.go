// Package topo describes the hosts and switches of a network and the links between them, with rate and delay. A Graph
// is plain data. It comes from a generator (fat trees, leaf-spine, dumbbell, star, chain) or from a reader (the
// topology.txt of the HPCC simulators, GML, GraphML). Validate checks it; WriteDOT draws it; WriteTopology writes it.
// Package route summarises it in words.
//
// # Numbering
//
// Nodes are numbered from 0 without gaps, and links in the order of the slice. Every generator numbers the hosts first,
// from 0, and then the switches from the edge up, as topology files of the HPCC simulators do. No code here depends on
// this order: a file may number its nodes in any way.
//
// # Sources
//
//   - FatTree320: Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//     section 6.1: 16 core, 20 aggregation and 20 top-of-rack switches, 320 servers. Numbering and
//     wiring follow the topology file that the authors published with their simulator.
//   - Clos64: section 2 of the same paper asks for 64 hosts, 5 hops and 10 Gb/s and gives no switch count. Our network
//     has 4 pods of 4 + 4 switches and 16 core switches, and is not oversubscribed.
//   - FatTree8: Yang et al., "SketchINT: Empowering INT with TowerSketch for Per-flow
//     Per-switch Measurement", section VII-A: a testbed of 10 switches and 8 hosts with
//     40 Gb/s. The wiring is ours: 2 pods and 2 core switches.
//   - KAry: Al-Fares, Loukissas, Vahdat, "A scalable, commodity data center
//     network architecture", SIGCOMM 2008, section 3.
package topo
