extension SettingsReader {
    /// Reads a required secret. Either the setting contains it, or a setting with `_file` after its name
    /// contains the path of a file with it.
    ///
    /// Both forms are first looked up in the environment, then in the settings file. It is a fault to give
    /// both forms in one of these places. A secret's file is read at once, without the line end after its
    /// text. Its path is relative to the settings file, or to the working directory if an environment
    /// variable contains it.
    ///
    /// - Returns: the secret; an empty one together with a fault.
    package func secret(_ key: String, help: String) -> Secret {
        self.secret(key, isRequired: true, help: help) ?? Secret("")
    }

    /// Reads a secret that may be absent; nil if it is.
    package func optionalSecret(_ key: String, help: String) -> Secret? {
        self.secret(key, isRequired: false, help: help)
    }

    /// Records a fault of a secret that only the caller can find. The fault names the form in which the
    /// secret was given.
    package func reportFault(ofSecret key: String, _ problem: String) {
        let file = key + "_file"
        for lookUp in [self.findOverride, self.findInFile] {
            if lookUp(self.path.appending(key)) != nil { break }
            if lookUp(self.path.appending(file)) != nil { return self.reportFault(file, problem) }
        }
        self.reportFault(key, problem)
    }

    /// Returns the path of the file from which a secret was read; nil if the setting itself contained the
    /// secret, or the secret is absent.
    package func path(ofSecret key: String) -> String? {
        for lookUp in [self.findOverride, self.findInFile] {
            if lookUp(self.path.appending(key)) != nil { return nil }
            guard let setting = lookUp(self.path.appending(key + "_file")) else { continue }
            guard case .scalar(let name) = setting.content else { return nil }
            return self.resolved(name, isOverride: setting.isOverride)
        }
        return nil
    }

    private func secret(_ key: String, isRequired: Bool, help: String) -> Secret? {
        let path = self.path.appending(key)
        let filePath = self.path.appending(key + "_file")
        self.ask(path, type: "a secret", defaultText: nil, isRequired: isRequired, help: help)
        self.ask(
            filePath,
            type: "a path",
            defaultText: nil,
            isRequired: false,
            help: "File that holds \(path.pattern)."
        )

        for lookUp in [self.findOverride, self.findInFile] {
            switch (lookUp(path), lookUp(filePath)) {
            case (nil, nil): continue
            case (let setting?, nil): return self.inlineSecret(setting, path)
            case (nil, let setting?): return self.secretFromFile(setting, filePath)
            case (_?, let setting?):
                self.report(filePath, at: setting.location, "cannot be given together with \(path)")
                return nil
            }
        }
        if !self.groupIsMisplaced(above: path), isRequired {
            let names =
                "\(filePath), \(self.environmentName(of: path)) or \(self.environmentName(of: filePath))"
            self.report(path, at: self.location(ofMissing: path), "is required: set it, or \(names)")
        }
        return nil
    }

    private func inlineSecret(_ setting: FoundSetting, _ path: SettingsPath) -> Secret? {
        guard case .scalar(let text) = setting.content else {
            self.report(path, at: setting.location, "must be a secret, not \(setting.kind)")
            return nil
        }
        guard !text.isEmpty else {
            self.report(path, at: setting.location, "must not be empty")
            return nil
        }
        if !setting.isOverride, self.file?.isReadableByEverybody == true {
            let settings = self.file?.path ?? ""
            let problem =
                "is a secret in a file that every user of this machine can read: chmod 600 \(settings)"
            self.report(path, at: setting.location, problem, severity: .warning)
        }
        return Secret(text)
    }

    private func secretFromFile(_ setting: FoundSetting, _ path: SettingsPath) -> Secret? {
        guard case .scalar(let name) = setting.content, !name.isEmpty else {
            self.report(path, at: setting.location, "must be the path of a file")
            return nil
        }
        let file: SmallFile
        let filePath = self.resolved(name, isOverride: setting.isOverride)
        do {
            file = try SmallFile(path: filePath, limit: SecretFile.bytesLimit)
        } catch {
            self.report(path, at: setting.location, "names a file that cannot be read: \(error.reason)")
            return nil
        }
        let secret = SecretFile.secret(in: file)
        guard !secret.isEmpty else {
            self.report(path, at: setting.location, "names an empty file")
            return nil
        }
        if file.status.isReadableByEverybody {
            let problem = "names a file that every user of this machine can read: chmod 600 \(filePath)"
            self.report(path, at: setting.location, problem, severity: .warning)
        }
        return secret
    }

    /// Returns the path of a file that a setting names. Paths in the settings file are relative to its
    /// folder, paths in the environment to the working directory of the process.
    func resolved(_ name: String, isOverride: Bool) -> String {
        guard !isOverride, !name.hasPrefix("/"), let file, let slash = file.path.lastIndex(of: "/") else {
            return name
        }
        return file.path[...slash] + name
    }
}
