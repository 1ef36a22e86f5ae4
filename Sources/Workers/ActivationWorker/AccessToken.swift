import Operations
import Synchronization
import WireFormats

/// An access token of the Marketing API as it is now. When it changes, it changes while the worker runs. The
/// object is safe to use from any thread.
package final class AccessToken: Sendable {
    private struct State {
        var bytes: [UInt8]
        var isRenewalWanted = false
    }

    /// Whether a token that has expired is replaced by another one without a person's doing.
    let isRenewed: Bool
    private let state: Mutex<State>

    /// - Parameter token: empty if there is none yet.
    init(_ token: Secret, isRenewed: Bool) {
        self.isRenewed = isRenewed
        self.state = Mutex(State(bytes: token.revealBytes()))
    }

    /// The token; empty if there is none yet. It is put into requests, and nowhere else.
    var bytes: [UInt8] { self.state.withLock { $0.bytes } }

    /// The reason why a text is no token, without the text.
    struct Fault: Error, CustomStringConvertible {
        var description: String {
            "holds white space, characters that are not ASCII, or more than 4096 bytes"
        }
    }

    /// Checks a token that a person or another program has written. A token that no header and no URL can carry would
    /// make each of its calls fail.
    static func check(_ token: Secret) throws(Fault) {
        guard TokenPair.isToken(token.revealBytes()) else { throw Fault() }
    }

    /// Takes over a new token.
    func replace(by token: Secret) {
        self.state.withLock { $0 = State(bytes: token.revealBytes()) }
    }

    /// Notes that Tencent called the token expired, so that it is renewed although its time has not come.
    func hasExpired() { self.state.withLock { $0.isRenewalWanted = true } }

    /// Returns whether `hasExpired` was called since the last time.
    func takeWish() -> Bool {
        self.state.withLock { state in
            defer { state.isRenewalWanted = false }
            return state.isRenewalWanted
        }
    }
}
