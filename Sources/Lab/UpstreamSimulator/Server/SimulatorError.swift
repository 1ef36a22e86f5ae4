/// The reason why a simulator did not start.
package enum SimulatorError: Error {
    /// The address cannot be listened on.
    case couldNotListen(host: String, port: Int, reason: String)
}
