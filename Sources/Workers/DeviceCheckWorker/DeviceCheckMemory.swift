/// The memory of the handler between records. A new engine begins without one.
package struct DeviceCheckMemory: Sendable {
    /// The latest update of each subject.
    var updates: UpdateMemory
    /// The provider tokens that the calls share.
    var tokens: ProviderTokens
}
