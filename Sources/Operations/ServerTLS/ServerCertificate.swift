package import HummingbirdCore
import HummingbirdTLS
import NIOSSL

/// The certificate of a server, with its key, as PEM files.
///
/// The certificate has a room of its own, because the health server of a worker needs no TLS and must not
/// link a second TLS library.
package struct ServerCertificate: Hashable, Sendable {
    /// The path of the file with the server's certificate, followed by those of its issuers.
    package var certificateFile: String
    /// The path of the file with the certificate's private key.
    package var keyFile: String

    /// Names the files; `secure` reads them.
    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// Reads the end of the certificate's validity, in seconds since 1970.
    ///
    /// - Throws: an error of swift-nio-ssl if the file cannot be read.
    package var expires: Int64 {
        get throws {
            // The chain begins with the server's own certificate, and each of its issuers must be valid too.
            let chain = try NIOSSLCertificate.fromPEMFile(self.certificateFile)
            return Int64(chain.map(\.notValidAfter).min() ?? 0)
        }
    }

    /// Returns a server that speaks TLS 1.2 or later, and HTTP/1.1 inside of it.
    ///
    /// - Throws: an error of swift-nio-ssl if a file cannot be read or the two do not belong together.
    package func secure(_ server: HTTPServerBuilder) throws -> HTTPServerBuilder {
        let chain = try NIOSSLCertificate.fromPEMFile(self.certificateFile)
        let key = try NIOSSLPrivateKey(file: self.keyFile, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return try .tls(server, tlsConfiguration: configuration)
    }
}
