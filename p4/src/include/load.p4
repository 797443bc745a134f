/* HPCC's utilisation U of the egress port, as a difference and in bytes.
 *
 * The PINT paper (section 5, appendix B) has U = (T-τ)/T·U + τ/T·qlen/(B·T) + byte/(B·T).
 * With V = U·B·T, the bytes in flight, this is
 *
 *   V = V + byte + τ/T·(qlen - V)
 *
 * so that one product is left, of a small number and τ/T, and it is taken by logarithms:
 *
 *   1  clock and τ; V
 *   2  qlen - V; V + byte; log(τ/T), from a table of prefixes
 *   3  log |qlen - V|, from a table of prefixes, + log(τ/T)
 *   4  2^ of the sum, from a table
 *   5  added to V + byte, or subtracted
 *
 * A logarithm takes one stage and not two (first bit, fraction), a power one and not two
 * (fraction, shift); nothing is shifted by a variable. load_appendix_b.p4 has the equation
 * as the paper writes it.
 *
 * The entries are right in the middle of their cells. A product is (1+ε) times the exact
 * one, with |ε| < 2.1 % for q = 6, so one packet makes U wrong by ε·τ/T·|qlen/(B·T) - U|.
 * The errors of many packets cancel if the packets meet different cells. At a steady load
 * they do not: V settles where byte = (1+ε)·τ/T·V, which is 1/(1+ε) of the exact V. So
 * U is then wrong by -ε, up to 2.1 %, however small τ/T is.
 *
 * What would change on TNA: a register can only be written in the stage that reads it: V
 * cannot be written in stage 5 where stage 1 reads it. StoredLoadOfPort is the paper's way
 * out.
 *
 * Clocks are past T when the first packet leaves, so that its τ is T.
 */
#ifndef PINT_LOAD_P4
#define PINT_LOAD_P4

#define PORTS 512

/* The time since the last packet of the port. */
control Interval(in bit<9> port, in bit<32> now, out bit<32> tau) {
    register<bit<32>>(PORTS) last_tick;
    bit<32> last;
    apply {
        last_tick.read(last, (bit<32>)port);
        last_tick.write((bit<32>)port, now);
        tau = now - last;
    }
}

/* log(τ/T), or that τ is T or more. */
control Share(in bit<32> tau, out bit<32> share, out bool expired) {
    action found(bit<32> value) { share = value; expired = false; }
    action none() { share = NO_SHARE; expired = false; }
    action over() { share = 0; expired = true; }
    table shares {
        key = { tau : lpm; }
        actions = { found; none; over; }
        default_action = over();
#include "generated/share_entries.p4"
    }
    apply { shares.apply(); }
}

/* V after a packet, from V before it. */
control NextLoad(in bit<32> old, in bit<32> share, in bool expired, in int<32> queue,
                 in int<32> step, out bit<32> load) {
    int<32> base;
    int<32> alone;
    bit<32> difference;
    bit<32> sum;
    int<32> part;

    action found_log(bit<32> value) { sum = share + value; }
    action no_log() { sum = NO_SUM; }
    table logarithms {
        key = { difference : lpm; }
        actions = { found_log; no_log; }
        default_action = no_log();
#include "generated/difference_entries.p4"
    }
    action found_power(int<32> value) { part = value; }
    table powers {
        key = { sum[26:14] : exact; }
        actions = { found_power; }
        default_action = found_power(0);
#include "generated/power_entries.p4"
    }

    apply {
        difference = (bit<32>)(queue - (int<32>)old);
        base = (int<32>)old |+| step;
        alone = queue |+| step;
        logarithms.apply();
        powers.apply();
        if (expired) {
            load = (bit<32>)alone;
        } else if (difference[31:31] == 1) {
            load = (bit<32>)base |-| (bit<32>)part;
        } else {
            load = (bit<32>)(base |+| part);
        }
    }
}

/* For a switch that updates V in one stage (section 5): one register. Queue and packet
 * have less than 2^26 bytes. */
