import DeadLetters
import Synchronization

/// Keeps what a page has shown, so that a confirmation does exactly that and not what the same words mean a minute
/// later.
final class PlanShelf: Sendable {
    /// What somebody was shown and may confirm.
    enum Shown: Sendable {
        case replay(ReplayPlan, ReplayOptions)
        case discard([LetterView], selection: String)

        fileprivate var size: Int {
            switch self {
            case .replay(let plan, _): plan.items.count + plan.refusals.count
            case .discard(let letters, _): letters.count
            }
        }
    }

    private struct Slot {
        var mark: String
        var session: String
        var shown: Shown
    }

    private static let slotsLimit = 16
    /// Of all that are kept; the latest is kept whatever its size.
    private static let lettersLimit = 150_000

    private let slots = Mutex<[Slot]>([])

    /// - Returns: what the form has to bring back.
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

    /// Takes it away: a form that is sent twice does its work once. Nil if it is gone, or was somebody else's.
    func take(_ mark: String, for visitor: Gate.Visitor) -> Shown? {
        self.slots.withLock { slots in
            guard let place = slots.firstIndex(where: { $0.mark == mark && $0.session == visitor.session })
            else { return nil }
            return slots.remove(at: place).shown
        }
    }
}
