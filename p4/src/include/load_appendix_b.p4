/* HPCC's utilisation U of the egress port as appendix B of the PINT paper has it, in the log
 * domain: a variant (-D APPENDIX_B). load.p4 needs fewer stages and errs less.
 *
 *   U_term    = log(T-τ) - log T + log U
 *   qlen_term = log qlen + log τ - log B - 2 log T
 *   byte_term = log byte - log B - log T
 *   U         = 2^U_term + 2^qlen_term + 2^byte_term
 *
 * With DECREMENT the first term is U - 2^(log U + log τ - log T), the same equation, on
 * which the error of the tables has less effect.
 *
 * A logarithm takes two stages (first bit, fraction), a power two (fraction, shift). The
 * whole parts of a sum of logarithms are added beside its fractions: the table of a power
 * needs the fraction only, and the whole part is ready when the shift needs it.
 *
 *   1  clock and τ; U; first bits of qlen and byte
 *   2  T-τ; first bits of τ and U; fractions of qlen and byte
 *   3  first bit of T-τ; fractions of τ and U; 2^ of byte_term's fraction
 *   4  fraction of T-τ; 2^ of qlen_term's fraction; shift of byte_term
 *   5  2^ of U_term's fraction; shift of qlen_term
 *   6  shift of U_term; the other two terms added
 *   7  all terms added
 *
 * The PINT paper counts six: with a shift in front of the adder of an ALU, the sums are made by
 * the shifts.
 *
 * What would change on TNA: a register can only be written in the stage that reads it: U
 * cannot be written in stage 7 where stage 1 reads it. StoredLoadOfPort in load.p4 is the paper's way out.
 *
 * Clocks are past T when the first packet leaves, so that its τ is T.
 */
#ifndef PINT_LOAD_APPENDIX_B_P4
#define PINT_LOAD_APPENDIX_B_P4

#define PORTS 512

/* What does not depend on U: the last two terms, added, and the time of the first one as a
 * logarithm, T-τ (or τ with DECREMENT), whole part and next bits. */
control LoadTerms(in bit<9> port, in bit<32> now, in bit<32> queue, in bit<32> bytes,
                  out bit<32> decay_constant, out bit<32> rest,
                  out bit<32> whole_time, out bit<8> next_time, out bit<32> from_both) {
    register<bit<32>>(PORTS) last_tick; // when the last packet left

    FirstBit() first_queue;
    FirstBit() first_size;
    FirstBit() first_tau;
    LogFraction() log_queue;
    LogFraction() log_size;
    LogFraction() log_tau;
    ExpFraction() exp_queue;
    ExpFraction() exp_size;
    Shift() shift_queue;
    Shift() shift_size;
#ifndef DECREMENT
    FirstBit() first_rest;
#endif

    bit<32> last;
    bit<32> tau;
    bit<32> queue_constant;
    bit<32> packet_constant;
    bit<32> whole_queue;
    bit<32> whole_size;
    bit<32> whole_tau;
    bit<8> next_queue;
    bit<8> next_size;
    bit<8> next_tau;
    bit<32> whole_queue_term;
    bit<32> queue_log;
    bit<32> queue_term;
    bit<32> size_term;
    bit<32> mantissa_queue;
    bit<32> mantissa_size;
    bit<32> from_size;
    bit<32> from_queue;

    /* The rate of the port: logarithms of constants. */
    action rate(bit<32> decay, bit<32> queue_and_time, bit<32> packet_and_time) {
        decay_constant = decay;
        queue_constant = queue_and_time;
        packet_constant = packet_and_time;
    }
    table rates {
        key = { port : exact; }
        actions = { rate; }
        default_action = rate(LOAD_DECAY, LOAD_QUEUE, LOAD_PACKET);
        size = PORTS;
    }
    action interval() {
        last_tick.read(last, (bit<32>)port);
        last_tick.write((bit<32>)port, now);
        tau = now - last;
    }

    apply {
        rates.apply();
        interval();
        first_queue.apply(queue, whole_queue, next_queue);
        first_size.apply(bytes, whole_size, next_size);

        log_queue.apply(next_queue, queue_constant, queue_log);
        log_size.apply(next_size, packet_constant, size_term);

        rest = HORIZON |-| tau;
        first_tau.apply(tau, whole_tau, next_tau);
        exp_size.apply(size_term[19:12], mantissa_size);
        size_term = size_term + whole_size;

        /* τ is clipped to T. */
        if (rest == 0) {
            queue_term = queue_log + LOG_HORIZON;
            whole_queue_term = whole_queue;
        } else {
            log_tau.apply(next_tau, queue_log, queue_term);
            whole_queue_term = whole_queue + whole_tau;
        }
        shift_size.apply(size_term[31:20], mantissa_size, from_size);
#ifdef DECREMENT
        whole_time = whole_tau;
        next_time = next_tau;
#else
        first_rest.apply(rest, whole_time, next_time);
#endif

        exp_queue.apply(queue_term[19:12], mantissa_queue);
        queue_term = queue_term + whole_queue_term;
        shift_queue.apply(queue_term[31:20], mantissa_queue, from_queue);
        from_both = from_size |+| from_queue;
    }
}

