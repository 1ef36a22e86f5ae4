/// The reason why a text is not a valid value.
package struct SettingRejection: Error, Hashable, Sendable {
    /// The rest of a sentence that begins with the setting's name, such as "must be true or false". It must
    /// not quote the value.
    package let problem: String

    /// Makes a rejection with this reason.
    package init(_ problem: String) {
        self.problem = problem
    }
}

extension SettingsReader {
    /// Reads a setting of a type that the caller defines.
    ///
    /// - Parameters:
    ///   - type: the type in words, for the documentation and for faults.
    ///   - defaultText: the default as the documentation shows it. The caller applies the default itself.
    ///   - parse: converts the text, or throws the reason why it cannot.
    /// - Returns: the value; nil if the setting is absent or has a fault.
    package func value<Value>(
        _ key: String,
        type: String,
        defaultText: String?,
        isRequired: Bool,
        help: String,
        parse: (String) throws(SettingRejection) -> Value
    ) -> Value? {
        let path = self.path.appending(key)
        self.ask(path, type: type, defaultText: defaultText, isRequired: isRequired, help: help)
        guard let setting = self.found(path, isRequired: isRequired) else { return nil }
        guard case .scalar(let text) = setting.content else {
            self.report(path, at: setting.location, "must be \(type), not \(setting.kind)")
            return nil
        }
        do {
            return try parse(text)
        } catch {
            self.report(path, at: setting.location, error.problem)
            return nil
        }
    }

    /// Reads a text. The setting is required if it has no default.
    ///
    /// - Parameters:
    ///   - must: the end of the fault "must …" for a text that `matching` does not accept.
    ///   - matching: returns whether the text has the right form.
    package func string(
        _ key: String,
        default fallback: String? = nil,
        help: String,
        must: String = "be of another form",
        matching: (String) -> Bool = { _ in true }
    ) -> String {
        self.text(key, fallback, isRequired: fallback == nil, help: help, must: must, matching: matching)
            ?? fallback ?? ""
    }

    /// Reads a text that may be absent; nil if it is.
    package func optionalString(_ key: String, help: String) -> String? {
        self.text(key, nil, isRequired: false, help: help, must: "", matching: { _ in true })
    }

    /// Reads a whole number. The setting is required if it has no default.
    package func int(
        _ key: String,
        default fallback: Int? = nil,
        in range: ClosedRange<Int> = Int.min...Int.max,
        help: String
    ) -> Int {
        let number = self.number(key, fallback, isRequired: fallback == nil, in: range, help: help)
        return number ?? fallback ?? range.lowerBound
    }

    /// Reads a share from 0 to 1.
    package func ratio(_ key: String, default fallback: Double, help: String) -> Double {
        let ratio = self.value(
            key,
            type: "a number",
            defaultText: "\(fallback)",
            isRequired: false,
            help: help
        ) { text throws(SettingRejection) in
            guard let number = Double(text), (0...1).contains(number) else {
                throw SettingRejection("must be a number from 0 to 1")
            }
            return number
        }
        return ratio ?? fallback
    }

    /// Reads a whole number that may be absent; nil if it is, or if it has a fault.
    package func optionalInt(_ key: String, in range: ClosedRange<Int>, help: String) -> Int? {
        self.number(key, nil, isRequired: false, in: range, help: help)
    }

    private func number(
        _ key: String,
        _ fallback: Int?,
        isRequired: Bool,
        in range: ClosedRange<Int>,
        help: String
    ) -> Int? {
        let limits = range == Int.min...Int.max ? "" : " from \(range.lowerBound) to \(range.upperBound)"
        return self.value(
            key,
            type: "a whole number\(limits)",
            defaultText: fallback.map { String($0) },
            isRequired: isRequired,
            help: help
        ) { text throws(SettingRejection) in
            guard let number = Int(text), range.contains(number) else {
                throw SettingRejection("must be a whole number\(limits)")
            }
            return number
        }
    }

    /// Reads `true` or `false`; YAML's other words for them are not accepted. The setting is required if it
    /// has no default.
    package func bool(_ key: String, default fallback: Bool? = nil, help: String) -> Bool {
        let flag = self.value(
            key,
            type: "true or false",
            defaultText: fallback.map { String($0) },
            isRequired: fallback == nil,
            help: help
        ) { text throws(SettingRejection) in
            guard let flag = SettingText.bool(text) else { throw SettingRejection("must be true or false") }
            return flag
        }
        return flag ?? fallback ?? false
    }

    /// Reads one of the words of an enumeration. A fault gives the default.
    package func oneOf<Choice: RawRepresentable & CaseIterable>(
        _ key: String,
        default fallback: Choice,
        help: String
    ) -> Choice where Choice.RawValue == String {
        self.choice(key, fallback, isRequired: false, help: help) ?? fallback
    }

    /// Reads one of the words of an enumeration, which must be given. Nil only together with a fault.
    package func requiredOneOf<Choice: RawRepresentable & CaseIterable>(
        _ key: String,
        as: Choice.Type = Choice.self,
        help: String
    ) -> Choice? where Choice.RawValue == String {
        self.choice(key, nil, isRequired: true, help: help)
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String,
        _ fallback: Choice?,
        isRequired: Bool,
        help: String
    ) -> Choice? where Choice.RawValue == String {
        let words = Choice.allCases.map(\.rawValue)
        let type = "one of \(words.joined(separator: ", "))"
        return self.value(
            key,
            type: type,
            defaultText: fallback?.rawValue,
            isRequired: isRequired,
            help: help
        ) { text throws(SettingRejection) in
            if let choice = Choice(rawValue: text) { return choice }
            let nearest = Spelling.nearest(to: text, among: words).map { "; did you mean \($0)?" } ?? ""
            throw SettingRejection("must be \(type)\(nearest)")
        }
    }

    private func text(
        _ key: String,
        _ fallback: String?,
        isRequired: Bool,
        help: String,
        must: String,
        matching: (String) -> Bool
    ) -> String? {
        self.value(key, type: "text", defaultText: fallback, isRequired: isRequired, help: help) {
            text throws(SettingRejection) in
            guard !isRequired || !text.isEmpty else { throw SettingRejection("must not be empty") }
            guard matching(text) else { throw SettingRejection("must \(must)") }
            return text
        }
    }
}

extension SettingsReader {
    func ask(_ path: SettingsPath, type: String, defaultText: String?, isRequired: Bool, help: String) {
        self.notebook.asked(for: path)
        self.notebook.document(
            SettingDocumentation(
                key: path.pattern,
                environmentName: self.environmentName(of: path, documented: true),
                type: type,
                defaultText: defaultText,
                isRequired: isRequired,
                help: help
            )
        )
    }

    /// Returns a setting. If it is absent, the result is nil, and a required setting is recorded as a fault.
    func found(_ path: SettingsPath, isRequired: Bool) -> FoundSetting? {
        if let setting = self.find(path) { return setting }
        if !self.groupIsMisplaced(above: path), isRequired {
            self.reportMissing(path)
        }
        return nil
    }

    func reportMissing(_ path: SettingsPath) {
        let place = self.file == nil ? "in a file that --config names," : "here"
        let problem = "is required: set it \(place) or in \(self.environmentName(of: path))"
        self.report(path, at: self.location(ofMissing: path), problem)
    }
}

extension FoundSetting {
    var kind: String {
        SettingsNode(content: self.content, line: 0, column: 0).kind
    }
}
