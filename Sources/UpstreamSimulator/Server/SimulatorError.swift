/// A simulator cannot be started.
package enum SimulatorError: Error {
    case couldNotListen(host: String, port: Int, reason: String)
}
