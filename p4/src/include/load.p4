/* HPCC's utilisation U of the egress port, in the log domain (section 5, appendix B):
 *
 *   U_term    = log(T-τ) - log T + log U
 *   qlen_term = log qlen + log τ - log B - 2 log T
 *   byte_term = log byte - log B - log T
 *   U         = 2^U_term + 2^qlen_term + 2^byte_term
 *
 * With DECREMENT the first term is U - 2^(log U + log τ - log T), the same equation, on
 * which the error of the tables has less effect.
 *
 * Six stages: a logarithm takes two (first bit, fraction), a power two (fraction,
 * shift). The whole parts of a sum of logarithms are added beside the fractions, so that
 * they are ready when the shift needs them:
 *
 *   1  τ; U; first bits of qlen and byte
 *   2  T-τ; first bits of τ and U; fractions of qlen and byte
 *   3  first bit of T-τ; fractions of τ and U; 2^ of byte_term's fraction
 *   4  fraction of T-τ; 2^ of qlen_term's fraction; shift of byte_term
 *   5  2^ of U_term's fraction; shift of qlen_term, added
 *   6  shift of U_term, added
 *
 * What would change on TNA: a register can only be written in the stage that reads it,
 * so the last n values of U go to n stages in turn, and every n-th packet is
 * recirculated (p4/fixedpoint, Stored). The clock register is one RegisterAction that
 * returns min(now - last, T). |+| is one ALU instruction there too.
 */
#ifndef PINT_LOAD_P4
#define PINT_LOAD_P4

#define PORTS 512

control LoadOfPort(in bit<9> port, in bit<32> now, in bit<32> queue, in bit<32> size,
                   out bit<32> load) {
    register<bit<32>>(PORTS) last_tick;   // when the last packet left; 0: none yet
    register<bit<32>>(PORTS) utilization; // U, 22 fractional bits

    FirstBit() first_queue;
    FirstBit() first_size;
    FirstBit() first_tau;
    FirstBit() first_load;
    LogFraction() log_queue;
    LogFraction() log_size;
    LogFraction() log_tau;
    LogFraction() log_load;
    ExpFraction() exp_queue;
    ExpFraction() exp_size;
    ExpFraction() exp_load;
    Shift() shift_queue;
    Shift() shift_size;
    Shift() shift_load;
#ifdef DECREMENT
    LogFraction() log_tau_again;
#else
    FirstBit() first_rest;
    LogFraction() log_rest;
#endif

    bit<32> tau;
    bit<32> rest;
    bit<32> old;
    bit<32> decay_constant;
    bit<32> queue_constant;
    bit<32> packet_constant;
    bit<32> whole_queue;
    bit<32> whole_size;
    bit<32> whole_tau;
    bit<32> whole_load;
    bit<32> whole_rest;
    bit<8> next_queue;
    bit<8> next_size;
    bit<8> next_tau;
    bit<8> next_load;
#ifndef DECREMENT
    bit<8> next_rest;
#endif
    bit<32> queue_term;
    bit<32> size_term;
    bit<32> load_term;
    bit<32> mantissa_queue;
    bit<32> mantissa_size;
    bit<32> mantissa_load;
    bit<32> from_queue;
    bit<32> from_size;
    bit<32> from_load;

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
    /* Clocks start at 1: a stored 0 means that no packet has left yet, and τ is T. */
    action interval() {
        last_tick.read(tau, (bit<32>)port);
        last_tick.write((bit<32>)port, now);
    }

    apply {
        rates.apply();
        interval();
        utilization.read(old, (bit<32>)port);
        first_queue.apply(queue, whole_queue, next_queue);
        first_size.apply(size, whole_size, next_size);
        if (tau == 0) {
            tau = HORIZON;
        } else {
            tau = now - tau;
        }
        rest = HORIZON |-| tau;
        if (rest == 0) {
            tau = HORIZON;
        }

        first_tau.apply(tau, whole_tau, next_tau);
        first_load.apply(old, whole_load, next_load);
        log_queue.apply(next_queue, queue_constant, queue_term);
        log_size.apply(next_size, packet_constant, size_term);
        size_term = size_term + whole_size;

        log_tau.apply(next_tau, queue_term, queue_term);
        queue_term = queue_term + whole_queue;
        queue_term = queue_term + whole_tau;
        log_load.apply(next_load, decay_constant, load_term);
        load_term = load_term + whole_load;
#ifdef DECREMENT
        whole_rest = whole_tau;
        log_tau_again.apply(next_tau, load_term, load_term);
#else
        first_rest.apply(rest, whole_rest, next_rest);
        log_rest.apply(next_rest, load_term, load_term);
#endif
        load_term = load_term + whole_rest;

        exp_size.apply(size_term[19:12], mantissa_size);
        exp_queue.apply(queue_term[19:12], mantissa_queue);
        exp_load.apply(load_term[19:12], mantissa_load);
        shift_size.apply(size_term[31:20], mantissa_size, from_size);
        shift_queue.apply(queue_term[31:20], mantissa_queue, from_queue);
        shift_load.apply(load_term[31:20], mantissa_load, from_load);
#ifdef DECREMENT
        if (rest == 0) {
            from_load = 0;
        } else {
            from_load = old - from_load;
        }
#endif
        load = from_queue |+| from_size;
        load = load |+| from_load;
        utilization.write((bit<32>)port, load);
    }
}

/* The code of U in one stage: 1/512·1.050625^code, ε = 0.025, from a table of prefixes
 * with 8 fractional bits, to which 8 random ones are added. */
control LoadCode(in bit<32> load, in bit<32> dice, out bit<8> field) {
    bit<16> code;
    action encode(bit<16> value) {
        code = value + (bit<16>)dice[31:24];
    }
    table approximate {
        key = { load : lpm; }
        actions = { encode; }
        default_action = encode(0);
        size = 2048;
        const entries = {
#include "generated/load_code_entries.p4"
        }
    }
    apply {
        approximate.apply();
        field = code[15:8];
    }
}

#endif
