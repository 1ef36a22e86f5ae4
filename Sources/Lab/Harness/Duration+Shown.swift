extension Duration {
    /// The duration for a person: in milliseconds, or from a second on in seconds with one decimal place.
    package var shown: String {
        let milliseconds = Int64(self / .milliseconds(1))
        guard milliseconds >= 1_000 else { return "\(milliseconds) ms" }
        return "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
    }
}
