/* Three queries at once (section 6.4 and Fig. 6): path tracing on every packet, latency
 * on 15/16 of them, HPCC on 1/16, in 16 bits. The queries run side by side, beside them
 * the choice of the query set, and the last stage writes what the set of the packet
 * asks for: seven stages, as many as HPCC alone. With APPENDIX_B, U is computed as
 * appendix B of the PINT paper has it. With STORED a packet in two is recirculated, as in
 * hpcc_util.p4: the queries have what they want of it then, and it only takes U back.
 *
 * The digest has path tracing in its low byte. Each query has hash functions of its own.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

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
    Observe() observe;
    Report() report;
    Sink() sink;
    Word() set_hash;
    PathDigest() path;
    LatencyDigest() latency;
#ifdef STORED
    StoredLoadOfPort() load_of_port;
    bit<1> again;
    bool last;
#else
    LoadOfPort() load_of_port;
#endif
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
#ifdef STORED
        again = meta.recirculated;
        last = false;
#endif
        observe.apply(hdr, meta, standard_metadata);
        if (standard_metadata.instance_type == EGRESS_CLONE) {
            report.apply(hdr, meta, standard_metadata);
        } else if (hdr.pint.isValid()) {
            set_hash.apply(meta.seed_choice, Q_QUERY_SET, 0, meta.packet, 0, query_set);
            path_digest = meta.digest[7:0];
            path.apply(meta.seed_path, meta.packet, meta.hop, meta.switch_id, path_digest);
            latency_digest = meta.digest[15:8];
            latency.apply(meta.seed_latency, meta.packet, meta.hop, meta.arrived,
                          meta.now, latency_digest);
            /* Every packet enters U, whatever it carries. */
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
            round_hash.apply(meta.seed_load, R_ROUND, 0, meta.packet, 0, dice);
            load_code.apply(standard_metadata.egress_port, load, dice, code);
#ifdef STORED
            if (again == 0) {
#endif
            meta.digest[7:0] = path_digest;
            if (query_set[31:16] < meta.load_from) {
                meta.digest[15:8] = latency_digest;
            } else {
                raise.apply(code, meta.digest[15:8]);
            }
#ifdef STORED
            }
#endif
            hdr.pint.digest = meta.digest;
#ifdef STORED
            if (!last) // or it comes back
#endif
            sink.apply(hdr, meta, standard_metadata);
        }
    }
}

V1Switch(PintParser(), NoVerify(), Forward(), PintEgress(), NoChecksum(), PintDeparser()) main;
