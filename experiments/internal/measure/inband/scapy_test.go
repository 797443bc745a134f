package inband

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"pintlab/workloads/packets"
)

// scapyPython is the Python of the system, which has Debian's packages.
const scapyPython = "/usr/bin/python3"

// Scapy reads the same fields of Ethernet, priority flow control, IPv4, UDP and TCP that we write, and computes the
// same checksums.
func TestScapyReadsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("Scapy takes seconds for each file; needs go test without -short")
	}
	if err := exec.Command(scapyPython, "-c", "import scapy").Run(); err != nil {
		t.Skipf("needs Scapy for %s (Debian: apt-get install python3-scapy): %v", scapyPython, err)
	}
	for name, text := range map[string]string{
		"INT 2.1, passports, PINT": shots["INT 2.1, passports, PINT"],
		"reports of monitors":      shots["reports of monitors"],
		"SACK": "workload: [{kind: incast, senders: 7, size: 60KB}]\n" +
			"transport: {kind: sack}\ncc: {kind: cubic}\ntelemetry: {kind: none}\n" +
			"network: {port_limit: 20KB, pfc: {enabled: false}, ecn: {enabled: true, kmin: 5KB, kmax: 15KB}}\n",
		"PFC": "workload: [{kind: incast, senders: 7, size: 60KB}]\ncc: {kind: hpcc}\n" +
			"telemetry: {kind: int}\nnetwork: {buffer: 300KB}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _ := capture(t, strings.Replace(tree, "nodes: [switches], snap: 512B",
				"ports: [8-0, 0-8, 8-2, 8-10, 10-8], snap: 9000B", 1)+text)
			path := filepath.Join(t.TempDir(), "f.pcapng")
			if err := os.WriteFile(path, file, 0o666); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			c := exec.Command(scapyPython, "testdata/fields.py", path)
			c.Stderr = &stderr
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			frames, err := packets.NewFrames(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			for i, line := range lines {
				f, err := frames.Next()
				if err != nil {
					t.Fatal(err)
				}
				want, kind := fieldsOf(f.Data)
				if seen[kind]++; line != want {
					t.Fatalf("packet %d\nScapy:   %s\npintlab: %s", i+1, line, want)
				}
				if strings.Contains(line, "sack") {
					seen["sack"]++
				}
			}
			if _, err := frames.Next(); err == nil {
				t.Errorf("Scapy reads %d packets, there are more", len(lines))
			}
			if name == "SACK" && (seen["tcp"] == 0 || seen["sack"] == 0) || name == "PFC" && seen["pause"] == 0 ||
				name != "SACK" && seen["udp"] == 0 {
				t.Errorf("%v: the case does not show what it should", seen)
			}
		})
	}
}

// fieldsOf returns the fields of a frame as the script prints them.
func fieldsOf(b []byte) (line, kind string) {
	p := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.NoCopy)
	eth := p.Layer(layers.LayerTypeEthernet).(*layers.Ethernet)
	out := []any{eth.SrcMAC, eth.DstMAC, fmt.Sprintf("%04x", uint16(eth.EthernetType))}
	if eth.EthernetType == 0x8808 {
		kind = "pause"
		out = append(out, kind)
		for c := range 8 {
			if b[17]>>c&1 != 0 {
				out = append(out, fmt.Sprintf("%d:%d", c, binary.BigEndian.Uint16(b[18+2*c:])))
			}
		}
	}
	if ip, ok := p.Layer(layers.LayerTypeIPv4).(*layers.IPv4); ok {
		out = append(out, ip.SrcIP, ip.DstIP, ip.TOS, ip.Length, ip.Id, int(ip.Flags), ip.TTL, int(ip.Protocol),
			ip.Checksum)
		if u, ok := p.Layer(layers.LayerTypeUDP).(*layers.UDP); ok {
			kind = "udp"
			out = append(out, kind, int(u.SrcPort), int(u.DstPort), u.Length, u.Checksum)
		}
		if c, ok := p.Layer(layers.LayerTypeTCP).(*layers.TCP); ok {
			kind = "tcp"
			flags := int(c.Contents[12]&1)<<8 | int(c.Contents[13])
			out = append(out, kind, int(c.SrcPort), int(c.DstPort), c.Seq, c.Ack, c.DataOffset, flags, c.Window,
				c.Checksum)
			for _, o := range c.Options {
				if o.OptionType == layers.TCPOptionKindSACK {
					for d := o.OptionData; len(d) > 0; d = d[4:] {
						out = append(out, fmt.Sprintf("sack %d", binary.BigEndian.Uint32(d)))
					}
				}
			}
		}
		out = append(out, "same")
	}
	return strings.TrimSuffix(fmt.Sprintln(out...), "\n"), kind
}
