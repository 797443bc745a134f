/* PINT's global hash functions, as package pint/global defines them (family CRC):
 * 32 uniform bits of (function, instance, packet, argument). Every switch and the
 * collector get the same word. It takes three stages: CRC, substitution, CRC; the last one
 * is in front of the ALUs of its stage.
 *
 * CRC is linear: crc(a) xor crc(b) does not depend on what a and b have in common, so
 * two switches whose CRCs agree on the bits of a digest would agree on every packet.
 * The substitution of each byte between two CRCs, by the S-box of AES, breaks that.
 *
 * On TNA both CRCs are Hash externs, in the hash units in front of a stage's ALUs, and a
 * substitution is an exact match on 8 bits, four of them side by side.
 */
#ifndef PINT_HASH_P4
#define PINT_HASH_P4

const bit<8> Q_QUERY_SET = 1;  // q: which query set does a packet serve
const bit<8> H_LAYER     = 2;  // H: which layer is a packet in
const bit<8> G_ACT       = 3;  // g: does a hop act
const bit<8> H_VALUE     = 5;  // h: hash of a value
const bit<8> R_ROUND     = 8;  // random rounding
const bit<8> W_REPORT    = 9;  // which packets carry or report anything at all
const bit<8> T_TABLE     = 11; // where a flow is kept

const bit<64> ALL_WORDS = 0x100000000;

control Substitute(in bit<8> x, out bit<8> y) {
    action by(bit<8> value) {
        y = value;
    }
    table box {
        key = { x : exact; }
        actions = { by; }
        default_action = by(0);
#include "generated/substitute_entries.p4"
    }
    apply { box.apply(); }
}

control Word(in bit<32> seed, in bit<8> purpose, in bit<8> instance, in bit<64> packet,
             in bit<64> argument, out bit<32> word) {
    Substitute() substitute_3;
    Substitute() substitute_2;
    Substitute() substitute_1;
    Substitute() substitute_0;
    bit<32> y;
    bit<8> z3;
    bit<8> z2;
    bit<8> z1;
    bit<8> z0;
    apply {
        hash(y, HashAlgorithm.crc32, 32w0,
             { purpose, instance, 16w0, seed, packet, argument }, ALL_WORDS);
        substitute_3.apply(y[31:24], z3);
        substitute_2.apply(y[23:16], z2);
        substitute_1.apply(y[15:8], z1);
        substitute_0.apply(y[7:0], z0);
        hash(word, HashAlgorithm.crc32, 32w0, { z3, z2, z1, z0 }, ALL_WORDS);
    }
}

/* Reservoir sampling: hop i overwrites iff g(p, i) <= 1/i (section 4.1). The table has
 * the largest word for each hop; paths are at most 64 hops long. */
control Reservoir(in bit<8> hop, in bit<32> word, out bool overwrite) {
    bit<32> most;
    action limit(bit<32> value) {
        most = value;
    }
    table limits {
        key = { hop : exact; }
        actions = { limit; }
        default_action = limit(0);
#include "generated/reservoir_entries.p4"
    }
    apply {
        limits.apply();
        overwrite = word <= most;
    }
}

#endif
