/* TowerSketch with CM insertion (SketchINT, sections IV and VI.A): d = 3 arrays of equal
 * memory, δ_i = 2^(i+2) bits, w_i = 2^(17-i) counters. A packet increments its counter in
 * each array. A counter of 2^δ - 1 is overflowed: it never moves again, which is what
 * saturating addition does. A query takes the smallest counter that is not overflowed;
 * the control plane makes it.
 *
 * CU insertion, which increments the smallest counter only, is not possible in a
 * pipeline: it writes an earlier array after it has read a later one.
 *
 * On TNA each array is a Register with one RegisterAction; three fit one stage.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

struct metadata { }

#include "include/flow.p4"
#include "include/hash.p4"

control TowerIngress(inout headers hdr, inout metadata meta,
                     inout standard_metadata_t standard_metadata) {
    register<bit<8>>(65536)  counters_1;
    register<bit<16>>(32768) counters_2;
    register<bit<32>>(16384) counters_3;
    Word() hash_1;
    Word() hash_2;
    Word() hash_3;
    bit<64> addresses;
    bit<64> rest;
    bit<32> word_1;
    bit<32> word_2;
    bit<32> word_3;
    bit<8>  count_1;
    bit<16> count_2;
    bit<32> count_3;
    apply {
        standard_metadata.egress_spec = 1;
        addresses = hdr.ipv4.src ++ hdr.ipv4.dst;
        rest = 24w0 ++ hdr.ports.src ++ hdr.ports.dst ++ hdr.ipv4.protocol;
        hash_1.apply(SEED, T_TABLE, 1, addresses, rest, word_1);
        hash_2.apply(SEED, T_TABLE, 2, addresses, rest, word_2);
        hash_3.apply(SEED, T_TABLE, 3, addresses, rest, word_3);
        if (hdr.ports.isValid()) {
            counters_1.read(count_1, (bit<32>)word_1[31:16]);
            counters_1.write((bit<32>)word_1[31:16], count_1 |+| 1);
            counters_2.read(count_2, (bit<32>)word_2[31:17]);
            counters_2.write((bit<32>)word_2[31:17], count_2 |+| 1);
            counters_3.read(count_3, (bit<32>)word_3[31:18]);
            counters_3.write((bit<32>)word_3[31:18], count_3 |+| 1);
        }
    }
}

V1Switch(FlowParser(), NoVerify(), TowerIngress(), NoEgress(), NoChecksum(), FlowDeparser()) main;
