/// Why a text is not a value: the rest of a sentence that begins with the setting's name, as `must be true or false`.
package struct SettingRejection: Error, Hashable, Sendable {
    package let problem: String

    package init(_ problem: String) {
        self.problem = problem
    }
}

extension SettingsReader {
    /// A setting of a type of the caller's own; nil if it is not there or wrong. `type` and `defaultText` are for readers
    /// of the documentation.
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

    /// Text. Required without a default. `must` and `matching` refuse what is not of the right form.
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

    /// Text that may be missing.
    package func optionalString(_ key: String, help: String) -> String? {
        self.text(key, nil, isRequired: false, help: help, must: "", matching: { _ in true })
    }

    /// A whole number. Required without a default.
    package func int(
        _ key: String,
        default fallback: Int? = nil,
        in range: ClosedRange<Int> = Int.min...Int.max,
        help: String
    ) -> Int {
        let number = self.number(key, fallback, isRequired: fallback == nil, in: range, help: help)
        return number ?? fallback ?? range.lowerBound
    }

    /// A whole number that need not be there.
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

    /// `true` or `false`; the other words that YAML knows for them are refused. Required without a default.
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

    /// One of an enum's words.
    package func oneOf<Choice: RawRepresentable & CaseIterable>(
        _ key: String,
        default fallback: Choice,
        help: String
    ) -> Choice where Choice.RawValue == String {
        self.choice(key, fallback, isRequired: false, help: help) ?? fallback
    }

    /// One of an enum's words, required: nil only together with a fault.
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

    /// The setting, or nil with a fault if it should be there.
    func found(_ path: SettingsPath, isRequired: Bool) -> FoundSetting? {
        if let setting = self.find(path) { return setting }
        if !self.groupIsMisplaced(above: path), isRequired {
            self.reportMissing(path)
        }
        return nil
    }

    func reportMissing(_ path: SettingsPath) {
        let problem = "is required: set it here or in \(self.environmentName(of: path))"
        self.report(path, at: self.location(ofMissing: path), problem)
    }
}

extension FoundSetting {
    var kind: String {
        SettingsNode(content: self.content, line: 0, column: 0).kind
    }
}
