// The beginning of most conformance programs: one header of 16 bytes with fields to
// compute on, and a parser that extracts it. The rest of the packet is payload.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8>  op;
    bit<8>  n;
    bit<16> s;
    bit<32> a;
    bit<32> b;
    bit<32> r;
}

struct headers { data_t d; }
struct meta_t { bit<32> x; bit<32> y; bool flag; }

parser P(packet_in pkt, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        pkt.extract(hdr.d);
        transition accept;
    }
}
