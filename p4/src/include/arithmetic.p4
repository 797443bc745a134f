/* Logarithms and powers of 2 by table as appendix C of the PINT paper has them, q = 8. Package p4/fixedpoint is the
 * twin of this file and generates its tables.
 *
 * A logarithm is a fixed-point number with 20 fractional bits, negative ones as two's
 * complement in bit<32>.
 */
#ifndef PINT_ARITHMETIC_P4
#define PINT_ARITHMETIC_P4

/* The first set bit of x, ℓ, found by a TCAM: whole = ℓ, and next = the 8 bits behind
 * it. The 32 actions are slices at fixed places. */
control FirstBit(in bit<32> x, out bit<32> whole, out bit<8> next) {
#include "generated/first_bit_actions.p4"
    action none() { whole = NO_LOG; next = 0; }
    table first {
        key = { x : ternary; }
        actions = {
#include "generated/first_bit_names.p4"
            none;
        }
        default_action = none();
#include "generated/first_bit_entries.p4"
    }
    apply { first.apply(); }
}

/* sum = addend + log2(1 + next/256): the fraction of a logarithm, at most 1.44·2^-8 too
 * small. */
control LogFraction(in bit<8> next, in bit<32> addend, out bit<32> sum) {
    action found(bit<32> value) { sum = addend + value; }
    table logarithm {
        key = { next : exact; }
        actions = { found; }
        default_action = found(0);
#include "generated/log_entries.p4"
    }
    apply { logarithm.apply(); }
}

/* mantissa = 2^(fraction/256) with 30 fractional bits. */
control ExpFraction(in bit<8> fraction, out bit<32> mantissa) {
    action found(bit<32> value) { mantissa = value; }
    table power {
        key = { fraction : exact; }
        actions = { found; }
        default_action = found(0);
#include "generated/exp_entries.p4"
    }
    apply { power.apply(); }
}

/* y = mantissa·2^whole with 22 fractional bits; the 32 actions are shifts by fixed
 * amounts. Too large is all ones, too small 0. */
control Shift(in bit<12> whole, in bit<32> mantissa, out bit<32> y) {
#include "generated/shift_actions.p4"
    action too_large() { y = 0xffffffff; }
    action too_small() { y = 0; }
    table shift {
        key = { whole : ternary; }
        actions = {
#include "generated/shift_names.p4"
            too_large;
            too_small;
        }
        default_action = too_small();
#include "generated/shift_entries.p4"
    }
    apply { shift.apply(); }
}

#endif
