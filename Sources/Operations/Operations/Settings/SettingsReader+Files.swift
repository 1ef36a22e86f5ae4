extension SettingsReader {
    /// Reads the path of a file that may be absent; nil if it is. The file is not read.
    ///
    /// A path in the settings file is relative to that file, a path in an environment variable to the working
    /// directory.
    package func optionalPath(_ key: String, help: String) -> String? {
        let path = self.path.appending(key)
        self.ask(path, type: "a path", defaultText: nil, isRequired: false, help: help)
        guard let setting = self.found(path, isRequired: false) else { return nil }
        guard case .scalar(let name) = setting.content, !name.isEmpty else {
            self.report(path, at: setting.location, "must be the path of a file")
            return nil
        }
        return self.resolved(name, isOverride: setting.isOverride)
    }

    /// Reads a small file that contains no secret. The setting is the path of the file.
    ///
    /// A path in the settings file is relative to that file, a path in an environment variable to the working
    /// directory.
    ///
    /// - Returns: the bytes of the file, 64 KiB at most; nil if the setting is absent. If the file cannot be
    ///   read, a fault is recorded and the result is nil too.
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
