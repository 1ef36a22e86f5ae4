internal import CRdKafka
import Synchronization

/// The user name and password with which clients log in at the brokers (SASL PLAIN and SCRAM).
///
/// A client is made with those of its properties. After a change, every client of the process with the same user name in
/// its properties uses the new ones when it connects the next time, and so does a client that is made later. Connections
/// that are open stay as they are (`rd_kafka_sasl_set_credentials`).
package final class SASLCredentials: Sendable {
    private struct Login {
        var user: String
        var password: String
    }

    /// The clients whose properties have one user name.
    private struct Clients {
        private struct Member {
            weak var client: Client?
        }

        /// The login that was changed last; nil before the first change.
        var changed: Login?
        private var members: [Member] = []

        var all: [Client] { self.members.compactMap(\.client) }

        mutating func add(_ client: Client) {
            self.members.removeAll { $0.client == nil }
            self.members.append(Member(client: client))
        }
    }

    private static let register = Mutex<[String: Clients]>([:])
    /// The user name in the properties of the clients.
    private let name: String
    private let login: Mutex<Login>

    /// Notes the login in the properties of the clients.
    package init(user: String, password: String) {
        self.name = user
        self.login = Mutex(Login(user: user, password: password))
    }

    /// Gives the clients another user name.
    ///
    /// - Throws: the error of librdkafka, which names no value.
    package func change(user: String) throws(KafkaError) {
        try self.apply(
            self.login.withLock { login in
                login.user = user
                return login
            }
        )
    }

    /// Gives the clients another password.
    ///
    /// - Throws: the error of librdkafka, which names no value.
    package func change(password: String) throws(KafkaError) {
        try self.apply(
            self.login.withLock { login in
                login.password = password
                return login
            }
        )
    }

    /// Notes a client that was just made.
    ///
    /// - Parameter user: the user name in its properties.
    static func clientMade(_ client: Client, user: String) throws(KafkaError) {
        // Under the lock, so that a change that comes now finds the client and is applied after the one before.
        try self.register.withLock { register throws(KafkaError) in
            register[user, default: Clients()].add(client)
            if let changed = register[user]?.changed { try self.use(changed, for: client) }
        }
    }

    private func apply(_ login: Login) throws(KafkaError) {
        // The clients are let go outside of the lock, because the last reference closes a client, which can take long.
        let clients = Self.register.withLock { register in
            register[self.name, default: Clients()].changed = login
            return register[self.name]?.all ?? []
        }
        for client in clients { try Self.use(login, for: client) }
    }

    private static func use(_ login: Login, for client: Client) throws(KafkaError) {
        let error = unsafe rd_kafka_sasl_set_credentials(client.handle, login.user, login.password)
        guard let error = unsafe error else { return }
        defer { unsafe rd_kafka_error_destroy(error) }
        throw KafkaError(unsafe rd_kafka_error_code(error))
    }
}
