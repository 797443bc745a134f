/* Routing loops found on the fly (appendix A.4, Algorithm 2), T = 1 and b = 15: a switch
 * that finds its own hash on a packet counts a match, and reports a loop at the second.
 * The digest has the hash in its low 15 bits and the counter above.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

#include "include/packet.p4"
#include "include/hash.p4"

/* What the control plane learns. */
struct loop_t {
    bit<64> packet;
    bit<32> switch_id;
    bit<8>  hop;
}

control LoopIngress(inout headers hdr, inout metadata meta,
                    inout standard_metadata_t standard_metadata) {
    Forward() forward;
    Word() value_hash;
    Word() act_hash;
    Reservoir() reservoir;
    bit<32> h;
    bit<32> g;
    bool overwrite;
    bit<1> matches;
    bit<15> value;
    loop_t report;
    apply {
        forward.apply(hdr, meta, standard_metadata);
        if (hdr.pint.isValid()) {
            value_hash.apply(meta.seed, H_VALUE, 0, meta.packet, (bit<64>)meta.switch_id, h);
            act_hash.apply(meta.seed, G_ACT, 0, meta.packet, (bit<64>)meta.hop, g);
            reservoir.apply(meta.hop, g, overwrite);
            matches = meta.digest[15:15];
            value = h[31:17];
            report.packet = meta.packet;
            report.switch_id = meta.switch_id;
            report.hop = meta.hop;
            if (meta.digest[14:0] == value) {                                      // line 1
                if (matches == LOOP_THRESHOLD) {                                       // line 2
                    digest<loop_t>(1, report);
                    mark_to_drop(standard_metadata);
                } else {
                    meta.digest[15:15] = 1;                                        // line 3
                }
            } else if (matches == 0 && overwrite) {                                    // line 4
                meta.digest[14:0] = value;                                         // line 5
            }
        }
    }
}

control LoopEgress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    Report() report;
    Sink() sink;
    apply {
        if (standard_metadata.instance_type == EGRESS_CLONE) {
            report.apply(hdr, meta, standard_metadata);
        } else if (hdr.pint.isValid()) {
            hdr.pint.digest = meta.digest;
            sink.apply(hdr, meta, standard_metadata);
        }
    }
}

V1Switch(PintParser(), NoVerify(), LoopIngress(), LoopEgress(), NoChecksum(), PintDeparser()) main;
