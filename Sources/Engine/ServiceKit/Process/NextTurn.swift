/// The next step of the thread after a turn of its engine.
package enum NextTurn: Hashable, Sendable {
    /// The thread sleeps until something arrives, or for at most this long.
    case after(Duration)
    /// The engine has left the group. There is no further turn.
    case never
}
