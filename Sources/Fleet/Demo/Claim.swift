/// One sentence about what must be true, and what speaks against it.
struct Claim {
    var text: String
    var objections: [String]
}
