internal import Cryptography
internal import Foundation

/// The broker's side of one SCRAM exchange (RFC 5802), without channel binding.
struct Scram {
    /// The client's message does not belong here, or its proof is wrong.
    struct Refused: Error { var reason: String }

    private enum Stage {
        case awaitsFirst
        case awaitsFinal(Exchange)
        case done
    }

    /// The parts of the exchange that the proof is about.
    private struct Exchange {
        var user: String
        var clientFirstBare: String
        var serverFirst: String
        /// The broker's own part of the nonce.
        var nonce: String
        var salt: [UInt8]
    }

    private let digest: Digest
    private let passwords: [String: String]
    private var stage = Stage.awaitsFirst

    /// Kafka's own number of iterations is as small.
    private static let iterations = 4_096

    init(_ digest: Digest, passwords: [String: String]) {
        self.digest = digest
        self.passwords = passwords
    }

    /// The user, once the proof is accepted.
    private(set) var user: String?

    /// Answers a message of the client.
    mutating func answer(_ message: [UInt8]) throws(Refused) -> [UInt8] {
        guard let text = String(validating: message, as: UTF8.self) else {
            throw Refused(reason: "not UTF-8")
        }
        switch self.stage {
        case .awaitsFirst: return Array(try self.answerFirst(text).utf8)
        case .awaitsFinal(let exchange): return Array(try self.answerFinal(text, exchange).utf8)
        case .done: throw Refused(reason: "the exchange is over")
        }
    }

    private mutating func answerFirst(_ text: String) throws(Refused) -> String {
        // The header of channel binding: `n` for none, and an authorization id that may be empty.
        let parts = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "n" else { throw Refused(reason: "no client-first-message") }
        let bare = String(parts[2])
        guard let name = Self.field("n", of: bare), let nonce = Self.field("r", of: bare), !nonce.isEmpty
        else { throw Refused(reason: "no client-first-message") }
        let user = name.replacing("=2C", with: ",").replacing("=3D", with: "=")
        let salt = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let ownNonce = String(UInt64.random(in: 0 ... .max), radix: 36)
        let first = "r=\(nonce)\(ownNonce),s=\(Data(salt).base64EncodedString()),i=\(Self.iterations)"
        self.stage = .awaitsFinal(
            Exchange(user: user, clientFirstBare: bare, serverFirst: first, nonce: ownNonce, salt: salt)
        )
        return first
    }

    private mutating func answerFinal(_ text: String, _ exchange: Exchange) throws(Refused) -> String {
        self.stage = .done
        // Kafka looks at the end alone, and librdkafka 2.0.2 sends its own part of the nonce twice.
        guard Self.field("r", of: text)?.hasSuffix(exchange.nonce) ?? false,
            let proof = Self.field("p", of: text).flatMap({ Data(base64Encoded: $0) }),
            let end = text.range(of: ",p=", options: .backwards)
        else { throw Refused(reason: "no client-final-message") }
        let password = self.passwords[exchange.user]
        let salted = self.salted(password ?? "", exchange.salt)
        let clientKey = self.authenticate(Array("Client Key".utf8), salted)
        let signed = [exchange.clientFirstBare, exchange.serverFirst, String(text[..<end.lowerBound])]
        let message = Array(signed.joined(separator: ",").utf8)
        let signature = self.authenticate(message, self.digest(clientKey))
        guard password != nil, Array(proof) == Self.combined(clientKey, signature) else {
            throw Refused(reason: "invalid credentials")
        }
        self.user = exchange.user
        let serverKey = self.authenticate(Array("Server Key".utf8), salted)
        return "v=\(Data(self.authenticate(message, serverKey)).base64EncodedString())"
    }

    /// `Hi` of RFC 5802.
    private func salted(_ password: String, _ salt: [UInt8]) -> [UInt8] {
        let mac = MessageAuthentication(key: Array(password.utf8), digest: self.digest)
        var last = mac(salt + [0, 0, 0, 1])
        var result = last
        for _ in 1..<Self.iterations {
            last = mac(last)
            result = Self.combined(result, last)
        }
        return result
    }

    private func authenticate(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
        MessageAuthentication(key: key, digest: self.digest)(message)
    }

    private static func combined(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] { zip(one, other).map(^) }

    private static func field(_ name: Character, of text: String) -> String? {
        text.split(separator: ",").first { $0.first == name && $0.dropFirst().first == "=" }
            .map { String($0.dropFirst(2)) }
    }
}
