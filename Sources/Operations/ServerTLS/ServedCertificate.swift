package import HummingbirdCore
import HummingbirdTLS
import NIOCore
import NIOSSL
package import Operations
import Synchronization

/// The certificate that a server shows, which follows its files without a restart.
///
/// It has a room of its own, because the health server of a worker needs no TLS and must not link a second TLS
/// library. A connection keeps the certificate that it began with. Files of which one is new and the other is not do not
/// belong together; the certificate before them stays in use until both are there.
package final class ServedCertificate: Sendable {
    /// A certificate with its issuers, and its key.
    private struct Pair: Sendable {
        var chain: [NIOSSLCertificate]
        var key: NIOSSLPrivateKey

        var override: NIOSSLContextConfigurationOverride {
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = self.chain.map { .certificate($0) }
            override.privateKey = .privateKey(self.key)
            return override
        }

        var configuration: TLSConfiguration {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: self.chain.map { .certificate($0) },
                privateKey: .privateKey(self.key)
            )
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            return configuration
        }
    }

    private let files: ServerCertificate
    private let inUse: Mutex<Pair>
    /// The paths of the files, and what they held at the start.
    private let known: [(path: String, content: Secret)]

    /// Reads the files.
    ///
    /// - Throws: `SecretFile.Failure` for a file that cannot be read; an error of swift-nio-ssl for a file that is
    ///   no certificate or no key, or if the two do not belong together.
    package init(_ files: ServerCertificate) throws {
        let (chain, key) = try Self.contents(of: files)
        self.files = files
        self.known = [(files.certificateFile, chain), (files.keyFile, key)]
        self.inUse = Mutex(try Self.pair(chain, key))
    }

    /// The end of the validity of the certificate that is in use, in seconds since 1970.
    package var expires: Int64 {
        // The chain begins with the server's own certificate, and each of its issuers must be valid too.
        self.inUse.withLock { Int64($0.chain.map(\.notValidAfter).min() ?? 0) }
    }

    /// The files for a watch. Each change of one reads both.
    package var watchedFiles: [SecretFileWatch.File] {
        self.known.map { path, content in
            SecretFileWatch.File(path: path, owner: ["file": path], known: content) { [self] _ in
                let (chain, key) = try Self.contents(of: self.files)
                let pair = try Self.pair(chain, key)
                self.inUse.withLock { $0 = pair }
            }
        }
    }

    /// Returns a server that speaks TLS 1.2 or later, and HTTP/1.1 inside of it.
    package func secure(_ server: HTTPServerBuilder) throws -> HTTPServerBuilder {
        var configuration = self.inUse.withLock(\.configuration)
        configuration.sslContextCallback = { [self] _, promise in
            promise.succeed(self.inUse.withLock(\.override))
        }
        return try .tls(server, tlsConfiguration: configuration)
    }

    private static func contents(of files: ServerCertificate) throws -> (chain: Secret, key: Secret) {
        (
            try SecretFile(path: files.certificateFile).read(),
            try SecretFile(path: files.keyFile).read()
        )
    }

    private static func pair(_ chain: Secret, _ key: Secret) throws -> Pair {
        let pair = Pair(
            chain: try NIOSSLCertificate.fromPEMBytes(chain.revealBytes()),
            key: try NIOSSLPrivateKey(bytes: key.revealBytes(), format: .pem)
        )
        // The library compares the two when it makes a context.
        _ = try NIOSSLContext(configuration: pair.configuration)
        return pair
    }
}