control LoadOfPort(in bit<9> port, in bit<32> now, in bit<32> queue, in bit<32> bytes,
                   out bit<32> load) {
    register<bit<32>>(PORTS) utilization; // V, 5 fractional bits
    Interval() interval;
    Share() time_share;
    NextLoad() next;
    int<32> backlog; // 5 fractional bits
    int<32> step;
    bit<32> tau;
    bit<32> share;
    bool expired;
    bit<32> old;
    apply {
        backlog = (int<32>)(1w0 ++ queue[25:0] ++ 5w0);
        step = (int<32>)(1w0 ++ bytes[25:0] ++ 5w0);
        interval.apply(port, now, tau);
        utilization.read(old, (bit<32>)port);
        time_share.apply(tau, share, expired);
        next.apply(old, share, expired, backlog, step, load);
        utilization.write((bit<32>)port, load);
    }
}

#ifdef STORED
/* For the others (section 5): the last n values of V are in registers of separate stages,
 * written in turn, here n = 2. A packet reads the newest value and writes the register
 * behind; the n-th is recirculated and takes its V back to the first stage. Until it is
 * there no stage is left to write: packets read the last register, which has V from before
 * the recirculated one, and neither their bytes nor the time before them enter it.
 *
 *   used  a packet reads                 and writes
 *   0     first  (stage 1)               second (stage 6)
 *   1     second (stage 6)               nothing, and is recirculated
 *   2     second (stage 6)               nothing
 *   any   recirculated                   first, and used = 0
 */
control StoredLoadOfPort(in bit<9> port, in bit<32> now, in bit<32> queue, in bit<32> bytes,
                         in bit<1> recirculated, in bit<32> taken_back,
                         out bit<32> load, out bool last) {
    register<bit<2>>(PORTS) used;
    register<bit<32>>(PORTS) first;
    register<bit<32>>(PORTS) second;
    Interval() interval;
    Share() time_share;
    NextLoad() next_1;
    NextLoad() next_2;
    int<32> backlog; // 5 fractional bits
    int<32> step;
    bit<32> tau;
    bit<32> share;
    bool expired;
    bit<2> at;
    bit<32> old;
    bit<32> load_1;
    apply {
        load = taken_back;
        last = false;
        backlog = (int<32>)(1w0 ++ queue[25:0] ++ 5w0);
        step = (int<32>)(1w0 ++ bytes[25:0] ++ 5w0);
        if (recirculated == 1) {
            used.write((bit<32>)port, 0);
            first.write((bit<32>)port, taken_back);
        } else {
            used.read(at, (bit<32>)port);
            if (at < 2) { used.write((bit<32>)port, at + 1); }
            last = at == 1;
            interval.apply(port, now, tau);
            time_share.apply(tau, share, expired);
            first.read(old, (bit<32>)port);
            next_1.apply(old, share, expired, backlog, step, load_1);
            second.read(load, (bit<32>)port);
            if (at == 0) {
                second.write((bit<32>)port, load_1);
                load = load_1;
            } else if (at == 1) {
                next_2.apply(load, share, expired, backlog, step, load);
            }
        }
    }
}
#endif

/* The code of U with 8 fractional bits in one stage: 1/512·1.050625^code, ε = 0.025, from a
 * table of prefixes. It is the code of V less that of 1/512·B·T, a constant of the
 * port; 8 random bits are added. */
control LoadCode(in bit<9> port, in bit<32> load, in bit<32> dice, out bit<32> code) {
    bit<32> least;
    bit<32> rounding;
    action of_rate(bit<32> value) { least = value; }
    table rates {
        key = { port : exact; }
        actions = { of_rate; }
        default_action = of_rate(LOAD_LEAST);
        size = PORTS;
    }
    action encode(bit<32> value) { code = value |-| rounding; }
    table approximate {
        key = { load : lpm; }
        actions = { encode; }
        default_action = encode(0);
#include "generated/load_code_entries.p4"
    }
    apply {
        rates.apply();
        rounding = least - (24w0 ++ dice[31:24]);
        approximate.apply();
    }
}

/* The digest has the largest code of the path. */
control Raise(in bit<32> code, inout bit<8> field) {
    apply {
        if (code[31:16] != 0) {
            field = 0xff;
        } else if (code[15:8] > field) {
            field = code[15:8];
        }
    }
}

#endif
