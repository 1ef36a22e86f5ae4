/// The digest by which Tencent knows a device, computed by the simulators' own code.
package enum SimulatedMuid {
    /// Returns the digest of an IDFA in upper case, or of an IMEI.
    package static func text(of deviceID: String) -> String {
        String(decoding: MD5.hexDigest(of: Array(deviceID.utf8)), as: UTF8.self)
    }
}

/// MD5 (RFC 1321). The simulator has its own implementation, so that it checks a worker's digest
/// independently of the worker's code.
enum MD5 {
    /// The digest of `message` as 32 hexadecimal digits in lower case.
    static func hexDigest(of message: [UInt8]) -> [UInt8] {
        var state = State()
        for start in stride(from: 0, to: message.count - message.count % 64, by: 64) {
            state.absorb(message, at: start)
        }
        var tail = Array(message[(message.count - message.count % 64)...])
        tail.append(0x80)
        while tail.count % 64 != 56 {
            tail.append(0)
        }
        let bitCount = UInt64(message.count) &* 8
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            tail.append(UInt8(truncatingIfNeeded: bitCount &>> shift))
        }
        for start in stride(from: 0, to: tail.count, by: 64) {
            state.absorb(tail, at: start)
        }
        return state.hexDigits
    }

    private struct State {
        private var a: UInt32 = 0x6745_2301
        private var b: UInt32 = 0xefcd_ab89
        private var c: UInt32 = 0x98ba_dcfe
        private var d: UInt32 = 0x1032_5476

        /// Processes one block of 64 bytes.
        mutating func absorb(_ bytes: [UInt8], at start: Int) {
            var (a, b, c, d) = (self.a, self.b, self.c, self.d)
            for step in 0..<64 {
                let mixed: UInt32
                let word: Int
                switch step {
                case 0..<16:
                    mixed = (b & c) | (~b & d)
                    word = step
                case 16..<32:
                    mixed = (d & b) | (~d & c)
                    word = (5 &* step &+ 1) & 15
                case 32..<48:
                    mixed = b ^ c ^ d
                    word = (3 &* step &+ 5) & 15
                default:
                    mixed = c ^ (b | ~d)
                    word = (7 &* step) & 15
                }
                let at = start &+ word &* 4
                let input =
                    UInt32(bytes[at]) | UInt32(bytes[at &+ 1]) &<< 8
                    | UInt32(bytes[at &+ 2]) &<< 16 | UInt32(bytes[at &+ 3]) &<< 24
                let sum = a &+ mixed &+ MD5.sines[step] &+ input
                let turn = MD5.turns[(step &>> 4) &* 4 &+ (step & 3)]
                (a, d, c, b) = (d, c, b, b &+ (sum &<< turn | sum &>> (32 &- turn)))
            }
            self.a &+= a
            self.b &+= b
            self.c &+= c
            self.d &+= d
        }

        var hexDigits: [UInt8] {
            var digits: [UInt8] = []
            digits.reserveCapacity(32)
            for word in [self.a, self.b, self.c, self.d] {
                for shift in stride(from: UInt32(0), to: 32, by: 8) {
                    let byte = UInt8(truncatingIfNeeded: word &>> shift)
                    digits.append(Hex.lowerCase(byte &>> 4))
                    digits.append(Hex.lowerCase(byte & 15))
                }
            }
            return digits
        }
    }

    private static let turns: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

    /// The constants of RFC 1321: the integer part of 2³² · |sin(i + 1)|.
    private static let sines: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee,
        0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be,
        0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa,
        0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed,
        0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c,
        0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05,
        0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039,
        0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1,
        0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]
}
