// The v1model architecture: a parser, checksum verification, ingress, egress, checksum
// update and a deparser, as BMv2's simple_switch has them.
//
// V1MODEL_VERSION chooses between the declarations before and from 8 April 2020, when
// some externs got a type parameter for their index.

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

#include <core.p4>

const bit<32> __v1model_version = V1MODEL_VERSION;

match_kind {
    range,
    optional, // a value or anything
    selector  // input of an action selector
}

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#define V1MODEL_PORT PortId_t
#else
#define V1MODEL_PORT bit<9>
#endif

struct standard_metadata_t {
    V1MODEL_PORT ingress_port;
    V1MODEL_PORT egress_spec;  // set by ingress; 511 drops
    V1MODEL_PORT egress_port;  // valid in egress
    bit<32> instance_type;     // 0 normal, 1 and 2 clones of ingress and egress, 4 recirculated, 5 replicated, 6 resubmitted
    bit<32> packet_length;     // bytes
    bit<32> enq_timestamp;     // microseconds
    bit<19> enq_qdepth;
    bit<32> deq_timedelta;
    bit<19> deq_qdepth;
    bit<48> ingress_global_timestamp; // microseconds
    bit<48> egress_global_timestamp;
    bit<16> mcast_grp;         // 0 is no multicast
    bit<16> egress_rid;
    bit<1>  checksum_error;
    error   parser_error;
    bit<3>  priority;
}
#undef V1MODEL_PORT

enum CounterType { packets, bytes, packets_and_bytes }
enum MeterType { packets, bytes }

#if V1MODEL_VERSION >= 20200408
extern counter<I> {
    counter(bit<32> size, CounterType type);
    void count(in I index);
}
extern meter<I> {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in I index, out T result);
}
extern register<T, I> {
    register(bit<32> size);
    void read(out T result, in I index);
    void write(in I index, in T value);
}
#else
extern counter {
    counter(bit<32> size, CounterType type);
    void count(in bit<32> index);
}
extern meter {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in bit<32> index, out T result);
}
extern register<T> {
    register(bit<32> size);
    void read(out T result, in bit<32> index);
    void write(in bit<32> index, in T value);
}
#endif

extern direct_counter {
    direct_counter(CounterType type);
    void count();
}
extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

extern action_profile {
    action_profile(bit<32> size);
}

enum HashAlgorithm { crc32, crc32_custom, crc16, crc16_custom, random, identity, csum16, xor16 }

extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

enum CloneType { I2E, E2E }

extern void random<T>(out T result, in T lo, in T hi);
extern void digest<T>(in bit<32> receiver, in T data);
extern void mark_to_drop();
extern void mark_to_drop(inout standard_metadata_t standard_metadata);
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);
extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);
extern void clone(in CloneType type, in bit<32> session);
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);
extern void resubmit<T>(in T data);
extern void resubmit_preserving_field_list(bit<8> index);
extern void recirculate<T>(in T data);
extern void recirculate_preserving_field_list(bit<8> index);
extern void truncate(in bit<32> length);
extern void assert(in bool check);
extern void assume(in bool check);
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

parser Parser<H, M>(packet_in b, out H parsedHdr, inout M meta, inout standard_metadata_t standard_metadata);
control VerifyChecksum<H, M>(inout H hdr, inout M meta);
control Ingress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);
control Egress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);
control ComputeChecksum<H, M>(inout H hdr, inout M meta);
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(Parser<H, M> p,
                       VerifyChecksum<H, M> vr,
                       Ingress<H, M> ig,
                       Egress<H, M> eg,
                       ComputeChecksum<H, M> ck,
                       Deparser<H> dep);

#endif
