// The core library of P4_16 (specification 1.2.4, appendix D): what every program may
// use, whatever its architecture.

#ifndef _CORE_P4_
#define _CORE_P4_

error {
    NoError,              // nothing went wrong
    PacketTooShort,       // the packet ends before the header does
    NoMatch,              // no case of a select matches
    StackOutOfBounds,     // .next or .last outside the header stack
    HeaderTooShort,       // a varbit field would need more than its maximum
    ParserTimeout,        // the parser took too long
    ParserInvalidArgument // extract with a size that cannot be
}

match_kind {
    exact,
    ternary,
    lpm
}

extern packet_in {
    void extract<T>(out T hdr);
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    T lookahead<T>();
    void advance(in bit<32> sizeInBits);
    bit<32> length();
}

extern packet_out {
    void emit<T>(in T hdr);
}

extern void verify(in bool check, in error toSignal);
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

action NoAction() { }

#endif
