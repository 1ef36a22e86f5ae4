/// The PEM files of a server's certificate and its key.
package struct ServerCertificate: Hashable, Sendable {
    /// The path of the file with the server's certificate, followed by those of its issuers.
    package var certificateFile: String
    /// The path of the file with the certificate's private key.
    package var keyFile: String

    /// Names the files; `ServedCertificate` reads them.
    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
