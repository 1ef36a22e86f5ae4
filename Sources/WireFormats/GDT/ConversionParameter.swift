/// A parameter of the signed query string, by the name GDT knows it by.
package enum ConversionParameter: String, Hashable, Sendable, CaseIterable {
    case muid
    case convertedAt = "conv_time"
    case clickID = "click_id"
    case clientIP = "client_ip"
    case value
}

/// The order in which parameters are signed and sent. GDT asks for none, but its reporters differ.
package struct ConversionParameterOrder: Hashable, Sendable {
    /// Says what is wrong with an order, in a sentence for whoever set it.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// Every parameter, once.
    package let parameters: [ConversionParameter]

    package static let standard = ConversionParameterOrder(complete: ConversionParameter.allCases)

    /// Parameters that are not named follow those that are. `muid` and `conv_time` have to be named.
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
