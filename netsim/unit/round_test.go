package unit

import "testing"

func TestRoundSize(t *testing.T) {
	for size, want := range map[Bytes]string{
		1: "1B", 999: "999B", 1000: "1.00KB", 31388: "31.4KB", 949528: "950KB", 999_999: "1000KB",
		4964242: "4.96MB", 1e12: "1.00TB", 1e15: "1000TB",
	} {
		if got := RoundSize(size); got != want {
			t.Errorf("RoundSize(%d) = %s, want %s", int64(size), got, want)
		}
	}
}
