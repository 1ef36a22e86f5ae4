import Kafka
package import Operations

extension KafkaProperties {
    /// The files with the user name and password of SASL. When one of them changes, the clients of this process log in
    /// with its new content from their next connection on.
    package var watchedFiles: [SecretFileWatch.File] {
        let credentials = SASLCredentials(
            user: self.values["sasl.username"]?.reveal() ?? "",
            password: self.values["sasl.password"]?.reveal() ?? ""
        )
        return [
            self.file("sasl.username") { try credentials.change(user: $0.reveal()) },
            self.file("sasl.password") { try credentials.change(password: $0.reveal()) },
        ]
        .compactMap(\.self)
    }

    private func file(_ name: String, _ use: @escaping @Sendable (Secret) throws -> Void) -> SecretFileWatch
        .File?
    {
        guard let path = self.files[name], let known = self.values[name] else { return nil }
        return SecretFileWatch.File(path: path, owner: ["property": name], known: known, use: use)
    }
}
