import DeadLetters

/// A group of letters as JSON.
struct GroupForm: Encodable {
    var group: String
    var topic: String
    var worker: String
    var `class`: String
    var reason: String
    /// The field that the reason is about; absent if it is about none.
    var field: String?
    var dialect: String
    var letters: Int
    var open: Int
    var share: Double
    var first: String
    var last: String
    var replayable: String?
    var sample: String?
    var lastDay: [Int]
    /// The name of whoever looks after the group; absent for nobody.
    var assignee: String?
    /// The number of notes on the group.
    var notes: Int

    init(_ view: GroupView) {
        self.group = view.mark
        self.topic = view.group.topic
        self.worker = view.group.worker
        self.class = view.group.kind
        self.reason = view.group.reason
        self.field = view.group.field.isEmpty ? nil : view.group.field
        self.dialect = view.group.dialect
        self.letters = view.count
        self.open = view.open
        self.share = view.share
        self.first = Words.time(view.first)
        self.last = Words.time(view.last)
        self.replayable = view.replayable
        self.sample = view.sample?.description
        self.lastDay = view.lastDay
        self.assignee = view.assignee
        self.notes = view.notes
    }
}
