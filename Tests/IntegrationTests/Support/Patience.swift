extension Duration {
    /// The longest wait for a state that has to come. It only ends tests whose state never comes, so it allows for a
    /// machine that is far too busy.
    static let patience = Duration.seconds(240)
}
