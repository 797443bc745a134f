/* HPCC over PINT: a packet carries the largest utilisation of the links that it passed,
 * in 8 bits. Eight stages: six for U, one for its approximation, one to write
 * (section 5). include/load.p4 has the equations.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

struct metadata { }

#include "include/packet.p4"
#include "include/hash.p4"
#include "include/arithmetic.p4"
#include "include/load.p4"

control PintEgress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    LoadOfPort() load_of_port;
    LoadCode() load_code;
    Word() round_hash;
    bit<32> load;
    bit<32> dice;
    bit<8> code;
    apply {
        if (hdr.pint.isValid()) {
            load_of_port.apply(standard_metadata.egress_port, hdr.observed.egress_tick,
                               hdr.observed.queue, hdr.observed.size, load);
            round_hash.apply(SEED, R_ROUND, 0, hdr.pint.packet, 0, dice);
            load_code.apply(load, dice, code);
            if (code > hdr.pint.digest[7:0]) {
                hdr.pint.digest[7:0] = code;
            }
        }
    }
}

V1Switch(PintParser(), NoVerify(), Forward(), PintEgress(), NoChecksum(), PintDeparser()) main;
