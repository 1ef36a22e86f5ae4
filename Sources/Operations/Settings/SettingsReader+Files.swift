extension SettingsReader {
    /// The content of a small file that holds no secret, named by its path, which is relative to the settings file;
    /// nil if there is no such setting, and together with a fault if the file cannot be read.
    package func optionalFile(_ key: String, help: String) -> [UInt8]? {
        let path = self.path.appending(key)
        self.ask(path, type: "a path", defaultText: nil, isRequired: false, help: help)
        guard let setting = self.found(path, isRequired: false) else { return nil }
        guard case .scalar(let name) = setting.content, !name.isEmpty else {
            self.report(path, at: setting.location, "must be the path of a file")
            return nil
        }
        do throws(SmallFile.Failure) {
            return try SmallFile(
                path: self.resolved(name, isOverride: setting.isOverride),
                limit: SecretFile.bytesLimit
            ).bytes
        } catch {
            self.report(path, at: setting.location, "names a file that cannot be read: \(error.reason)")
            return nil
        }
    }
}
