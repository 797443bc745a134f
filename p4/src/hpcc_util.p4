/* HPCC over PINT: a packet carries the largest utilisation of the links that it passed,
 * in 8 bits. Seven stages: five for U, one for its code, one to write; the PINT paper
 * (section 5) counts six, one and one. include/load.p4 has the equation.
 *
 * With STORED a packet in two is recirculated, and no register is read in one stage and
 * written in another. With APPENDIX_B, U is computed as appendix B has it, with DECREMENT
 * as well its first term as a difference.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

#include "include/packet.p4"
#include "include/hash.p4"
#ifdef APPENDIX_B
#include "include/arithmetic.p4"
#include "include/load_appendix_b.p4"
#else
#include "include/load.p4"
#endif

control PintEgress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    Observe() observe;
    Report() report;
    Sink() sink;
#ifdef STORED
    StoredLoadOfPort() load_of_port;
    bool last;
#else
    LoadOfPort() load_of_port;
#endif
    LoadCode() load_code;
    Raise() raise;
    Word() round_hash;
    bit<32> load;
    bit<32> dice;
    bit<32> code;
    apply {
#ifdef STORED
        last = false;
#endif
        observe.apply(hdr, meta, standard_metadata);
        if (standard_metadata.instance_type == EGRESS_CLONE) {
            report.apply(hdr, meta, standard_metadata);
        } else if (hdr.pint.isValid()) {
#ifdef STORED
            load_of_port.apply(standard_metadata.egress_port, meta.now,
                               meta.queue, meta.size,
                               meta.recirculated, meta.load, load, last);
            if (last) {
                meta.recirculated = 1;
                meta.load = load;
                recirculate_preserving_field_list(1);
            }
#else
            load_of_port.apply(standard_metadata.egress_port, meta.now,
                               meta.queue, meta.size, load);
#endif
            round_hash.apply(meta.seed, R_ROUND, 0, meta.packet, 0, dice);
            load_code.apply(standard_metadata.egress_port, load, dice, code);
            raise.apply(code, meta.digest[7:0]);
            hdr.pint.digest = meta.digest;
#ifdef STORED
            if (!last) // or it comes back
#endif
            sink.apply(hdr, meta, standard_metadata);
        }
    }
}

V1Switch(PintParser(), NoVerify(), Forward(), PintEgress(), NoChecksum(), PintDeparser()) main;
