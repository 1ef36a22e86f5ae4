import WireFormats

// Entries for dead letters of other frameworks. Such a letter has at most a code that `ReasonRules` derived,
// the name of an exception's class, its own class, and its dialect.
extension ReasonGuide {
    /// Entries by the codes that `ReasonRules.standard` gives.
    static let frameworks: [String: ReasonGuide] = [
        "rejected_by_client": ReasonGuide(
            .afterFix,
            "A consumer of the share group rejected the record.",
            advice: "The consumer's log says why: Kafka does not. Mend what it says, then replay."
        ),
        "delivery_count": ReasonGuide(
            .yes,
            "The record was delivered as often as the share group allows, and never acknowledged.",
            advice:
                "Consumers died or gave it back each time. Look at their log of that time, and replay when it "
                + "is mended."
        ),
        "timeout": ReasonGuide(
            .yes,
            "Something that the handler waited for did not answer in time.",
            advice: "Look what it calls. When that answers again, replay at a limited rate."
        ),
        "connection_refused": ReasonGuide(
            .yes,
            "Nothing listened where the handler wanted to connect to.",
            advice: "Look whether the service or database is up. When it is, replay."
        ),
        "connection_lost": ReasonGuide(
            .yes,
            "A connection broke while the handler was using it.",
            advice:
                "Look at the network and at restarts of that time. Replay; what the handler did before may be "
                + "done twice."
        ),
        "unknown_host": ReasonGuide(
            .yes,
            "A host's name could not be resolved.",
            advice: "Look at the DNS and the handler's settings, then replay."
        ),
        "unreachable": ReasonGuide(
            .yes,
            "A host could not be reached.",
            advice: "Look at routes and firewalls, then replay."
        ),
        "tls": ReasonGuide(
            .afterFix,
            "A certificate could not be verified, or there was no agreement on encryption.",
            advice: "Look for certificates that have expired. Replay when that is mended."
        ),
        "rate_limited": ReasonGuide(
            .yes,
            "Something that the handler calls asked for fewer calls.",
            advice: "Replay at a low rate."
        ),
        "unavailable": ReasonGuide(
            .yes,
            "Something that the handler needs was not available.",
            advice: "When it is, replay at a limited rate."
        ),
        "too_large": ReasonGuide(
            .afterFix,
            "Something was larger than it may be: the record, or what the handler made of it.",
            advice: "Raise the limit that the message names, or have less sent. Then replay."
        ),
        "schema": ReasonGuide(
            .afterFix,
            "The schema of the record is not known, or does not fit.",
            advice: "Look whether the schema is registered and compatible, and whether the registry could be "
                + "reached. Then replay."
        ),
        "deserialization": ReasonGuide(
            .afterFix,
            "The consumer could not read the bytes of the record.",
            advice:
                "Look at the value: of another format, or a publisher that changed it. Have one side mended; "
                + "edit or replay then."
        ),
        "out_of_memory": ReasonGuide(
            .afterFix,
            "The process ran out of memory.",
            advice: "It may be this record or what ran beside it. Give it more memory, and replay one first."
        ),
        "out_of_space": ReasonGuide(.afterFix, "A disk was full.", advice: "Make room, then replay."),
        "conflict": ReasonGuide(
            .yes,
            "Two transactions were in each other's way in a database.",
            advice: "Replay at a low rate."
        ),
        "duplicate": ReasonGuide(
            .no,
            "The thing that the handler wanted to make was there already.",
            advice: "Most likely the record was handled before. Look there, and discard it if so."
        ),
        "authentication": ReasonGuide(
            .afterFix,
            "Something did not take the handler's credentials.",
            advice: "Look for a password, key or token that has expired. Replay when that is mended."
        ),
        "authorization": ReasonGuide(
            .afterFix,
            "The handler was not allowed to do what it wanted to.",
            advice: "Look at its rights: of the database, the service, or the ACLs of Kafka. Then replay."
        ),
        "null_pointer": ReasonGuide(
            .afterFix,
            "The handler's program is wrong, or met a record that it was not written for.",
            advice: "Give the letter to whoever owns the handler. Replay when it is mended."
        ),
        "panic": ReasonGuide(
            .afterFix,
            "The handler's program broke down over the record.",
            advice: "Give the letter to whoever owns the handler. Replay when it is mended."
        ),
        "validation": ReasonGuide(
            .afterFix,
            "The record's content is not what the handler takes.",
            advice: "Correct it and replay it edited, or have the publisher mended."
        ),
        "not_found": ReasonGuide(
            .yes,
            "Something that the record speaks of was not there.",
            advice: "It may have come later than the record did: look, and replay if it is there by now."
        ),
        "cancelled": ReasonGuide(
            .yes,
            "The handler was stopped while it was at the record.",
            advice: "Replay: nothing speaks against the record."
        ),
    ]

    /// Entries by the letter's class, for codes that have no entry.
    static let classes: [String: ReasonGuide] = [
        DeadLetter.Class.undecodable.rawValue: ReasonGuide(
            .no,
            "The bytes are not what their content type says.",
            advice: "Look at the value, and have the publisher mended. A replay needs an edit."
        ),
        DeadLetter.Class.invalid.rawValue: ReasonGuide(
            .afterFix,
            "The content is something that the schema or a rule refuses.",
            advice: "The message says what. Edit and replay, or have the publisher mended."
        ),
        DeadLetter.Class.rejected.rawValue: ReasonGuide(
            .afterFix,
            "The upstream refused the record in a way that points at us.",
            advice: "The message says what it said. Mend that, then replay."
        ),
        DeadLetter.Class.exhausted.rawValue: ReasonGuide(
            .yes,
            "The record's attempts ran out while others were answered.",
            advice: "Look whether the cause is over, and replay."
        ),
        DeadLetter.Class.expired.rawValue: ReasonGuide(
            .no,
            "The record's deadline passed.",
            advice: "Publish it again if it still matters."
        ),
        DeadLetter.Class.tooLarge.rawValue: ReasonGuide(
            .no,
            "The record does not fit where it has to go.",
            advice: "Have less sent, or raise the limit."
        ),
    ]

    /// Entries by the dialect, for letters of which nothing else is known.
    static let dialects: [DeadLetterDialect: ReasonGuide] = [
        .kip1191: ReasonGuide(
            .afterFix,
            "A share group gave the record up, and Kafka says no more than that.",
            advice: "The log of the group's consumers says why. Replay one record first."
        ),
        .spring: ReasonGuide(
            .afterFix,
            "A listener of Spring threw an exception that is not known here.",
            advice:
                "The message, and the stack trace in the header kafka_dlt-exception-stacktrace, say more. "
                + "Replay one record first."
        ),
        .connect: ReasonGuide(
            .afterFix,
            "A connector could not convert or write the record.",
            advice:
                "The header __connect.errors.stage says where: a converter, a transformation, or the sink. "
                + "Mend that, then replay; all sinks of the topic get the record again."
        ),
        .streams: ReasonGuide(
            .afterFix,
            "A Kafka Streams application could not handle the record.",
            advice:
                "The header __streams.errors.stacktrace says where. Mind that a replay comes later in time "
                + "than its neighbours."
        ),
        .karafka: ReasonGuide(
            .afterFix,
            "A Karafka consumer gave the record up, and does not say why in the letter.",
            advice: "Look into its log for the topic, partition and offset; source_trace_id may lead there. "
                + "Replay one record first."
        ),
        .watermill: ReasonGuide(
            .afterFix,
            "A Watermill handler returned an error that is not known here.",
            advice: "The message is the error. Replay one record first."
        ),
    ]
}
