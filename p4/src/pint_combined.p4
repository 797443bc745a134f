/* Three queries at once (section 6.4 and Fig. 6): path tracing on every packet, latency
 * on 15/16 of them, HPCC on 1/16, in 16 bits. The queries run side by side, beside them
 * the choice of the query set, and the last stage writes what the set of the packet
 * asks for: seven stages, as many as HPCC alone. With APPENDIX_B, U is computed as
 * appendix B of the PINT paper has it.
 *
 * The digest has path tracing in its low byte. Each query has hash functions of its own.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

struct metadata { }

#include "include/packet.p4"
#include "include/hash.p4"
#include "include/path.p4"
#include "include/latency.p4"
#ifdef APPENDIX_B
#include "include/arithmetic.p4"
#include "include/load_appendix_b.p4"
#else
#include "include/load.p4"
#endif

control PintEgress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    Word() set_hash;
    PathDigest() path;
    LatencyDigest() latency;
    LoadOfPort() load_of_port;
    LoadCode() load_code;
    Raise() raise;
    Word() round_hash;
    bit<32> query_set;
    bit<8> path_digest;
    bit<8> latency_digest;
    bit<32> load;
    bit<32> dice;
    bit<32> code;
    apply {
        if (hdr.pint.isValid()) {
            set_hash.apply(SEED_CHOICE, Q_QUERY_SET, 0, hdr.pint.packet, 0, query_set);
            path_digest = hdr.pint.digest[7:0];
            path.apply(SEED_PATH, hdr.pint.packet, hdr.pint.hop, hdr.observed.switch_id, path_digest);
            latency_digest = hdr.pint.digest[15:8];
            latency.apply(SEED_LATENCY, hdr.pint.packet, hdr.pint.hop, hdr.observed.ingress_tick,
                          hdr.observed.egress_tick, latency_digest);
            /* Every packet enters U, whatever it carries. */
            load_of_port.apply(standard_metadata.egress_port, hdr.observed.egress_tick,
                               hdr.observed.queue, hdr.observed.size, load);
            round_hash.apply(SEED_LOAD, R_ROUND, 0, hdr.pint.packet, 0, dice);
            load_code.apply(standard_metadata.egress_port, load, dice, code);
            hdr.pint.digest[7:0] = path_digest;
            if (query_set[31:16] < LOAD_FROM) {
                hdr.pint.digest[15:8] = latency_digest;
            } else {
                raise.apply(code, hdr.pint.digest[15:8]);
            }
        }
    }
}

V1Switch(PintParser(), NoVerify(), Forward(), PintEgress(), NoChecksum(), PintDeparser()) main;
