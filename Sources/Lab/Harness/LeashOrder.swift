/// An order to `flotilla-lab leash`: a line on its standard input. It does to the program what the signal of that name does.
///
/// The leash itself goes on. If it stood still too and its parent were killed at that moment, nothing would wake the two:
/// the kernel continues an orphaned process group only if it had stopped before.
package enum LeashOrder: String {
    case pause = "SIGSTOP"
    case resume = "SIGCONT"
}
