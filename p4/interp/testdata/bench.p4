// A program of the size of a link-utilisation program: Ethernet, IPv4, UDP and a telemetry
// header, eight table lookups (exact, ternary, lpm), three registers, about fifty
// statements. It computes nothing in particular.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> len; bit<16> id; bit<3> flags; bit<13> frag;
    bit<8> ttl; bit<8> proto; bit<16> sum; bit<32> src; bit<32> dst;
}
header udp_t { bit<16> sport; bit<16> dport; bit<16> len; bit<16> sum; }
header tele_t { bit<16> u; bit<8> digest; bit<8> hop; }
struct headers { ethernet_t eth; ipv4_t ip; udp_t udp; tele_t tele; }
struct meta_t {
    bit<32> now; bit<32> last; bit<32> dt; bit<32> bytes; bit<32> queue; bit<16> log_dt; bit<16> log_bytes;
    bit<16> log_queue; bit<16> log_u; bit<8> index; bit<32> term1; bit<32> term2; bit<32> term3; bit<32> u;
    bit<16> approx;
}

parser P(packet_in pkt, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        pkt.extract(hdr.eth);
        transition select(hdr.eth.type) { 0x0800: ipv4; default: accept; }
    }
    state ipv4 {
        pkt.extract(hdr.ip);
        transition select(hdr.ip.proto) { 17: udp; default: accept; }
    }
    state udp {
        pkt.extract(hdr.udp);
        transition select(hdr.udp.dport) { 9000: tele; default: accept; }
    }
    state tele { pkt.extract(hdr.tele); transition accept; }
}

control MyVerify(inout headers hdr, inout meta_t meta) { apply { } }

control MyIngress(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action forward(bit<9> port) { sm.egress_spec = port; hdr.ip.ttl = hdr.ip.ttl - 1; }
    action drop() { mark_to_drop(sm); }
    table route { key = { hdr.ip.dst : lpm; } actions = { forward; drop; } default_action = drop(); size = 1024; }
    apply { if (hdr.ip.isValid()) { route.apply(); } else { drop(); } }
}

control Log(in bit<32> value, out bit<16> result) {
    bit<16> whole = 0;
    bit<16> part = 0;
    bit<8> index = 0;
    action msb(bit<16> w, bit<8> shift) { whole = w; index = (bit<8>) (value >> shift); }
    action fraction(bit<16> f) { part = f; }
    table leading {
        key = { value : ternary; }
        actions = { msb; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x80000000 &&& 0x80000000 : msb(31 << 8, 23);
            0x40000000 &&& 0x40000000 : msb(30 << 8, 22);
            0x20000000 &&& 0x20000000 : msb(29 << 8, 21);
            0x10000000 &&& 0x10000000 : msb(28 << 8, 20);
            0x08000000 &&& 0x08000000 : msb(27 << 8, 19);
            0x04000000 &&& 0x04000000 : msb(26 << 8, 18);
            0x02000000 &&& 0x02000000 : msb(25 << 8, 17);
            0x01000000 &&& 0x01000000 : msb(24 << 8, 16);
            0x00800000 &&& 0x00800000 : msb(23 << 8, 15);
            0x00400000 &&& 0x00400000 : msb(22 << 8, 14);
            0x00200000 &&& 0x00200000 : msb(21 << 8, 13);
            0x00100000 &&& 0x00100000 : msb(20 << 8, 12);
            0x00080000 &&& 0x00080000 : msb(19 << 8, 11);
            0x00040000 &&& 0x00040000 : msb(18 << 8, 10);
            0x00020000 &&& 0x00020000 : msb(17 << 8, 9);
            0x00010000 &&& 0x00010000 : msb(16 << 8, 8);
            0x00008000 &&& 0x00008000 : msb(15 << 8, 7);
            0x00004000 &&& 0x00004000 : msb(14 << 8, 6);
            0x00002000 &&& 0x00002000 : msb(13 << 8, 5);
            0x00001000 &&& 0x00001000 : msb(12 << 8, 4);
            0x00000800 &&& 0x00000800 : msb(11 << 8, 3);
            0x00000400 &&& 0x00000400 : msb(10 << 8, 2);
            0x00000200 &&& 0x00000200 : msb(9 << 8, 1);
            0x00000100 &&& 0x00000100 : msb(8 << 8, 0);
        }
    }
    table mantissa { key = { index : exact; } actions = { fraction; NoAction; } const default_action = NoAction(); size = 256; }
    apply {
        leading.apply();
        mantissa.apply();
        result = whole + part;
    }
}

control MyEgress(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<32>>(512) last_time;
    register<bit<32>>(512) byte_count;
    register<bit<32>>(512) utilisation;
    Log() log_time;
    Log() log_bytes;
    Log() log_u;
    action exp(bit<32> v) { meta.u = v; }
    table power { key = { meta.term1[15:8] : exact; } actions = { exp; NoAction; } const default_action = NoAction(); size = 256; }
    apply {
        if (hdr.tele.isValid()) {
            bit<32> port = (bit<32>) sm.egress_port;
            meta.now = (bit<32>) sm.egress_global_timestamp;
            last_time.read(meta.last, port);
            last_time.write(port, meta.now);
            meta.dt = meta.now - meta.last;
            if (meta.dt > 0xffff) { meta.dt = 0xffff; }
            bit<32> count;
            byte_count.read(count, port);
            meta.bytes = count + sm.packet_length;
            byte_count.write(port, meta.bytes);
            meta.queue = (bit<32>) sm.deq_qdepth;
            log_time.apply(meta.dt, meta.log_dt);
            log_bytes.apply(meta.bytes, meta.log_bytes);
            utilisation.read(meta.u, port);
            log_u.apply(meta.u, meta.log_u);
            meta.term1 = (bit<32>) (meta.log_bytes |-| meta.log_dt);
            meta.term2 = (bit<32>) (meta.log_u + 5);
            meta.term3 = meta.term1 + (meta.term2 >> 3);
            power.apply();
            meta.u = (meta.u - (meta.u >> 4)) + (meta.term3 >> 4);
            utilisation.write(port, meta.u);
            meta.approx = meta.u[23:8];
            if (meta.approx > hdr.tele.u) { hdr.tele.u = meta.approx; }
            hdr.tele.hop = hdr.tele.hop + 1;
            bit<16> h;
            hash(h, HashAlgorithm.crc16, 16w0, { hdr.ip.src, hdr.ip.dst, hdr.ip.id, hdr.tele.hop }, 32w65536);
            if (h[3:0] == 0) { hdr.tele.digest = hdr.tele.digest ^ (bit<8>) sm.egress_port; }
        }
    }
}

control MyCompute(inout headers hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.ip.isValid(), { hdr.ip.version, hdr.ip.ihl, hdr.ip.tos, hdr.ip.len, hdr.ip.id, hdr.ip.flags,
            hdr.ip.frag, hdr.ip.ttl, hdr.ip.proto, hdr.ip.src, hdr.ip.dst }, hdr.ip.sum, HashAlgorithm.csum16);
    }
}

control MyDeparser(packet_out pkt, in headers hdr) { apply { pkt.emit(hdr); } }

V1Switch(P(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
