/// A parameter of the signed query string; the raw value is GDT's name for it.
package enum ConversionParameter: String, Hashable, Sendable, CaseIterable {
    case muid
    case convertedAt = "conv_time"
    case clickID = "click_id"
    case clientIP = "client_ip"
    case value
}

/// The order in which the parameters are signed and sent. GDT prescribes none, but programs that report to it
/// use different orders.
package struct ConversionParameterOrder: Hashable, Sendable {
    /// The reason why a list of names is no order, in a sentence for the person who configured it.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The sentence.
        package var description: String
    }

    /// All parameters, each once.
    package let parameters: [ConversionParameter]

    /// The order that is used unless another one is configured.
    package static let standard = ConversionParameterOrder(complete: ConversionParameter.allCases)

    /// Makes an order of configured names. Parameters that are not named follow the named ones; `muid` and
    /// `conv_time` have to be named.
    package init(_ names: [String]) throws(Fault) {
        var parameters: [ConversionParameter] = []
        for name in names {
            guard let parameter = ConversionParameter(rawValue: name) else {
                let known = ConversionParameter.allCases.map(\.rawValue).joined(separator: ", ")
                throw Fault(description: "a parameter of the order is none of \(known)")
            }
            guard !parameters.contains(parameter) else {
                throw Fault(description: "\(name) is named twice in the order")
            }
            parameters.append(parameter)
        }
        guard parameters.contains(.muid), parameters.contains(.convertedAt) else {
            throw Fault(description: "the order names at least muid and conv_time")
        }
        self.init(complete: parameters + ConversionParameter.allCases.filter { !parameters.contains($0) })
    }

    private init(complete parameters: [ConversionParameter]) {
        self.parameters = parameters
    }
}
