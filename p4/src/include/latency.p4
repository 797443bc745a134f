/* Median and tail latency (sections 4.1 and 5): latency, compress, g, overwrite. The
 * code is multiplicative, 1 ns to 60 µs in 8 bits; one table of prefixes
 * gives it with 8 fractional bits, to which 8 random ones are added: PINT's [·]_R. */
#ifndef PINT_LATENCY_P4
#define PINT_LATENCY_P4

control LatencyDigest(in bit<32> seed, in bit<64> packet, in bit<8> hop,
                      in bit<32> ingress_tick, in bit<32> egress_tick, inout bit<8> field) {
    Word() round_hash;
    Word() act_hash;
    Reservoir() reservoir;
    bit<32> latency;
    bit<32> g;
    bit<32> dice;
    bit<16> code;
    bool overwrite;
    action encode(bit<16> value) {
        code = value + (bit<16>)dice[31:24];
    }
    table compress {
        key = { latency : lpm; }
        actions = { encode; }
        default_action = encode(0);
#include "generated/latency_code_entries.p4"
    }
    apply {
        round_hash.apply(seed, R_ROUND, 0, packet, 0, dice);
        act_hash.apply(seed, G_ACT, 0, packet, (bit<64>)hop, g);
        latency = egress_tick - ingress_tick;
        compress.apply();
        reservoir.apply(hop, g, overwrite);
        if (overwrite) { field = code[15:8]; }
    }
}

#endif
