package pintlab

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A collector on this machine receives the same reports as the simulated collector, at the requested rate.
func TestReportTo(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	dir := t.TempDir()
	net := filepath.Join(dir, "net.yaml")
	text := "name: net\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: incast, senders: 2, size: 10KB}]\n" +
		"cc: {kind: fixed}\ntelemetry: {kind: none}\nmonitors: [{kind: int, mode: postcard, collector: 3}]\n"
	if err := os.WriteFile(net, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if code := invoke([]string{"run", net, "--quiet", "--out", dir, "--report-to", conn.LocalAddr().String(),
		"--report-rate", "400"}, io.Discard, os.Stderr); code != exitFine {
		t.Fatal("exit code", code)
	}
	if took := time.Since(began); took < 18*time.Second/400 {
		t.Errorf("20 reports took %v", took)
	}
	b := make([]byte, 2048)
	for i := range 20 { // packets
		if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		n, _, err := conn.ReadFrom(b)
		if err != nil {
			t.Fatalf("report %d: %v", i, err)
		}
		if want := []byte{0x20, 0, 0, byte(i), 0, 0, 0, 4, 0x14}; !bytes.HasPrefix(b[:n], want) {
			t.Errorf("report %d: % x, want % x", i, b[:n], want)
		}
	}
	for args, want := range map[string]string{
		"run two-flows --report-to 127.0.0.1:9 --quiet": "--report-to had no effect: " +
			"no telemetry report reached its collector",
		`run two-flows --set monitors=[{"kind":"clint"}] --report-to 127.0.0.1:9 --quiet`: "had no effect: " +
			"no telemetry report reached its collector",
		"run two-flows --report-to nowhere --quiet": "--report-to nowhere: want an address and a port, " +
			"such as 127.0.0.1:32766",
		"run two-flows --report-to :9 --quiet": "--report-to :9: want an address and a port, " +
			"such as 127.0.0.1:32766: missing address",
		"run two-flows --report-to= --quiet":    `--report-to "": want a value that is not empty`,
		"run two-flows --report-rate 7 --quiet": "--report-rate has no effect without --report-to",
	} {
		var out strings.Builder
		code := invoke(append(strings.Fields(args), "--out", dir), io.Discard, &out)
		if code == exitFine || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, out.String())
		}
	}
}
