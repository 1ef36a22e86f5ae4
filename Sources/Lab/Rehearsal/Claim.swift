/// A condition that must hold, with the objections against it. The condition holds if there are none.
struct Claim {
    var text: String
    var objections: [String]
}
