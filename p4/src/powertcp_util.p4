/* PowerTCP over PINT: a packet carries the largest power of the links that it passed, in 8
 * bits. Eight stages for the power, one for its code, one to write; include/power.p4 has the
 * equation.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

#include "include/packet.p4"
#include "include/hash.p4"
#include "include/power.p4"

control PintEgress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    Observe() observe;
    Report() report;
    Sink() sink;
    Rate() rate;
    PowerOfPort() power_of_port;
    PowerCode() power_code;
    Raise() raise;
    Word() round_hash;
    bit<32> least;
    int<32> per_product;
    bit<32> load;
    bit<32> dice;
    bit<32> code;
    apply {
        observe.apply(hdr, meta, standard_metadata);
        if (standard_metadata.instance_type == EGRESS_CLONE) {
            report.apply(hdr, meta, standard_metadata);
        } else if (hdr.pint.isValid()) {
            rate.apply(standard_metadata.egress_port, least, per_product);
            power_of_port.apply(standard_metadata.egress_port, meta.now,
                                meta.queue, meta.size, per_product, load);
            round_hash.apply(meta.seed, R_ROUND, 0, meta.packet, 0, dice);
            power_code.apply(load, least, dice, code);
            raise.apply(code, meta.digest[7:0]);
            hdr.pint.digest = meta.digest;
            sink.apply(hdr, meta, standard_metadata);
        }
    }
}

V1Switch(PintParser(), NoVerify(), Forward(), PintEgress(), NoChecksum(), PintDeparser()) main;
