package import UpstreamHTTP
package import WireFormats

extension TransferError {
    /// Whether the upstream may have done what it was asked all the same is a part of the code.
    package var reason: Reason {
        let suffix = self.mayHaveBeenSent ? "_after_send" : ""
        return Reason("transport.\(self.kind.rawValue)\(suffix)", self.message)
    }
}
