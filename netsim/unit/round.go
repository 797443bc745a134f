package unit

import "fmt"

// RoundSize formats a size with three digits.
func RoundSize(b Bytes) string {
	v, name := float64(b), "B"
	for _, larger := range []string{"KB", "MB", "GB", "TB"} {
		if v < 1000 {
			break
		}
		v, name = v/1000, larger
	}
	switch {
	case name == "B" || v >= 100:
		return fmt.Sprintf("%.0f%s", v, name)
	case v >= 10:
		return fmt.Sprintf("%.1f%s", v, name)
	}
	return fmt.Sprintf("%.2f%s", v, name)
}
