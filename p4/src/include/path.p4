/* Path tracing (sections 4.2 and 5, Algorithm 1): layer, g, h, write. The probabilities of the
 * coding scheme are those of table scheme, which the control plane can change; switches and
 * collector have to agree on them. */
#ifndef PINT_PATH_P4
#define PINT_PATH_P4

control PathDigest(in bit<32> seed, in bit<64> packet, in bit<8> hop, in bit<32> switch_id,
                   inout bit<8> field) {
    Word() layer_hash;
    Word() act_hash;
    Word() value_hash;
    Reservoir() reservoir;
    bit<32> layer;
    bit<32> g;
    bit<32> h;
    bool overwrite;
    bit<32> tau;   // of layer 0, in units of 2^-32
    bit<32> xor_p; // with which a hop acts in layer 1
    bool layer_0;
    bool acts;
    action probabilities(bit<32> layer_0_below, bit<32> acts_below) {
        tau = layer_0_below;
        xor_p = acts_below;
    }
    table scheme {
        actions = { probabilities; }
        default_action = probabilities(TAU, XOR_P);
    }
    apply {
        scheme.apply();
        layer_hash.apply(seed, H_LAYER, 0, packet, 0, layer);                          // line 1
        act_hash.apply(seed, G_ACT, 0, packet, (bit<64>)hop, g);
        value_hash.apply(seed, H_VALUE, 0, packet, (bit<64>)switch_id, h);
        reservoir.apply(hop, g, overwrite);
        layer_0 = layer < tau; // side by side, for a gateway cannot compare with such numbers
        acts = g < xor_p;
        if (layer_0) {                                                                 // line 2
            if (overwrite) { field = h[31:24]; }                                      // lines 3, 4
        } else if (acts) {                                                             // line 7
            field = field ^ h[31:24];                                                // line 8
        }
    }
}

#endif
