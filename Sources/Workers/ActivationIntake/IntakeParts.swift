package import Operations
package import WireFormats

/// The parts of the intake that a program of its own can replace.
package protocol IntakeParts: SendableMetatype {
    /// Reads the encryptions of uploads. Faults are reported to the reader.
    static func ciphers(_ reader: SettingsReader) -> UploadCiphers
}

/// The parts that the intake has by itself.
package enum StandardIntake: IntakeParts {
    package static func ciphers(_ reader: SettingsReader) -> UploadCiphers { .standard }
}
