/// The reason why a compressed block cannot be decompressed. A block has no checksum, so a damaged one can
/// also decompress to wrong bytes.
package enum BlockFault: String, Error, Hashable, Sendable {
    /// The block ends in the middle of a sequence.
    case truncated
    /// A copy reaches back before the first byte of the output, or has the offset 0.
    case offset
    /// The output is longer than the limit.
    case tooLarge
    /// The output does not have the length that the block announces (Snappy), or the library refuses the
    /// block for another reason.
    case malformed
}
