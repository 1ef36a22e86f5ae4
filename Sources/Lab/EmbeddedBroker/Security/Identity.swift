internal import Cryptography

/// Whose a connection is. It begins with the certificate of the client, and goes on with SASL if the broker has users.
struct Identity {
    private enum Stage {
        case awaitsHandshake
        case awaitsPassword
        case scram(Scram)
        case known
    }

    /// The principal as rules name it.
    private(set) var principal: String
    private var stage: Stage
    private let security: BrokerSecurity

    /// - Parameter certificate: the client's certificate in DER, if the broker asked for it.
    init(_ security: BrokerSecurity, certificate: [UInt8]? = nil) {
        self.security = security
        let subject = certificate.flatMap { Certificate(der: $0)?.subject }
        self.principal = "User:\(subject ?? "ANONYMOUS")"
        self.stage = security.passwords.isEmpty ? .known : .awaitsHandshake
    }

    /// Whether the client has shown all that the broker asks for.
    var isKnown: Bool { if case .known = self.stage { true } else { false } }

    /// The mechanisms that the broker offers.
    var mechanisms: [String] { self.security.mechanisms.map(\.rawValue).sorted() }

    /// Notes which mechanism the client chooses.
    ///
    /// - Returns: the error to answer with, or nil.
    mutating func choose(_ name: String) -> ErrorCode? {
        guard case .awaitsHandshake = self.stage else { return .illegalSaslState }
        guard let mechanism = BrokerSecurity.Mechanism(rawValue: name),
            self.security.mechanisms.contains(mechanism)
        else { return .unsupportedSaslMechanism }
        self.stage =
            switch mechanism {
            case .plain: .awaitsPassword
            case .scramSHA256: .scram(Scram(.sha256, passwords: self.security.passwords))
            case .scramSHA512: .scram(Scram(.sha512, passwords: self.security.passwords))
            }
        return nil
    }

    /// Takes a message of the chosen mechanism.
    ///
    /// - Returns: the message to answer with, or the error. An error ends the exchange.
    mutating func authenticate(_ message: [UInt8]) -> Result<[UInt8], ErrorCode> {
        switch self.stage {
        case .awaitsHandshake, .known: return .failure(.illegalSaslState)
        case .awaitsPassword:
            // An authorization id, the name and the password, with a zero between two of them.
            let parts = message.split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 3, self.security.passwords[parts[1]] == parts[2] else {
                return .failure(.saslAuthenticationFailed)
            }
            self.become(parts[1])
            return .success([])
        case .scram(var scram):
            do throws(Scram.Refused) {
                let answer = try scram.answer(message)
                self.stage = .scram(scram)
                if let user = scram.user { self.become(user) }
                return .success(answer)
            } catch {
                return .failure(.saslAuthenticationFailed)
            }
        }
    }

    private mutating func become(_ user: String) {
        self.principal = "User:\(user)"
        self.stage = .known
    }
}
