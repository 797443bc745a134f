// Package chamelemon is ChameleMon, a monitor: sketches at the edge of the network find which flows lost packets, and
// how many, and a controller divides their memory according to the state of the network.
//
//	Yang et al., "ChameleMon: Shifting Measurement Attention as Network State Changes", SIGCOMM 2023.
//
// The procedures follow the authors' code (github ChameleMoncode/ChameleMon, 88c611f). We do not know the paper's
// figures and the length of its epoch.
//
// # Edge switches
//
// A packet that enters the network is counted in a TowerSketch (int/sketch/tower). The size of its flow in this epoch
// selects one of three parts: heavy hitters (HH) from T_h on, candidates of heavy losses (HL) from T_l on, and light
// losses (LL) below. In LL, only a share of the flows is encoded. A hash chooses these flows. Each part is a
// FermatSketch (int/sketch/fermat) with three arrays. A packet that leaves the network is counted by its last switch in
// the part LL or HL. At egress, packets of HH are counted in HL. The packet carries the part and the lowest bit of the
// epoch in which it entered, so that both ends count it in the same sketches. There are two copies of all sketches, for
// even and odd epochs.
//
// # Controller
//
// The controller decodes HH of each switch and adds the flows to HL. Then it adds up the sketches of all switches, and
// subtracts the packets that have left from the packets that have entered. The difference is the number of lost packets
// of each flow. control.go contains the rules of both states, healthy and ill.
//
// # Choices
//
//   - Data packets count. Each transmission that reaches a switch counts separately. A trimmed packet that arrives is
//     not lost. A packet that its switch returns to the source is lost.
//   - The code counts packets when they come in. Here a packet is counted when it leaves the queue of its first switch,
//     or when this switch drops it, so that losses in the queues of the edge are also found.
//   - The number of a flow is a hash of 64 bits, which stands for the 5-tuple. The controller knows the 5-tuple of each
//     number. With key: 32-bit, only the low 32 bits are used, as in the code for processors. The accounting of memory
//     depends on this key.
//   - The controller reads an epoch at the end of the next one, without messages on the network. Its decision applies
//     to the epoch after that. So the setting of each copy of the sketches depends on the epochs of this copy only. A
//     packet that takes longer than the next epoch is counted as lost, and disturbs another epoch. The last two epochs
//     are read when the run ends.
//   - A part that must change gets a width for 1.95 flows in each bucket of an array, the middle of the published range
//     of 1.8 to 2.1. T_h depends on the switch with the most heavy hitters. MRAC (int/sketch/mrac) estimates the sizes
//     of the flows there in a few rounds.
//   - A flow's size, for T_l, is the estimate of its first switch. If no victim was decoded, T_l grows in proportion to
//     the excess of flows in HL.
//   - Part and epoch fit into unused bits of the IP header. The key tag is for a design that adds bytes.
package chamelemon
