#include <core.p4>
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header x_t { bit<16> h; bit<8> n; bit<8> last; }
struct headers { eth_t eth; x_t[3] x; }
struct meta_t { bit<8> m; }
parser P(packet_in b, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { b.extract(hdr.eth); transition select(hdr.eth.type) { 0x1: more; default: accept; } }
    state more { b.extract(hdr.x.next); transition select(hdr.x.last.last) { 0: more; default: accept; } }
}
control V(inout headers hdr, inout meta_t meta) { apply {} }
control I(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(4, CounterType.packets_and_bytes) c;
    direct_counter(CounterType.packets) dc;
    register<bit<16>>(4) r;
    action to(bit<9> port) { sm.egress_spec = port; }
    action drop() { mark_to_drop(sm); }
    action mc(bit<16> g) { sm.mcast_grp = g; }
    table t1 { key = { hdr.x[0].isValid() : exact; hdr.x[1].h : ternary; hdr.eth.dst : exact; } actions = { to; drop; mc; } counters = dc; default_action = drop(); }
    table t2 { key = { hdr.eth.src : lpm; } actions = { drop; NoAction; } default_action = NoAction(); }
    table t3 { key = { hdr.eth.src[7:0] : exact @name("low"); sm.ingress_port : exact; } actions = { drop; NoAction; } default_action = NoAction(); }
    table t4 { key = { hdr.eth.type : range; } actions = { drop; NoAction; } default_action = NoAction(); }
    apply { c.count((bit<32>)sm.ingress_port); if (t1.apply().hit) { t2.apply(); t3.apply(); t4.apply(); } bit<16> v; r.read(v, 1); hdr.eth.type = hdr.eth.type + v; }
}
control E(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) { apply {} }
control C(inout headers hdr, inout meta_t meta) { apply {} }
control D(packet_out b, in headers hdr) { apply { b.emit(hdr.eth); b.emit(hdr.x); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
