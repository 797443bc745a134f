/* PowerTCP's power Γ of the egress port, in bytes: V = Γ·B·T. With A for the bytes that have
 * come since the last packet left, the change of the queue and this packet,
 *
 *   V = V + A + A·queue/(B·T) - V·τ/T
 *
 * Two products are left, and both are taken by logarithms:
 *
 *   1  V; the queue, clipped
 *   2  queue + packet, and the queue that the last packet left; log queue - log(B·T)
 *   3  A; log V
 *   4  clock and τ, if A is not 0; log A + log queue - log(B·T); V + A
 *   5  log(τ/T); A·queue/(B·T), from a table of powers
 *   6  log V + log(τ/T); V + A + A·queue/(B·T)
 *   7  V·τ/T, from a table of powers
 *   8  taken off
 *
 * If nothing has come V stays, and the wait is part of the τ of the next packet. While a queue
 * drains a wait counts as T/8 at most (package pint, Power).
 *
 * What would change on TNA: a register can only be written in the stage that reads it: V
 * cannot be written in stage 8 where stage 1 reads it. Two stored values, as StoredLoadOfPort
 * has them, would take 14 stages.
 */
#ifndef PINT_POWER_P4
#define PINT_POWER_P4

#include "load.p4"

/* What the control plane says of the rate of a port: the code of Γ = 1/16, and -log(B·T). */
control Rate(in bit<9> port, out bit<32> least, out int<32> per_product) {
    action of_rate(bit<32> code, int<32> logarithm) { least = code; per_product = logarithm; }
    table rates {
        key = { port : exact; }
        actions = { of_rate; }
        default_action = of_rate(POWER_LEAST, POWER_PRODUCT);
        size = PORTS;
    }
    apply { rates.apply(); }
}

/* A, with 5 fractional bits, and whether the last packet left a queue behind. */
control Arrivals(in bit<9> port, in bit<32> queue, in bit<32> bytes,
                 out bit<32> came, out bit<1> busy) {
    register<bit<32>>(PORTS) last_queue;
    bit<32> old;
    bit<32> left;
    int<32> total;
    apply {
        left = 1w0 ++ queue[25:0] ++ 5w0;
        last_queue.read(old, (bit<32>)port);
        last_queue.write((bit<32>)port, left);
        total = (int<32>)left |+| (int<32>)(1w0 ++ bytes[25:0] ++ 5w0);
        came = (bit<32>)total |-| old;
        if (old == 0) { busy = 0; } else { busy = 1; }
    }
}

/* log(τ/T), or that τ is T or more. */
control PowerShare(in bit<1> busy, in bit<32> tau, out bit<32> share, out bool expired) {
    action found(bit<32> value) { share = value; expired = false; }
    action none() { share = NO_SHARE; expired = false; }
    action over() { share = 0; expired = true; }
    table shares {
        key = { busy : exact; tau : lpm; }
        actions = { found; none; over; }
        default_action = over();
#include "generated/power_share_entries.p4"
    }
    apply { shares.apply(); }
}

/* A·queue/(B·T). The sum of logarithms is 2017 more than it says, so that it ends where the
 * table of powers does. */
control Product(in bit<32> came, in bit<32> queue, in int<32> per_product, out int<32> more) {
    int<32> of_queue;
    int<32> sum;
    action found_queue(int<32> value) { of_queue = value + per_product; }
    action no_queue() { of_queue = NO_PRODUCT; }
    table queues {
        key = { queue : lpm; }
        actions = { found_queue; no_queue; }
        default_action = no_queue();
#include "generated/queue_log_entries.p4"
    }
    action found_came(int<32> value) { sum = of_queue |+| value; }
    action nothing_came() { sum = NO_PRODUCT; }
    table arrivals {
        key = { came : lpm; }
        actions = { found_came; nothing_came; }
        default_action = nothing_came();
#include "generated/came_log_entries.p4"
    }
    action found_power(int<32> value) { more = value; }
    table products {
        key = { ((bit<32>)sum)[26:14] : exact @name("sum"); }
        actions = { found_power; }
        default_action = found_power(0);
#include "generated/product_entries.p4"
    }
    apply {
        queues.apply();
        arrivals.apply();
        products.apply();
    }
}

/* V·τ/T. */
control Decay(in bit<32> old, in bit<32> share, out bit<32> part) {
    bit<32> logarithm;
    bit<32> sum;
    action found_log(bit<32> value) { logarithm = value; }
    action no_log() { logarithm = NO_SUM; }
    table logarithms {
        key = { old : lpm; }
        actions = { found_log; no_log; }
        default_action = no_log();
#include "generated/number_log_entries.p4"
    }
    action found_power(bit<32> value) { part = value; }
    table powers {
        key = { sum[26:14] : exact; }
        actions = { found_power; }
        default_action = found_power(0);
#include "generated/decay_entries.p4"
    }
    apply {
        logarithms.apply();
        sum = logarithm + share;
        powers.apply();
    }
}

/* V after a packet, in a switch that updates it in one stage. */
control PowerOfPort(in bit<9> port, in bit<32> now, in bit<32> queue, in bit<32> bytes,
                    in int<32> per_product, out bit<32> load) {
    register<bit<32>>(PORTS) power; // V, 5 fractional bits
    Arrivals() arrivals;
    Interval() interval;
    PowerShare() time_share;
    Product() product;
    Decay() decay;
    bit<32> old;
    bit<32> came;
    bit<1> busy;
    bit<32> tau;
    bit<32> share;
    bool expired;
    int<32> base;
    int<32> more;
    bit<32> part;
    apply {
        power.read(old, (bit<32>)port);
        arrivals.apply(port, queue, bytes, came, busy);
        load = old;
        if (came != 0) {
            interval.apply(port, now, tau);
            product.apply(came, queue, per_product, more);
            time_share.apply(busy, tau, share, expired);
            decay.apply(old, share, part);
            base = (int<32>)old |+| (int<32>)came;
            if (expired) {
                load = (bit<32>)((int<32>)came |+| more);
            } else {
                base = base |+| more;
                load = (bit<32>)base |-| part;
            }
            power.write((bit<32>)port, load);
        }
    }
}

/* The code of Γ with 8 fractional bits, 1/16·1.033^code. */
control PowerCode(in bit<32> load, in bit<32> least, in bit<32> dice, out bit<32> code) {
    bit<32> rounding;
    action encode(bit<32> value) { code = value |-| rounding; }
    table approximate {
        key = { load : lpm; }
        actions = { encode; }
        default_action = encode(0);
#include "generated/power_code_entries.p4"
    }
    apply {
        rounding = least - (24w0 ++ dice[31:24]);
        approximate.apply();
    }
}

#endif
