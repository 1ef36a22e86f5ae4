import DeadLetters
import Synchronization

/// Keeps the plans that pages have shown until their users confirm them.
///
/// A confirmation thus replays or discards exactly the letters that the page showed, and not those that the
/// filter finds a minute later. Any thread may use it.
final class PlanShelf: Sendable {
    /// A plan that a page has shown and that its user may confirm.
    enum Shown: Sendable {
        case replay(ReplayPlan, ReplayOptions)
        case aside(AsideAction, [LetterView], selection: String)

        /// The number of letters that the plan keeps in memory.
        fileprivate var size: Int {
            switch self {
            case .replay(let plan, _): plan.items.count + plan.refusals.count
            case .aside(_, let letters, _): letters.count
            }
        }
    }

    /// A plan with the session that may confirm it.
    private struct Slot {
        var mark: String
        var session: String
        var shown: Shown
    }

    /// The number of plans that are kept at most.
    private static let slotsLimit = 16
    /// The number of letters in all kept plans together at most. The latest plan is kept whatever its size.
    private static let lettersLimit = 150_000

    private let slots = Mutex<[Slot]>([])

    /// Keeps a plan, and drops the oldest ones beyond the limits.
    ///
    /// - Returns: the mark of the plan, which the form sends back.
    func put(_ shown: Shown, for visitor: Gate.Visitor) -> String {
        let mark = Desk.newBatch()
        self.slots.withLock { slots in
            slots.append(Slot(mark: mark, session: visitor.session, shown: shown))
            while slots.count > 1,
                slots.count > Self.slotsLimit || slots.map(\.shown.size).reduce(0, +) > Self.lettersLimit
            {
                slots.removeFirst()
            }
        }
        return mark
    }

    /// Returns a plan and removes it, so that a form that is sent twice has an effect once. Nil if the plan
    /// is gone or belongs to another session.
    func take(_ mark: String, for visitor: Gate.Visitor) -> Shown? {
        self.slots.withLock { slots in
            guard let place = slots.firstIndex(where: { $0.mark == mark && $0.session == visitor.session })
            else { return nil }
            return slots.remove(at: place).shown
        }
    }
}
