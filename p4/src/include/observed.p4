/* What a switch knows of a packet: TNA offers it as intrinsic metadata, v1model does not,
 * or not in a usable unit (its clock ticks once per microsecond, its queues count
 * packets). A packet may bring it along, between Ethernet and IP, so that it gives the
 * same result on every target; without the header, programs use what v1model has.
 *
 * include/packet.p4 has the same header in front of PINT's.
 */
#ifndef OBSERVED_P4
#define OBSERVED_P4

const bit<16> TYPE_OBSERVED = 0x88b5; // local experiments

header observed_t {
    bit<32> switch_id;
    bit<32> ingress_tick; // nanoseconds, wrapping around
    bit<32> egress_tick;
    bit<32> queue;        // bytes left in the queue of the egress port
    bit<32> size;         // bytes of this packet on the wire
    bit<16> type;         // of what follows
}

#endif
