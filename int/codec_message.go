package inband

import (
	"fmt"

	"pintlab/internal/number"
)

// Message is everything that INT-MD adds to a packet: shim, header and the stack of
// the hops' metadata, the newest hop first.
type Message struct {
	Shim   Shim
	Header Header
	Stack  []byte // the hops, followed by what only the source wrote; a multiple of 4 bytes
}

// Decode reads a message from the beginning of b and returns the bytes after it. Stack
// aliases b. Decode refuses destination and MX headers, because they have no stack.
func (m *Message) Decode(b []byte) (rest []byte, err error) {
	if err := m.Shim.Decode(b); err != nil {
		return nil, err
	}
	if m.Shim.Type != TypeMD {
		return nil, fmt.Errorf("INT type %d, want MD (%d)", m.Shim.Type, TypeMD)
	}
	if m.Shim.Length < HeaderSize/4 {
		return nil, fmt.Errorf("INT of %s, want at least %d", number.Count(int(m.Shim.Length), "word"),
			HeaderSize/4)
	}
	end := ShimSize + 4*int(m.Shim.Length)
	if len(b) < end {
		return nil, fmt.Errorf("INT of %d bytes, but the packet has only %d of them", end, len(b))
	}
	if err := m.Header.Decode(b[ShimSize:]); err != nil {
		return nil, err
	}
	m.Stack = b[ShimSize+HeaderSize : end : end]
	return b[end:], nil
}

// Append writes m to dst. It is the inverse of Decode, reserved bits included, but computes
// Shim.Length from the stack.
func (m *Message) Append(dst []byte) ([]byte, error) {
	s := m.Shim
	if err := s.validate(); err != nil {
		return dst, err
	}
	if err := m.Header.validate(); err != nil {
		return dst, err
	}
	words := (HeaderSize + len(m.Stack)) / 4
	if len(m.Stack)%4 != 0 || words > maxLength {
		return dst, fmt.Errorf("INT stack of %s, want a multiple of 4 up to %d",
			number.Count(len(m.Stack), "byte"), 4*maxLength-HeaderSize)
	}
	s.Length = uint8(words)
	n := len(dst)
	dst = append(dst, make([]byte, ShimSize+HeaderSize)...)
	s.put(dst[n:])
	m.Header.put(dst[n+ShimSize:])
	return append(dst, m.Stack...), nil
}

// Hops returns the number of hops in the stack. The source adds sourceWords domain-specific words to its hop (0 without
// source-only metadata). The domain defines this number; the packet does not contain it. A stack that does not divide
// into whole hops is an error.
//
// A source without room for its hop writes neither the hop nor these words. If sourceWords is a multiple of the hop
// size, Hops cannot detect this case, and assumes that the source wrote the words.
func (m *Message) Hops(sourceWords int) (int, error) {
	words, hop := len(m.Stack)/4, int(m.Header.HopWords)
	if words == 0 {
		return 0, nil
	}
	if hop > 0 && sourceWords >= 0 {
		if rest := words - sourceWords; rest >= hop && rest%hop == 0 {
			return rest / hop, nil
		}
		if words%hop == 0 {
			return words / hop, nil
		}
	}
	return 0, fmt.Errorf("an INT stack of %d words, with %d for each hop and %d from the source alone, is "+
		"not a whole number of hops", words, hop, sourceWords)
}

// Hop decodes hop i of hops into md. Hop 0 wrote last. Hop hops-1 wrote first. In a complete
// stack, hop hops-1 is the source, and md includes the words that only the source writes. hops
// is the result of Hops.
func (m *Message) Hop(i, hops int, md *Metadata) error {
	if i < 0 || i >= hops {
		return fmt.Errorf("INT hop %d of %d", i, hops)
	}
	size := 4 * int(m.Header.HopWords)
	if hops*size > len(m.Stack) {
		return fmt.Errorf("INT stack of %s is too short for %s", number.Count(len(m.Stack), "byte"),
			number.Count(hops, "hop"))
	}
	b := m.Stack[i*size : (i+1)*size]
	if i == hops-1 {
		b = m.Stack[i*size:]
	}
	return md.Decode(b, m.Header.Instructions)
}
