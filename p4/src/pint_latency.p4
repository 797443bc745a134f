/* PINT latency quantiles: a packet carries the latency of one of its hops, each with the
 * same probability, in 8 bits.
 *
 * Four stages, as the PINT paper counts (section 5: latency, compress, g, overwrite): three
 * for a word of a global hash (include/hash.p4), beside them latency and code, and the write.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

#include "include/packet.p4"
#include "include/hash.p4"
#include "include/latency.p4"

control PintEgress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    Observe() observe;
    Report() report;
    Sink() sink;
    LatencyDigest() latency;
    bit<8> field;
    apply {
        observe.apply(hdr, meta, standard_metadata);
        if (standard_metadata.instance_type == EGRESS_CLONE) {
            report.apply(hdr, meta, standard_metadata);
        } else if (hdr.pint.isValid()) {
            field = meta.digest[7:0];
            latency.apply(meta.seed, meta.packet, meta.hop, meta.arrived,
                          meta.now, field);
            meta.digest[7:0] = field;
            hdr.pint.digest = meta.digest;
            sink.apply(hdr, meta, standard_metadata);
        }
    }
}

V1Switch(PintParser(), NoVerify(), Forward(), PintEgress(), NoChecksum(), PintDeparser()) main;
