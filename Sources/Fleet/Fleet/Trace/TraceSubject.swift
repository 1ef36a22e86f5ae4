import DeadLetters

/// The record or records that a trace is about.
enum TraceSubject: Hashable, Sendable {
    /// The record at this place.
    case place(RecordPlace)
    /// The record that became this dead letter.
    case letter(String)
    /// All records with this key.
    case key([UInt8])

    /// Reads the user's text: `topic/partition/offset`, the id of a dead letter, or else a key.
    init(_ text: String) {
        if let place = RecordPlace(text) {
            self = .place(place)
        } else if LetterID(text) != nil {
            self = .letter(text)
        } else {
            self = .key(Array(text.utf8))
        }
    }
}
