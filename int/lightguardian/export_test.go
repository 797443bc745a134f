package lightguardian

// Functions that only tests use.

// Absent reports whether the flow was certainly not at the switch.
func (f *Flow) Absent() bool { return f.Packets.Valid && f.Packets.N == 0 }
