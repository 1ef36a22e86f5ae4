/// Counts the bytes that all transfers of one client hold. Only the client's thread uses it.
final class ByteMeter {
    var bytes = 0
}
