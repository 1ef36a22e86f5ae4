import Foundation
import Glibc

@testable import UpstreamSimulator
@testable import WireFormats

extension FuzzTarget {
    static let base64 = FuzzTarget("base64", words: ["AA==", "AAA=", "+/+/", "////"]) { input in
        let encoded = Base64.encode(input)
        try claim("bytes come back", Base64.decode(encoded) == input)
        try claim("Foundation writes the same", encoded == Array(Data(input).base64EncodedData()))
        let decoded = Base64.decode(input)
        try claim("the simulator reads the same", StrictBase64.decode(input) == decoded)
        if let decoded { try claim("there is one spelling", Base64.encode(decoded) == input) }
        let theirs = Data(base64Encoded: Data(input))
        if let decoded { try claim("Foundation reads the same", theirs.map(Array.init) == decoded) }
        if let theirs, Array(theirs.base64EncodedData()) == input {
            try claim("what Foundation reads and writes, we read", decoded != nil)
        }
    }

    static let ipAddress = FuzzTarget(
        "ip-address",
        longestInput: 64,
        words: ["255.255.255.255", "::ffff:10.0.0.1", "fe80::1%eth0", "2001:db8::", "::"]
    ) { input in
        // The C library's function reads up to a zero.
        guard let text = String(validating: input, as: UTF8.self), !input.contains(0) else { return }
        var room = [UInt8](repeating: 0, count: 16)
        let isAddress = unsafe inet_pton(AF_INET, text, &room) == 1 || inet_pton(AF_INET6, text, &room) == 1
        try claim(
            "what inet_pton reads is an address, and nothing else",
            IPAddress.isValid(text) == isAddress
        )
    }

    /// The kind of app, and the device's id.
    static let deviceID = FuzzTarget(
        "device-id",
        longestInput: 96,
        words: [
            "IOS\n", "android\n", "1E2DFA89-496A-47FD-9941-DF1FC4E6484A", "353490069873368", "a1000009e1b2c3",
        ]
    ) { input in
        var reader = InputReader(input)
        let appType = AppType(inAnyCase: reader.text()) ?? .ios
        let text = reader.remainingText()
        let muid: MUID
        do throws(MUID.Fault) {
            muid = try MUID(deviceID: text, of: appType)
        } catch { return }
        try claim("a digest is one", muid.text.count == 32 && muid.text.allSatisfy(\.isLowercaseHexadecimal))
        try claim(
            "a digest is read as itself",
            try MUID(digest: String(decoding: muid.text, as: UTF8.self)) == muid
        )
        for same in [text.lowercased(), text.uppercased(), " \(text)\n"] {
            try claim("case and white space mean nothing", try MUID(deviceID: same, of: appType) == muid)
        }
        let bytes = Array(text.utf8).trimmingWhiteSpace().map {
            appType == .ios ? $0.uppercased : $0.lowercased
        }
        try claim("the simulator's digest is the same", MD5.hexDigest(of: bytes) == muid.text)
        try claim(
            "somebody has this device",
            bytes.contains { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") }
        )
    }
}
