/* PINT's global hash functions, as package pint/global defines them (family CRC):
 * 32 uniform bits of (function, instance, packet, argument). Every switch and the
 * collector get the same word. It takes five stages: the first CRC runs in front of the
 * first addition, the second one in a stage of its own.
 *
 * CRC is linear: crc(a) xor crc(b) does not depend on what a and b have in common, so
 * two switches whose CRCs agree on the bits of a digest would agree on every packet.
 * Four additions between two CRCs break that.
 *
 * On TNA both CRCs are Hash externs, in the hash units in front of a stage's ALUs.
 */
#ifndef PINT_HASH_P4
#define PINT_HASH_P4

const bit<8> Q_QUERY_SET = 1;  // q: which query set does a packet serve
const bit<8> H_LAYER     = 2;  // H: which layer is a packet in
const bit<8> G_ACT       = 3;  // g: does a hop act
const bit<8> H_VALUE     = 5;  // h: hash of a value
const bit<8> R_ROUND     = 8;  // random rounding
const bit<8> T_TABLE     = 11; // where a flow is kept

const bit<64> ALL_WORDS = 0x100000000;

control Word(in bit<32> seed, in bit<8> purpose, in bit<8> instance, in bit<64> packet,
             in bit<64> argument, out bit<32> word) {
    bit<32> y;
    bit<16> hi;
    bit<16> lo;
    apply {
        hash(y, HashAlgorithm.crc32, 32w0,
             { purpose, instance, 16w0, seed, packet, argument }, ALL_WORDS);
        hi = y[31:16];
        lo = y[15:0];
        hi = hi + lo;
        lo = lo + (hi[10:0] ++ hi[15:11]);
        hi = hi + (lo[12:0] ++ lo[15:13]);
        lo = lo + (hi[8:0] ++ hi[15:9]);
        hash(word, HashAlgorithm.crc32, 32w0, { hi, lo }, ALL_WORDS);
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
        const entries = {
#include "generated/reservoir_entries.p4"
        }
    }
    apply {
        limits.apply();
        overwrite = word <= most;
    }
}

#endif
