import WireFormats

// Entries for reasons that a worker finds without calling an upstream.
extension ReasonGuide {
    private static let mendPublisher =
        "Find the publisher by the record's headers and have it mended; edit and replay what matters "
        + "until then."

    private static let chosenByPhones =
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
            "The value is larger than the worker reads.",
            advice:
                "A replay meets the same limit. Have the publisher send less, or send by hand what matters."
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
            "The value is not a protobuf message: of another schema, cut off, or text without a content "
                + "type.",
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
                "Edit it: the editor says which field. A whole group of these is a publisher that changed its "
                + "format: stop that first."
        ),
        "field.not_utf8": ReasonGuide(
            .afterFix,
            "A text in the value is not UTF-8.",
            advice: chosenByPhones
        ),
        "app_id.missing": ReasonGuide(.afterFix, "The app id is missing or zero.", advice: mendPublisher),
        "advertiser_id.missing": ReasonGuide(
            .afterFix,
            "The advertiser id is missing or zero.",
            advice: mendPublisher
        ),
        "app_type.unknown": ReasonGuide(
            .afterFix,
            "The app type is none of IOS, ANDROID and UNIONANDROID.",
            advice: mendPublisher
        ),
        "conversion_type.unknown": ReasonGuide(
            .afterFix,
            "The conversion type is none that GDT knows; MOBILEAPP_ACTIVITE is spelt so.",
            advice: mendPublisher
        ),
        "device_id.ambiguous": ReasonGuide(
            .afterFix,
            "The record names its device twice, by an id and by a muid.",
            advice: "Take one of the two out and replay. Tell the publisher."
        ),
        "device_id.malformed": ReasonGuide(
            .afterFix,
            "The device id is not of the kind that the app type has: an IDFA for IOS, an IMEI or MEID "
                + "otherwise.",
            advice: chosenByPhones + " If there are many, look whether the app type is the wrong one."
        ),
        "device_id.empty": ReasonGuide(
            .no,
            "The record names no device, so it cannot be reported.",
            advice: "Nothing is broken: this is a final no, as for everybody who denies tracking."
        ),
        "device_id.zero": ReasonGuide(
            .no,
            "The device id is all zeros: its owner denies tracking.",
            advice: "Nothing is broken, and nothing may be reported."
        ),
        "muid.malformed": ReasonGuide(
            .afterFix,
            "The muid is not the 32 lower-case hexadecimal digits of an MD5.",
            advice: chosenByPhones
        ),
        "activation.duplicate": ReasonGuide(
            .no,
            "This conversion of the device was passed on before, as the record that the message names.",
            advice: "Nothing is broken. If the first one became a dead letter, replay that one."
        ),
        "attribution.no_click": ReasonGuide(
            .no,
            "No click in the window before the activation has led to it, and only matching ones are reported.",
            advice:
                "A final no. If all activations get it, look whether the click feed arrives in the topic of clicks."
        ),
        "upload.event_too_large": ReasonGuide(
            .no,
            "One event of an upload is larger than a record may be.",
            advice: "A final no for this event; the others of its upload were taken. " + chosenByPhones
        ),
        "upload.needs_intake": ReasonGuide(
            .afterFix,
            "The record is an upload of an SDK, and the worker that has read it only reports activations.",
            advice:
                "Start activation-worker intake on this topic, and have the worker read activation.due; then replay. "
                + "If no uploads are wanted, stop whoever publishes them there."
        ),
        "upload.no_target": ReasonGuide(
            .afterFix,
            "The record has no header upload.target, or no value: it is no upload of an SDK.",
            advice:
                "Look whether the edge that publishes uploads was changed: it puts the request's target into that "
                + "header. Publish the upload again as it should be; a replay is of no use."
        ),
        "upload.not_configured": ReasonGuide(
            .afterFix,
            "The record is an upload of an SDK among the activations, and the intake takes no uploads.",
            advice:
                "Set sdk.apps or sdk.events_topic in the settings of the intake, have fleet topics apply make the "
                + "topics, restart it, and replay. If no uploads are wanted, stop whoever publishes them there."
        ),
        "tracking.denied": ReasonGuide(
            .no,
            "The user has not allowed tracking.",
            advice: "Nothing may be reported for this user."
        ),
        "tracking.malformed": ReasonGuide(
            .afterFix,
            "The field trackingAuthorized is neither true nor false.",
            advice: chosenByPhones
        ),
        "converted_at.missing": ReasonGuide(
            .afterFix,
            "The record names no time of the conversion, and its own timestamp is none either.",
            advice: mendPublisher
        ),
        "converted_at.malformed": ReasonGuide(
            .afterFix,
            "The time of the conversion is not between 2001 and 9999: often milliseconds for seconds.",
            advice: chosenByPhones
        ),
        "converted_at.too_old": ReasonGuide(
            .no,
            "The conversion is older than GDT takes.",
            advice: "It cannot be reported any more. Look why it came so late."
        ),
        "converted_at.in_future": ReasonGuide(
            .afterFix,
            "The conversion lies further in the future than a clock goes wrong.",
            advice: "Look at the publisher's clock and time zone. Correct the time and publish again."
        ),
        "client_ip.malformed": ReasonGuide(
            .afterFix,
            "The client's address is neither IPv4 nor IPv6: often a port or a list of proxies stands with "
                + "it.",
            advice: chosenByPhones + " It is not required."
        ),
        "click_id.malformed": ReasonGuide(
            .afterFix,
            "The click id is not 1 to 128 visible ASCII characters.",
            advice: chosenByPhones + " It is not required."
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
        "deadline": ReasonGuide(
            .afterFix,
            "The record's deadline passed before anything final was known.",
            advice:
                "Look for what held it up: an outage, a held lane, a backlog. A replay keeps the record's "
                + "time and expires again: replay with the time of now if it still matters."
        ),
        "crash_loop": ReasonGuide(
            .afterFix,
            "The worker died twice while it was handling this record, so it was put aside at the third "
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
            "The record lies in a retry topic without the headers that say where it came from.",
            advice:
                "Only workers may write to retry topics: find out who else does. Discard it; the original is "
                + "in its own topic."
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
