package import UpstreamHTTP
package import WireFormats

extension TransferError {
    /// The failure as a reason. Its code ends in `_after_send` if the upstream may have done what it was
    /// asked all the same.
    package var reason: Reason {
        let suffix = self.mayHaveBeenSent ? "_after_send" : ""
        return Reason("transport.\(self.kind.rawValue)\(suffix)", self.message)
    }
}
