import Foundation
package import Records

/// An outcome of the intake or of the worker behind it, as the lab's own code reads it: of an upload, of an
/// event, or of an activation.
package struct ToldUpload: Decodable, Sendable {
    package struct Outcome: Decodable, Sendable {
        package struct Reason: Decodable, Sendable {
            package var code: String
            package var message: String?
        }

        package var id: String
        package var fate: String
        package var reason: Reason?
        package var attempts: Int
        package var deadLetterId: String?
        package var receivedAt: String?
    }

    package struct Upload: Decodable, Sendable {
        package var events: Int
        package var dropped: Int
        package var activations: Int
    }

    package struct Event: Decodable, Sendable {
        package var id: String
        package var eventType: String
    }

    package var outcome: Outcome
    /// The numbers of an upload that was taken.
    package var upload: Upload?
    /// The event that the outcome is about.
    package var event: Event?
    /// The route of a report; nil for scheme 2 and where nothing was reported.
    package var route: String?

    /// Reads an outcome in JSON; nil if the record is none.
    package init?(_ record: InboundRecord) {
        guard let value = record.value,
            let told = try? JSONDecoder().decode(Self.self, from: Data(value))
        else { return nil }
        self = told
    }
}

extension Sighting {
    /// Reads an outcome of an upload, or of an activation behind the intake; nil if the record is none.
    package init?(intake record: InboundRecord) {
        guard let told = ToldUpload(record) else { return nil }
        self.place = record.text("flotilla.origin") ?? told.outcome.id
        self.key = record.key
        self.fate = told.outcome.fate
        self.reason = told.outcome.reason?.code
        self.attempts = told.outcome.attempts
        self.deadLetterID = told.outcome.deadLetterId
        self.detail = told.upload.map { "\($0.events) events, \($0.activations) to report" } ?? told.route
        self.receivedAt = 0
    }
}
