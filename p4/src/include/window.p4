/* Bytes that left each port in the last whole window of a clock. */
#ifndef WINDOW_P4
#define WINDOW_P4

#define PORTS 512

/* window is the number of the present one. */
control WindowBytes(in bit<9> port, in bit<32> window, in bit<32> size, out bit<32> bytes) {
    register<bit<32>>(PORTS) windows; // of the last packet
    register<bit<32>>(PORTS) sums;    // of this window
    register<bit<32>>(PORTS) whole;   // of the last whole one
    bit<32> last;
    bit<32> sum;
    bit<32> next;
    apply {
        windows.read(last, (bit<32>)port);
        windows.write((bit<32>)port, window);
        next = last + 1;
        sums.read(sum, (bit<32>)port);
        if (window == last) {
            sums.write((bit<32>)port, sum |+| size);
            whole.read(bytes, (bit<32>)port);
        } else {
            sums.write((bit<32>)port, size);
            bytes = 0;
            if (window == next) { bytes = sum; }
            whole.write((bit<32>)port, bytes);
        }
    }
}

#endif
