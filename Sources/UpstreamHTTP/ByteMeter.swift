/// Counts the bytes that all transfers of one client hold. It is used on the client's thread only.
final class ByteMeter {
    var bytes = 0
}
