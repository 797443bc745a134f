// ewma averages the lengths of IPv4 packets: each counts an eighth. A register keeps the average.
#include <core.p4>
#include <v1model.p4>
header udp_t { bit<16> src; bit<16> dst; bit<16> len; bit<16> sum; }
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header ipv4_t { bit<8> vihl; bit<8> tos; bit<16> len; bit<64> rest; bit<32> src; bit<32> dst; }
struct headers { ethernet_t ethernet; ipv4_t ipv4; udp_t udp; }
struct metadata { bit<32> mean; }
parser P(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
    state start { p.extract(hdr.ethernet); p.extract(hdr.ipv4); p.extract(hdr.udp); transition accept; }
}
control V(inout headers hdr, inout metadata m) { apply { } }
control I(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
    register<bit<32>>(4) average;
    apply {
        bit<32> old;
        average.read(old, 0);
        // Shifts in place of divisions cut off fractions, so the error is less than 1.
        m.mean = old - (old >> 3) + ((bit<32>) hdr.ipv4.len >> 3);
        average.write(0, m.mean);
        s.egress_spec = 2;
    }
}
control E(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr.ethernet); p.emit(hdr.ipv4); p.emit(hdr.udp); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
