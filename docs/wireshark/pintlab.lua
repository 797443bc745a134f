-- Wireshark dissectors for INT 2.1, Telemetry Report 2.0 and what else pintlab puts on packets: blocks of telemetry (INT of HPCC,
-- PINT's digests, sketchlets, INT of SketchINT, round-trip times, CSIG), CSIG's tag, and what monitors report. docs/reference/formats describe them.
--
--   tshark -X lua_script:pintlab.lua -r capture.pcapng
--   cp pintlab.lua ~/.local/lib/wireshark/plugins/       -- for every start
--
-- INT is found by the DSCP of the IPv4 or IPv6 header behind TCP and UDP, or by UDP ports: see the preferences of int and int_report.

local INT_DSCP, BLOCK_DSCP, REPORT_PORT = 0x17, 0x27, 32766

-- fields makes the fields of a protocol.
local function fields(proto, list)
	local made, spread = {}, table.unpack or unpack
	for name, f in pairs(list) do
		made[name] = f[1](proto .. "." .. name, spread(f, 2, 5))
	end
	return made
end

local function values(made)
	local list = {}
	for _, f in pairs(made) do
		list[#list + 1] = f
	end
	return list
end

local U8, U16, U24, U32, U64, BYTES, BOOL = ProtoField.uint8, ProtoField.uint16, ProtoField.uint24, ProtoField.uint32, ProtoField.uint64, ProtoField.bytes, ProtoField.bool
local IPv4 = ProtoField.ipv4

local int = Proto("int", "In-band Network Telemetry 2.1")
local i = fields("int", {
	type = {U8, "Type", base.DEC, {[1] = "MD", [2] = "destination", [3] = "MX"}, 0xf0},
	npt = {U8, "Next protocol type", base.DEC, {[0] = "DSCP", [1] = "UDP port", [2] = "IP protocol"}, 0x0c},
	length = {U8, "Length in words"},
	original = {U16, "Original port, protocol or DSCP", base.HEX},
	version = {U8, "Version", base.DEC, nil, 0xf0},
	discard = {BOOL, "Discard", 8, nil, 0x08},
	exceeded = {BOOL, "Hop count exceeded", 8, nil, 0x04},
	mtu = {BOOL, "MTU exceeded", 8, nil, 0x02},
	hop_words = {U8, "Words of a hop", base.DEC, nil, 0x1f},
	remaining = {U8, "Remaining hops"},
	instructions = {U16, "Instructions", base.HEX},
	domain = {U16, "Domain", base.HEX},
	domain_instructions = {U16, "Domain instructions", base.HEX},
	domain_flags = {U16, "Domain flags", base.HEX},
	node = {U32, "Node"},
	ingress = {U32, "Ingress interface"},
	egress = {U32, "Egress interface"},
	latency = {U32, "Hop latency"},
	queue_id = {U8, "Queue"},
	queue = {U24, "Queue occupancy"},
	ingress_time = {U64, "Ingress time"},
	egress_time = {U64, "Egress time"},
	utilization = {U32, "TX utilization"},
	buffer_id = {U8, "Buffer"},
	buffer = {U24, "Buffer occupancy"},
	reserved = {U32, "Reserved value"},
	sent = {U32, "Bytes sent, modulo 2^32"},
	metadata = {BYTES, "Domain-specific metadata"},
	complement = {U32, "Checksum complement", base.HEX},
	drop_queue = {U8, "Queue that dropped it"},
	drop_reason = {U8, "Drop reason"},
	rest = {BYTES, "What is no whole hop"},
})
int.fields = values(i)
local malformed = ProtoExpert.new("int.malformed", "INT that cannot be read", expert.group.MALFORMED, expert.severity.ERROR)
int.experts = {malformed}
int.prefs.dscp = Pref.uint("DSCP of INT behind the transport header", INT_DSCP, "0 for none")
int.prefs.port = Pref.uint("UDP port of INT in the place of the payload, or in a header of its own", 0, "0 for none")
int.prefs.blocks = Pref.uint("DSCP of blocks of telemetry of pintlab", BLOCK_DSCP, "0 for none")

-- wrong says what cannot be read.
local function wrong(tree, text)
	tree:add_proto_expert_info(malformed, text)
end

-- values of 4 or 8 bytes in the order of the instructions, most significant bit first.
local order = {
	{0x8000, 4, function(t, v) t:add(i.node, v) end},
	{0x4000, 4, function(t, v) t:add(i.ingress, v(0, 2)) t:add(i.egress, v(2, 2)) end},
	{0x2000, 4, function(t, v) t:add(i.latency, v) end},
	{0x1000, 4, function(t, v) t:add(i.queue_id, v(0, 1)) t:add(i.queue, v(1, 3)) end},
	{0x0800, 8, function(t, v) t:add(i.ingress_time, v) end},
	{0x0400, 8, function(t, v) t:add(i.egress_time, v) end},
	{0x0200, 8, function(t, v) t:add(i.ingress, v(0, 4)) t:add(i.egress, v(4, 4)) end},
	{0x0100, 4, function(t, v) t:add(i.utilization, v) end},
	{0x0080, 4, function(t, v) t:add(i.buffer_id, v(0, 1)) t:add(i.buffer, v(1, 3)) end},
}
for b = 1, 6 do
	order[#order + 1] = {0x0080 / 2 ^ b, 4, function(t, v) t:add(i.reserved, v) end}
end

local function has(bits, bit)
	return math.floor(bits / bit) % 2 == 1
end

-- size returns the bytes of the values of some instructions.
local function size(bits)
	local n = 0
	for _, x in ipairs(order) do
		if has(bits, x[1]) then
			n = n + x[2]
		end
	end
	return n + (has(bits, 1) and 4 or 0)
end

-- metadata adds the values of one node. The last instruction is the checksum complement, or in reports the reason of a drop, which
-- comes before domain-specific values.
local function metadata(tree, buf, bits, domain, report)
	local at = 0
	for _, x in ipairs(order) do
		if has(bits, x[1]) then
			x[3](tree, buf(at, x[2]))
			at = at + x[2]
		end
	end
	local last = buf:len()
	if has(bits, 1) and report then
		tree:add(i.drop_queue, buf(at, 1))
		tree:add(i.drop_reason, buf(at + 1, 1))
		at = at + 4
	elseif has(bits, 1) then
		last = last - 4
		tree:add(i.complement, buf(last, 4))
	end
	if at < last then
		if domain == 0x504c and last - at == 4 then
			tree:add(i.sent, buf(at, 4))
		else
			tree:add(i.metadata, buf(at, last - at))
		end
	end
end

-- message adds INT and returns the number of its bytes, next protocol type and original value; nil if it cannot be read.
local function message(buf, tree)
	local t = tree:add(int, buf)
	if buf:len() < 4 then
		return wrong(t, "an INT shim needs 4 bytes")
	end
	local kind, npt, words, original = math.floor(buf(0, 1):uint() / 16), math.floor(buf(0, 1):uint() / 4) % 4, buf(1, 1):uint(), buf(2, 2):uint()
	t:add(i.type, buf(0, 1))
	t:add(i.npt, buf(0, 1))
	t:add(i.length, buf(1, 1))
	t:add(i.original, buf(2, 2))
	local whole = 4 + 4 * words
	if kind < 1 or kind > 3 or npt > 2 or whole > buf:len() then
		return wrong(t, "type " .. kind .. ", next protocol type " .. npt .. ", " .. whole .. " bytes of " .. buf:len())
	end
	t:set_len(whole)
	if kind ~= 1 then
		return whole, npt, original
	end
	if words < 3 then
		return wrong(t, "an INT-MD header needs 3 words")
	end
	local bits, hop = buf(8, 2):uint(), buf(6, 1):uint() % 32
	t:add(i.version, buf(4, 1))
	t:add(i.discard, buf(4, 1))
	t:add(i.exceeded, buf(4, 1))
	t:add(i.mtu, buf(4, 1))
	t:add(i.hop_words, buf(6, 1))
	t:add(i.remaining, buf(7, 1))
	t:add(i.instructions, buf(8, 2))
	t:add(i.domain, buf(10, 2))
	t:add(i.domain_instructions, buf(12, 2))
	t:add(i.domain_flags, buf(14, 2))
	if buf(4, 1):uint() < 0x20 or buf(4, 1):uint() > 0x2f then
		return wrong(t, "this is not version 2")
	end
	if size(bits) > 4 * hop then
		return wrong(t, "hops of " .. 4 * hop .. " bytes, whose values take " .. size(bits))
	end
	local at = 16
	while hop > 0 and at + 4 * hop <= whole do
		local b = buf(at, 4 * hop)
		metadata(t:add(b, "Hop"), b, bits, buf(10, 2):uint(), false)
		at = at + 4 * hop
	end
	if at < whole then
		t:add(i.rest, buf(at, whole - at))
	end
	return whole, npt, original
end

local blocks = Proto("pintlab", "pintlab telemetry")
local kinds = {[1] = "INT of HPCC", [2] = "INT sent back", [3] = "PINT digest", [4] = "sketchlet", [5] = "INT of SketchINT", [6] = "round-trip time", [7] = "CSIG sent back", [8] = "INT of HPCC, in other fields", [9] = "INT of SketchINT, with drops", [10] = "IOAM sent back", [11] = "IFA sent back"}
local signals = {[0] = "ABW", [1] = "ABW/C", [2] = "delay", [3] = "queue"}
local p = fields("pintlab", {
	seq = {U32, "Sequence number"},
	kind = {U8, "Packet", base.DEC, {[0] = "data", [1] = "ACK", [2] = "NACK", [3] = "control", [4] = "returned"}, 0xf0},
	class = {U8, "Class", base.DEC, nil, 0x0f},
	echo = {BOOL, "Mark echoed, or payload trimmed", 8, nil, 0x10},
	last = {BOOL, "Last of the flow", 8, nil, 0x20},
	again = {BOOL, "Sent before", 8, nil, 0x40},
	reduced = {BOOL, "Window reduced", 8, nil, 0x80},
	blocks = {U8, "Blocks", base.DEC, nil, 0x0f},
	block = {U16, "Block", base.DEC, kinds, 0xf000},
	length = {U16, "Length", base.DEC, nil, 0x0fff},
	digest = {BYTES, "Digest"},
	trace = {BYTES, "Trace option of IOAM"},
	device = {U16, "Device"},
	active = {U16, "Active bit, the lowest bit of the interval", base.DEC, nil, 0x8000},
	interval = {U16, "Interval without its lowest bit", base.DEC, nil, 0x7ff0},
	place = {U32, "Place"},
	cell = {U32, "Counter"},
	switch = {U16, "Switch"},
	latency = {U32, "Latency (ns)"},
	drops = {U32, "Packets that the switch has dropped"},
	rtt = {U16, "Round-trip time"},
	src = {IPv4, "Source of the packet"},
	dst = {IPv4, "Destination of the packet"},
	src_port = {U16, "Source port of the packet"},
	dst_port = {U16, "Destination port of the packet"},
	protocol = {U8, "Protocol of the packet"},
	hops = {U8, "Hops of the packet"},
	number = {U32, "Number of the packet in its flow"},
})
blocks.fields = values(p)
local hpcc = Proto("hpcc", "INT of HPCC")
local h = fields("hpcc", {
	hops = {U16, "Hops"}, rate = {U8, "Link rate", base.DEC, {[0] = "25 Gb/s", [1] = "50 Gb/s", [2] = "100 Gb/s", [3] = "200 Gb/s", [4] = "400 Gb/s", [7] = "other"}},
	time = {U64, "Time, in its unit"}, sent = {U64, "Bytes sent, in their unit"}, queue = {U64, "Queue, in its unit"},
	bits = {U8, "Bits of a field"}, unit = {U64, "Unit of a field (ps or B)"},
})
hpcc.fields = values(h)
local csig = Proto("csig", "Congestion Signalling tag")
local c = fields("csig", {
	ethertype = {U16, "EtherType", base.HEX}, signal = {U8, "Signal", base.DEC, signals}, value = {U32, "Value"}, locator = {U16, "Locator"},
})
csig.fields = values(c)

-- tag adds a tag of CSIG with its EtherType, compact in 4 bytes or wide in 8.
local function tag(buf, tree)
	local t = tree:add(csig, buf)
	t:add(c.ethertype, buf(0, 2))
	if buf:len() == 4 then
		t:add(c.signal, buf(2, 1), buf(2, 2):bitfield(0, 3))
		t:add(c.value, buf(2, 2), buf(2, 2):bitfield(4, 5))
		t:add(c.locator, buf(3, 1), buf(2, 2):bitfield(9, 7))
	elseif buf:len() == 8 then
		t:add(c.locator, buf(2, 2))
		t:add(c.signal, buf(4, 1), buf(4, 4):bitfield(0, 4))
		t:add(c.value, buf(4, 3), buf(4, 4):bitfield(4, 20))
	end
end

-- of HPCC: a hop is 64 bits, little-endian: rate, time (ns), bytes sent (512 B), queue (320 B), unless widths says other bits.
local function stack(buf, tree, widths)
	local n = buf:len()
	local t = tree:add(hpcc, buf)
	if n < 2 or (n - 2) % 8 ~= 0 or buf(n - 2, 2):le_uint() > (n - 2) / 8 then
		return wrong(t, "INT of HPCC in " .. n .. " bytes")
	end
	widths = widths or {24, 20, 17}
	t:add_le(h.hops, buf(n - 2, 2))
	for k = 1, buf(n - 2, 2):le_uint() do
		local b = buf(8 * (k - 1), 8)
		local v, hop = b:le_uint64(), t:add(b, "Hop")
		hop:add(h.rate, b, (v % 8):tonumber())
		v = v:rshift(3)
		for x, field in ipairs({h.time, h.sent, h.queue}) do
			hop:add(field, b, v % UInt64(1):lshift(widths[x]))
			v = v:rshift(widths[x])
		end
	end
end

-- fitted adds INT of HPCC behind the bits (8) and the units (64) of time, bytes sent and queue.
local function fitted(buf, tree)
	local widths, sum = {}, 3
	for at = 0, 18, 9 do
		tree:add(h.bits, buf(at, 1))
		tree:add(h.unit, buf(at + 1, 8))
		widths[#widths + 1] = buf(at, 1):uint()
		sum = sum + buf(at, 1):uint()
	end
	if sum > 64 or buf:len() < 29 then
		return wrong(tree, "hops of " .. sum .. " bits in " .. buf:len() .. " bytes")
	end
	stack(buf(27), tree, widths)
end

-- sketchlet adds a sketchlet.
local function sketchlet(b, t)
	t:add(p.device, b(0, 2)) t:add(p.active, b(2, 2)) t:add(p.interval, b(2, 2)) t:add(p.place, b(4, 4))
	for at = 8, b:len() - 4, 4 do t:add(p.cell, b(at, 4)) end
end

-- records adds the records of SketchINT, of 6 bytes or, with drops, of 10.
local function records(b, t, size)
	for at = 2, b:len() - size, size do
		t:add(p.switch, b(at, 2)) t:add(p.latency, b(at + 2, 4))
		if size > 6 then t:add(p.drops, b(at + 6, 4)) end
	end
end

local ifa = Proto("ifa", "In-band Flow Analyzer 2.0")
local a = fields("ifa", {
	version = {U8, "Version", base.DEC, nil, 0xf0}, gns = {U8, "Global name space", base.DEC, nil, 0x0f},
	src_port = {U16, "Source port"}, dst_port = {U16, "Destination port"}, protocol = {U8, "Original protocol"}, flags = {U8, "Flags", base.HEX}, most = {U8, "Most words"},
	request = {U8, "Request vector", base.HEX}, action = {U8, "Action vector", base.HEX}, limit = {U8, "Hop limit"}, words = {U8, "Words"},
	lns = {U8, "Local name space", base.DEC, nil, 0xf0}, device = {U24, "Device", base.DEC, nil, 0x0fffff}, ttl = {U8, "TTL"},
	speed = {U8, "Speed", base.DEC, {[0] = "10 Gb/s", [1] = "25 Gb/s", [2] = "40 Gb/s", [3] = "50 Gb/s", [4] = "100 Gb/s", [5] = "200 Gb/s", [6] = "400 Gb/s"}, 0xf0},
	seconds = {U24, "Arrival, seconds", base.DEC, nil, 0x0fffff}, egress = {U16, "Egress port"}, ingress = {U16, "Ingress port"},
	ns = {U32, "Arrival, ns"}, residence = {U32, "Residence (ns)"}, sent = {U32, "Bytes sent, modulo 2^32"}, queue = {U16, "Queue, in its unit"},
})
ifa.fields = values(a)

-- flow adds the metadata header and the records of IFA, and returns their bytes; nil if they cannot be read.
local function flow(buf, tree)
	if buf:len() < 4 then
		return wrong(tree, "a metadata header of IFA needs 4 bytes")
	end
	local n = 4 * buf(3, 1):uint()
	local t = tree:add(ifa, buf(0, math.min(buf:len(), 4 + n)))
	for at, f in ipairs({a.request, a.action, a.limit, a.words}) do t:add(f, buf(at - 1, 1)) end
	if n % 32 ~= 0 or 4 + n > buf:len() then
		return wrong(t, "records of " .. n .. " bytes, " .. buf:len() - 4 .. " are there")
	end
	for at = 4, n, 32 do
		local b = t:add(buf(at, 32), "Record")
		b:add(a.lns, buf(at, 1)) b:add(a.device, buf(at, 3)) b:add(a.ttl, buf(at + 3, 1)) b:add(a.speed, buf(at + 4, 1))
		b:add(a.seconds, buf(at + 5, 3)) b:add(a.egress, buf(at + 8, 2)) b:add(a.ingress, buf(at + 10, 2)) b:add(a.ns, buf(at + 12, 4))
		b:add(a.residence, buf(at + 16, 4)) b:add(a.sent, buf(at + 20, 4)) b:add(a.queue, buf(at + 26, 2))
	end
	return 4 + n
end

local show = {
	[1] = function(b, t) stack(b, t) end,
	[2] = message,
	[3] = function(b, t) t:add(p.digest, b) end,
	[4] = sketchlet,
	[5] = function(b, t) records(b, t, 6) end,
	[6] = function(b, t) t:add(p.rtt, b(0, 2)) end,
	[7] = tag,
	[8] = fitted,
	[9] = function(b, t) records(b, t, 10) end,
	[10] = function(b, t) t:add(p.trace, b) end,
	[11] = flow,
}
local least = {[4] = 8, [6] = 2, [7] = 4, [8] = 27}

-- telemetry adds blocks behind their header.
local function telemetry(buf, tree)
	local t = tree:add(blocks, buf)
	if buf:len() < 6 then
		return wrong(t, "blocks need a header of 6 bytes")
	end
	t:add(p.seq, buf(0, 4))
	t:add(p.kind, buf(4, 1))
	t:add(p.class, buf(4, 1))
	for _, f in ipairs({p.echo, p.last, p.again, p.reduced, p.blocks}) do
		t:add(f, buf(5, 1))
	end
	local at = 6
	for _ = 1, buf(5, 1):uint() % 16 do
		if at + 2 > buf:len() then
			return wrong(t, "the packet ends before a block")
		end
		local kind, n = math.floor(buf(at, 2):uint() / 4096), buf(at, 2):uint() % 4096
		local b = t:add(buf(at, math.min(2 + n, buf:len() - at)), kinds[kind] or "unknown block")
		b:add(p.block, buf(at, 2))
		b:add(p.length, buf(at, 2))
		if at + 2 + n > buf:len() or n < (least[kind] or 0) or not show[kind] then
			return wrong(b, "a block of kind " .. kind .. " with " .. n .. " bytes, " .. buf:len() - at - 2 .. " are there")
		end
		if n > 0 then
			show[kind](buf(at + 2, n), b)
		end
		at = at + 2 + n
	end
	t:set_len(at)
end

-- follow adds INT, more INT and blocks, as each original DSCP says.
local function follow(buf, tree, dscp)
	for _ = 1, 16 do
		if dscp == 0 or buf:len() == 0 then
			return
		elseif dscp == int.prefs.dscp then
			local n, npt, original = message(buf, tree)
			if not n or npt ~= 0 or n >= buf:len() then
				return
			end
			buf, dscp = buf(n):tvb(), math.floor(original / 4) % 64
		elseif dscp == int.prefs.blocks then
			return telemetry(buf, tree)
		else
			return
		end
	end
end

local report = Proto("int_report", "Telemetry Report 2.0")
local r = fields("int_report", {
	version = {U8, "Version", base.DEC, nil, 0xf0},
	hardware = {U16, "Hardware ID", base.DEC, nil, 0x0fc0},
	sequence = {U32, "Sequence number", base.DEC, nil, 0x003fffff},
	node = {U32, "Node"},
	type = {U8, "Report type", base.DEC, {[0] = "inner only", [1] = "INT", [2] = "IOAM"}, 0xf0},
	inner = {U8, "Inner type", base.DEC, {[0] = "none", [1] = "TLV", [2] = "domain specific", [3] = "Ethernet", [4] = "IPv4", [5] = "IPv6"}, 0x0f},
	length = {U8, "Length in words"},
	md_length = {U8, "Metadata length in words"},
	dropped = {BOOL, "Dropped", 8, nil, 0x80},
	congested = {BOOL, "Congested queue", 8, nil, 0x40},
	tracked = {BOOL, "Tracked flow", 8, nil, 0x20},
	intermediate = {BOOL, "Intermediate report", 8, nil, 0x10},
	bits = {U16, "Metadata bits", base.HEX},
	domain = {U16, "Domain", base.HEX},
	domain_bits = {U16, "Domain metadata bits", base.HEX},
	domain_status = {U16, "Domain metadata status", base.HEX},
	contents = {BYTES, "Contents"},
})
report.fields = values(r)
report.prefs.port = Pref.uint("UDP port", REPORT_PORT, "of telemetry reports")
local inner = {[3] = "eth_withoutfcs", [4] = "ip", [5] = "ipv6"}

-- one adds an individual report and returns its bytes.
local function one(buf, pinfo, tree)
	local words, md = buf(1, 1):uint(), 4 * buf(2, 1):uint()
	local n = words == 255 and math.max(1024, buf:len()) or 4 + 4 * words
	local t = tree:add(buf(0, math.min(n, buf:len())), "Report")
	for _, f in ipairs({r.type, r.inner}) do t:add(f, buf(0, 1)) end
	t:add(r.length, buf(1, 1))
	t:add(r.md_length, buf(2, 1))
	for _, f in ipairs({r.dropped, r.congested, r.tracked, r.intermediate}) do t:add(f, buf(3, 1)) end
	if n > buf:len() then
		wrong(t, "a report of " .. n .. " bytes, " .. buf:len() .. " are there")
		return
	end
	local at, kind, what, domain = 4, math.floor(buf(0, 1):uint() / 16), buf(0, 1):uint() % 16, 0
	if kind == 1 then
		if n < 12 + md or size(buf(4, 2):uint()) > md then
			wrong(t, "metadata of " .. md .. " bytes do not fit the report or its bits")
			return
		end
		t:add(r.bits, buf(4, 2))
		t:add(r.domain, buf(6, 2))
		t:add(r.domain_bits, buf(8, 2))
		t:add(r.domain_status, buf(10, 2))
		if md > 0 then
			metadata(t, buf(12, md):tvb(), buf(4, 2):uint(), buf(6, 2):uint(), true)
		end
		at, domain = 12 + md, buf(6, 2):uint()
	end
	if what == 2 and domain == 0x504c and n - at > 18 then
		local b = t:add(blocks, buf(at, n - at))
		b:add(p.src, buf(at, 4)) b:add(p.dst, buf(at + 4, 4))
		b:add(p.src_port, buf(at + 8, 2)) b:add(p.dst_port, buf(at + 10, 2))
		b:add(p.protocol, buf(at + 12, 1)) b:add(p.hops, buf(at + 13, 1))
		b:add(p.number, buf(at + 14, 4)) b:add(p.digest, buf(at + 18, n - at - 18))
	elseif at < n and inner[what] then
		local d = Dissector.get(inner[what])
		pcall(d.call, d, buf(at, n - at):tvb(), pinfo, t) -- which says itself what is malformed
	elseif at < n then
		t:add(r.contents, buf(at, n - at))
	end
	return n
end

function report.dissector(buf, pinfo, tree)
	if buf:len() < 8 or math.floor(buf(0, 1):uint() / 16) ~= 2 then
		return 0
	end
	pinfo.cols.protocol = "INT-REPORT"
	local t = tree:add(report, buf())
	t:add(r.version, buf(0, 1))
	t:add(r.hardware, buf(0, 2))
	t:add(r.sequence, buf(0, 4))
	t:add(r.node, buf(4, 4))
	local at = 8
	while at + 4 <= buf:len() do
		local n = one(buf(at):tvb(), pinfo, t)
		if not n then
			break
		end
		at = at + n
	end
	return buf:len()
end

function int.dissector(buf, pinfo, tree)
	local n = message(buf, tree)
	return n or buf:len()
end

-- INT by DSCP has no port, so a postdissector finds it in the payload of TCP and UDP.
local post = Proto("int_post", "INT behind TCP and UDP")
local DSCP4, DSCP6, UDP, TCP = Field.new("ip.dsfield.dscp"), Field.new("ipv6.tclass.dscp"), Field.new("udp.payload"), Field.new("tcp.payload")
function post.dissector(buf, pinfo, tree)
	local marks = {DSCP4()}
	if #marks == 0 then
		marks = {DSCP6()}
	end
	local bodies = {UDP()}
	for _, f in ipairs({TCP()}) do
		bodies[#bodies + 1] = f
	end
	for k, mark in ipairs(marks) do
		if bodies[k] and (mark.value == int.prefs.dscp or mark.value == int.prefs.blocks) then
			follow(bodies[k].range:tvb(), tree, mark.value)
		end
	end
end
register_postdissector(post)

-- IFA before the transport header, and its records behind it, in front of what a DSCP announces.
ifa.prefs.protocol = Pref.uint("IP protocol", 253, "of IFA, which is not assigned")
function ifa.dissector(buf, pinfo, tree)
	if buf:len() < 4 or math.floor(buf(0, 1):uint() / 16) ~= 2 then
		return 0
	end
	local t, proto = tree:add(ifa, buf(0, 4)), buf(1, 1):uint()
	t:add(a.version, buf(0, 1)) t:add(a.gns, buf(0, 1)) t:add(a.protocol, buf(1, 1)) t:add(a.flags, buf(2, 1)) t:add(a.most, buf(3, 1))
	local head = 8
	if proto == 6 then
		head = buf:len() > 16 and 4 * math.floor(buf(16, 1):uint() / 16) or 20
	end
	if (proto ~= 6 and proto ~= 17) or buf:len() < 4 + head then
		return wrong(t, "protocol " .. proto .. " in " .. buf:len() - 4 .. " bytes") or buf:len()
	end
	t:add(a.src_port, buf(4, 2)) t:add(a.dst_port, buf(6, 2)) -- Wireshark's dissectors would not know that records follow
	pinfo.cols.protocol = "IFA"
	local n = buf:len() > 4 + head and flow(buf(4 + head):tvb(), tree)
	if n and 4 + head + n < buf:len() then
		local marks = {DSCP4()}
		follow(buf(4 + head + n):tvb(), tree, #marks > 0 and marks[1].value or 0)
	end
	return buf:len()
end
local protocols, known = DissectorTable.get("ip.proto")
local function renumber()
	if known then protocols:remove(known, ifa) end
	known = ifa.prefs.protocol
	if known > 0 then protocols:add(known, ifa) end
end
ifa.prefs_changed = renumber
renumber()

-- A tag of CSIG, and the packet behind it.
local types = DissectorTable.get("ethertype")
function csig.dissector(buf, pinfo, tree)
	local wide = pinfo.match == 0x9901 and 6 or 2
	if buf:len() < wide + 2 then
		return 0
	end
	local t = tree:add(csig, buf(0, wide + 2))
	if wide == 2 then
		t:add(c.signal, buf(0, 1), buf(0, 2):bitfield(0, 3))
		t:add(c.value, buf(0, 2), buf(0, 2):bitfield(4, 5))
		t:add(c.locator, buf(1, 1), buf(0, 2):bitfield(9, 7))
	else
		t:add(c.locator, buf(0, 2))
		t:add(c.signal, buf(2, 1), buf(2, 4):bitfield(0, 4))
		t:add(c.value, buf(2, 3), buf(2, 4):bitfield(4, 20))
	end
	if buf:len() > wide + 2 then
		pcall(types.try, types, buf(wide, 2):uint(), buf(wide + 2):tvb(), pinfo, tree) -- which says itself what is malformed
	end
	return buf:len()
end
types:add(0x9900, csig)
types:add(0x9901, csig)

-- What LightGuardian and SketchINT report goes to ports of their own.
local lightguardian = Proto("lightguardian", "LightGuardian sketchlets")
function lightguardian.dissector(buf, pinfo, tree)
	if buf:len() % 24 ~= 0 then
		return 0
	end
	pinfo.cols.protocol = "LightGuardian"
	local t = tree:add(lightguardian, buf())
	for at = 0, buf:len() - 24, 24 do
		sketchlet(buf(at, 24), t:add(buf(at, 24), "Sketchlet"))
	end
	return buf:len()
end
local sketchint = Proto("sketchint", "SketchINT frame")
local s = fields("sketchint", {number = {U32, "Frame"}, agent = {U32, "Agent"}, place = {U32, "First byte of the sketches"}, part = {BYTES, "Part of the sketches"}})
sketchint.fields = values(s)
function sketchint.dissector(buf, pinfo, tree)
	if buf:len() < 12 then
		return 0
	end
	pinfo.cols.protocol = "SketchINT"
	local t = tree:add(sketchint, buf())
	t:add(s.number, buf(0, 4)) t:add(s.agent, buf(4, 4)) t:add(s.place, buf(8, 4))
	if buf:len() > 12 then
		t:add(s.part, buf(12))
	end
	return buf:len()
end
DissectorTable.get("udp.port"):add(32764, lightguardian)
DissectorTable.get("udp.port"):add(32765, sketchint)

-- Ports follow the preferences.
local ports, set = DissectorTable.get("udp.port"), {}
local function listen()
	for port, proto in pairs(set) do
		ports:remove(port, proto)
	end
	set = {}
	if report.prefs.port > 0 then set[report.prefs.port] = report end
	if int.prefs.port > 0 then set[int.prefs.port] = int end
	for port, proto in pairs(set) do
		ports:add(port, proto)
	end
end
int.prefs_changed, report.prefs_changed = listen, listen
listen()
