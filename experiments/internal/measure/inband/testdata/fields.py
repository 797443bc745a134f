# Prints what Scapy reads of each packet of a capture, a line each, and whether Scapy computes the same checksums.
import sys
from scapy.all import IP, TCP, UDP, PcapNgReader, load_contrib, raw

load_contrib("mac_control")
for p in PcapNgReader(sys.argv[1]):
    out = [p.src, p.dst, "%04x" % p.type]
    if "MACControlClassBasedFlowControl" in p:
        m = p["MACControlClassBasedFlowControl"]
        out += ["pause"] + ["%d:%d" % (c, m.getfieldval("c%d_pause_time" % c)) for c in range(8) if m.getfieldval("c%d_enabled" % c)]
    if IP in p:
        ip = p[IP]
        out += [ip.src, ip.dst, ip.tos, ip.len, ip.id, int(ip.flags), ip.ttl, ip.proto, ip.chksum]
        if UDP in ip:
            out += ["udp", ip[UDP].sport, ip[UDP].dport, ip[UDP].len, ip[UDP].chksum]
        if TCP in ip:
            t = ip[TCP]
            out += ["tcp", t.sport, t.dport, t.seq, t.ack, t.dataofs, int(t.flags), t.window, t.chksum]
            out += ["sack %d" % x for name, v in t.options if name == "SAck" for x in v]
        again = ip.copy()
        for layer in (IP, UDP, TCP):
            if layer in again:
                del again[layer].chksum
        if UDP in ip or TCP in ip:  # not a payload that Scapy takes for another protocol
            again[UDP if UDP in ip else TCP].remove_payload()
            again = again / raw(ip[UDP if UDP in ip else TCP].payload)[: ip.len - 20 - (8 if UDP in ip else 4 * ip[TCP].dataofs)]
        out.append("same" if raw(again)[: ip.len] == raw(p[IP])[: ip.len] else "other checksums")
    print(" ".join(map(str, out)))
