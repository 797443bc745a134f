// The end of most conformance programs: the blocks that they do not write themselves,
// and the switch. A program that writes one of them says so by a macro.
#ifndef OWN_VERIFY
control MyVerify(inout headers hdr, inout meta_t meta) { apply { } }
#endif
#ifndef OWN_EGRESS
control MyEgress(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
#endif
#ifndef OWN_COMPUTE
control MyCompute(inout headers hdr, inout meta_t meta) { apply { } }
#endif
#ifndef OWN_DEPARSER
control MyDeparser(packet_out pkt, in headers hdr) { apply { pkt.emit(hdr); } }
#endif
V1Switch(P(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
