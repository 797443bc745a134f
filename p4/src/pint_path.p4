/* PINT path tracing: which switches did the packets of a flow pass?
 *
 * 8 bits on each packet, one hash function, the hybrid scheme for paths of 5 hops. A
 * second hash function would run beside the first.
 *
 * Four stages, as the PINT paper counts (section 5: layer choice, g, h, write): the first
 * three run side by side here, each a word of a global hash, which takes three stages
 * (include/hash.p4).
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

#include "include/packet.p4"
#include "include/hash.p4"
#include "include/path.p4"

control PintEgress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    Observe() observe;
    Report() report;
    Sink() sink;
    PathDigest() path;
    bit<8> field;
    apply {
        observe.apply(hdr, meta, standard_metadata);
        if (standard_metadata.instance_type == EGRESS_CLONE) {
            report.apply(hdr, meta, standard_metadata);
        } else if (hdr.pint.isValid()) {
            field = meta.digest[7:0];
            path.apply(meta.seed, meta.packet, meta.hop, meta.switch_id, field);
            meta.digest[7:0] = field;
            hdr.pint.digest = meta.digest;
            sink.apply(hdr, meta, standard_metadata);
        }
    }
}

V1Switch(PintParser(), NoVerify(), Forward(), PintEgress(), NoChecksum(), PintDeparser()) main;
