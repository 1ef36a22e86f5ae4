import WireFormats

// Entries for reasons that a worker finds without calling an upstream.
extension ReasonGuide {
    static let mendPublisher =
        "Find the publisher by the record's headers and have it mended; edit and replay what matters "
        + "until then."

    static let chosenByPhones =
        "A final no and no dead letter: a phone can choose it. If a backend wrote it so, have that mended and "
        + "publish again."

    static let records: [String: ReasonGuide] = [
        "value.tombstone": ReasonGuide(
            .no,
            "The record has no value: a tombstone, which this topic has no use for.",
            advice:
                "Discard it. If there are many, somebody deletes by key from a topic that is not compacted, "
                + "or the producer lost its payload: ask the publisher."
        ),
        "value.empty": ReasonGuide(
            .no,
            "The record has a value of no bytes, so there is nothing to do.",
            advice: "Discard it, and tell the publisher that it sends empty values."
        ),
        "value.too_large": ReasonGuide(
            .no,
            "The value is larger than the worker reads, or than the intake can pass on.",
            advice:
                "A worker settles it with a final no, because a phone's texts can be as long. A replay meets the same "
                + "limit: have the publisher send less, or send by hand what matters."
        ),
        "value.framing": ReasonGuide(
            .no,
            "The value begins like one of a schema registry, and the frame is broken or names another "
                + "message than the schema's first.",
            advice:
                "Look whether the publisher's serialiser was changed, and have it mended. An edit keeps the "
                + "frame, so publish what matters anew."
        ),
        "value.cloudevents": ReasonGuide(
            .afterFix,
            "The content type says CloudEvent, and the event around the value cannot be read.",
            advice:
                "Look at the value: only single events in JSON of version 1.0 are read. Mend the publisher; "
                + "edit and replay what matters."
        ),
        "value.unknown_content_type": ReasonGuide(
            .afterFix,
            "The header content-type names neither JSON nor protobuf.",
            advice: "An edit changes the value only, so a replay meets the same. Have the publisher mend the "
                + "header, and publish what matters anew."
        ),
        "value.not_json": ReasonGuide(
            .afterFix,
            "The value is not one JSON object: cut off, of another format, or not UTF-8.",
            advice: mendPublisher
        ),
        "value.not_protobuf": ReasonGuide(
            .afterFix,
            "The value is no record of this topic: JSON that is not one object, a protobuf message of another "
                + "schema, a cut one, or text without a content type.",
            advice: mendPublisher
        ),
        "value.too_deep": ReasonGuide(
            .no,
            "The value nests deeper than any message of ours.",
            advice: "A publisher does not send this by accident: look who publishes. Discard it."
        ),
        "value.not_a_payment": ReasonGuide(
            .afterFix,
            "A value in fen stands in a conversion that is no payment (MOBILEAPP_COST).",
            advice:
                "Take the field \"value\" out or correct the conversion type, then replay. Tell the publisher."
        ),
        "value.negative": ReasonGuide(
            .afterFix,
            "The value of a payment is negative, as a refund would be, which cannot be reported.",
            advice: chosenByPhones
        ),
        "value.malformed": ReasonGuide(
            .afterFix,
            "The value of a payment is not a whole number of fen.",
            advice: chosenByPhones
        ),
        "field.wrong_type": ReasonGuide(
            .afterFix,
            "The value is JSON, and a field of it is not of the type that its schema says.",
            advice:
                "The reason names the field, what stands there, and what is expected: edit it, or mend a whole group "
                + "at once. A whole group of these is a publisher that changed its format: stop that first."
        ),
        "field.not_utf8": ReasonGuide(
            .afterFix,
            "A text in the value is not UTF-8.",
            advice: chosenByPhones
        ),
        "op.unknown": ReasonGuide(
            .afterFix,
            "The operation is none of query, update and validate.",
            advice: mendPublisher
        ),
        "bits.missing": ReasonGuide(.afterFix, "An update names no bit to set.", advice: mendPublisher),
        "bits.not_an_update": ReasonGuide(
            .afterFix,
            "A query or a validation names bits, which only an update has.",
            advice: mendPublisher
        ),
        "team_id.malformed": ReasonGuide(
            .afterFix,
            "The team id is not the 10 letters and digits that Apple gives a team.",
            advice: mendPublisher
        ),
        "environment.unknown": ReasonGuide(
            .afterFix,
            "The environment is none that the topic's schema names.",
            advice: mendPublisher
        ),
        "environment.not_production": ReasonGuide(
            .no,
            "The purchase was made in the sandbox, which this app does not let pass.",
            advice: "Nothing is broken: the app's setting outside_production is reject."
        ),
        "type.unknown": ReasonGuide(
            .afterFix,
            "The type of the push event is none that the worker knows.",
            advice:
                "Nothing is broken if it came from the public endpoint: anybody can send anything. If a backend of "
                + "ours wrote it, have that mended."
        ),
        "status.unknown": ReasonGuide(
            .afterFix,
            "The status of what was sent is neither accepted nor rejected.",
            advice:
                "Only backends of ours know what a push service said. Have the one mended that wrote it: its "
                + "pushes are missing from the statistics."
        ),
        "device_id.missing": ReasonGuide(
            .no,
            "Neither the push event nor its payload names a device, so nobody can tell it from a repeat.",
            advice:
                "The statistics count it as an unknown device. If there are many, an app reports before it has an "
                + "installation id."
        ),
        "value_micros.out_of_range": ReasonGuide(
            .afterFix,
            "The value of a conversion is below 0, or above a thousand million units of its currency.",
            advice: mendPublisher
        ),
        "payload.too_large": ReasonGuide(
            .no,
            "The payload of the push event is larger than any notification can be.",
            advice: "Nothing is broken: it is no notification of Apple's, which have 4096 bytes."
        ),
        "payload.malformed": ReasonGuide(
            .afterFix,
            "The payload of the push event is not one JSON object.",
            advice:
                "If there are many, an app sends something else than the userInfo of the notification, or cuts it "
                + "short. Have that mended."
        ),
        "payload_sha256.malformed": ReasonGuide(
            .afterFix,
            "The digest of the payload is not 64 hexadecimal digits: often base64 instead.",
            advice: mendPublisher
        ),
        "update.superseded": ReasonGuide(
            .no,
            "A newer update of the same subject was done first, so this one was not sent.",
            advice: "Nothing is broken. Sent now, it would undo the newer one."
        ),
        "configuration.unknown_app": ReasonGuide(
            .afterFix,
            "The worker has no keys or settings for the record's app, or for this app and advertiser "
                + "together.",
            advice:
                "Add the app to the worker's settings and restart it, then replay the group. If the app is "
                + "not ours, the publisher sends to the wrong topic."
        ),
        "configuration.unknown_team": ReasonGuide(
            .afterFix,
            "No key is configured for the record's developer team.",
            advice:
                "Add the team to the worker's settings and restart it. Device tokens grow old in minutes, so "
                + "ask the app for new ones instead of replaying."
        ),
        "configuration.no_anchor": ReasonGuide(
            .afterFix,
            "No root certificate of Apple's is configured that its signed answers lead to.",
            advice: "Put Apple's roots into the worker's settings and restart it, then replay."
        ),
        "token.cannot_sign": ReasonGuide(
            .afterFix,
            "The worker could not sign its token for Apple with the key that it has.",
            advice:
                "Check the key file: it has to be the .p8 that Apple gave, whole. Restart the worker, then "
                + "replay."
        ),
        "not_before.malformed": ReasonGuide(
            .no,
            "The header not-before of the record is no time of RFC 3339, such as 2026-11-29T20:00:00Z.",
            advice: "Have its publisher write such a time, and publish the record again."
        ),
        "not_before.too_many": ReasonGuide(
            .no,
            "The worker held so many delayed or parked records that it took no more delayed ones.",
            advice: "Publish it nearer to its time, or spread the work over more workers."
        ),
        "not_before.after_deadline": ReasonGuide(
            .no,
            "The time of the header not-before is not before the record's deadline, so the record could only expire.",
            advice: "Publish it later, or raise worker.deadline."
        ),
        "worker.skip": ReasonGuide(
            .no,
            "The setting worker.skip of the worker leaves this record out, by a header or a field that it has.",
            advice: "If the record is to be called for, change worker.skip, and publish the record again."
        ),
        "deadline": ReasonGuide(
            .afterFix,
            "The record's deadline passed before anything final was known.",
            advice:
                "Look for what held it up: an outage, a held lane, a backlog. A replay keeps the record's "
                + "time and expires again: replay with the time of now if it still matters."
        ),
        "crash_loop": ReasonGuide(
            .afterFix,
            "The worker died three times while it was handling this record, so it was put aside at the next "
                + "start.",
            advice: "Do not replay it before the crash is understood: it may kill the worker again. Keep the "
                + "record for whoever mends the worker; look for memory limits too."
        ),
        "head_of_line": ReasonGuide(
            .yes,
            "The record kept failing and held up its partition, with nearly all that came after it done.",
            advice: "The message says why its last call failed. Look whether that is over, and replay."
        ),
        "parked.gone": ReasonGuide(
            .no,
            "The record was put aside while its destination was closed, and when it was to be read again its topic did "
                + "not have it any more.",
            advice:
                "Its value is lost here: ask its publisher to send it again. Have the input topic keep records for as long "
                + "as worker.deadline."
        ),
        "retry.no_ticket": ReasonGuide(
            .no,
            "The record lies in a retry topic without the headers that say where it came from, or it came from another "
                + "topic or cluster.",
            advice:
                "Only workers of the same cluster may write to retry topics, and nobody may mirror them: find out who does. "
                + "If the fleet was moved to this cluster, have its publisher send it again. Otherwise discard it: the original "
                + "is in its own topic."
        ),
    ]

    /// Entries by the last part of a code whose first part is a field's name, for any field.
    static let endings: [String: ReasonGuide] = [
        ".malformed": ReasonGuide(
            .afterFix,
            "The field that the reason names cannot be what it says.",
            advice: mendPublisher
        ),
        ".too_long": ReasonGuide(
            .afterFix,
            "The field that the reason names is longer than the worker takes.",
            advice: mendPublisher
        ),
        ".missing": ReasonGuide(
            .afterFix,
            "The field that the reason names is missing.",
            advice: mendPublisher
        ),
        ".unknown": ReasonGuide(
            .afterFix,
            "The field that the reason names has a value that nobody knows.",
            advice: mendPublisher
        ),
    ]
}