/* The first term, and the sum: U after a packet, from U before it. */
control NextLoad(in bit<32> old, in bit<32> decay_constant, in bit<32> rest,
                 in bit<32> whole_time, in bit<8> next_time, in bit<32> from_both,
                 out bit<32> load) {
    FirstBit() first_load;
    LogFraction() log_load;
    LogFraction() log_time;
    ExpFraction() exp_load;
    Shift() shift_load;

    bit<32> whole_load;
    bit<8> next_load;
    bit<32> whole_load_term;
    bit<32> load_log;
    bit<32> load_term;
    bit<32> mantissa_load;
#ifdef DECREMENT
    bit<32> decrement;
#else
    bit<32> kept;
#endif

    apply {
        first_load.apply(old, whole_load, next_load);
        log_load.apply(next_load, decay_constant, load_log);
        log_time.apply(next_time, load_log, load_term);
        whole_load_term = whole_load + whole_time;
        exp_load.apply(load_term[19:12], mantissa_load);
        load_term = load_term + whole_load_term;
#ifdef DECREMENT
        shift_load.apply(load_term[31:20], mantissa_load, decrement);
        if (rest == 0) {
            load = from_both;
        } else {
            load = from_both |+| (old - decrement);
        }
#else
        shift_load.apply(load_term[31:20], mantissa_load, kept);
        load = from_both |+| kept;
#endif
    }
}

/* For a switch that updates U in one stage (section 5): one register. */
control LoadOfPort(in bit<9> port, in bit<32> now, in bit<32> queue, in bit<32> bytes,
                   out bit<32> load) {
    register<bit<32>>(PORTS) utilization; // U, 22 fractional bits
    LoadTerms() terms;
    NextLoad() next;
    bit<32> old;
    bit<32> decay_constant;
    bit<32> rest;
    bit<32> whole_time;
    bit<8> next_time;
    bit<32> from_both;
    apply {
        terms.apply(port, now, queue, bytes, decay_constant, rest, whole_time, next_time, from_both);
        utilization.read(old, (bit<32>)port);
        next.apply(old, decay_constant, rest, whole_time, next_time, from_both, load);
        utilization.write((bit<32>)port, load);
    }
}

/* The code of U with 8 fractional bits in one stage: 1/512·1.050625^code, ε = 0.025, from a
 * table of prefixes, to which 8 random bits are added. It is the same for all ports. */
control LoadCode(in bit<9> port, in bit<32> load, in bit<32> dice, out bit<32> code) {
    action encode(bit<16> value) {
        code = 16w0 ++ (value + (bit<16>)dice[31:24]);
    }
    table approximate {
        key = { load : lpm; }
        actions = { encode; }
        default_action = encode(0);
#include "generated/appendix_b_code_entries.p4"
    }
    apply { approximate.apply(); }
}

/* The digest has the largest code of the path. */
control Raise(in bit<32> code, inout bit<8> field) {
    apply {
        if (code[15:8] > field) { field = code[15:8]; }
    }
}

#endif
