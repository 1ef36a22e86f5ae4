import WireFormats

// Entries for reasons that the activation worker and its intake find without calling an upstream.
extension ReasonGuide {
    static let activations: [String: ReasonGuide] = [
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
            "The record names no device that its route can report: scheme 2 takes IDFA, IMEI and MEID only.",
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
        "hash_oaid.malformed": ReasonGuide(
            .afterFix,
            "The hashOaid is not the 32 lower-case hexadecimal digits of an MD5.",
            advice: chosenByPhones + " It is not required."
        ),
        "hash_android_id.malformed": ReasonGuide(
            .afterFix,
            "The hashAndroidId is not the 32 lower-case hexadecimal digits of an MD5.",
            advice: chosenByPhones + " It is not required."
        ),
        "caid.malformed": ReasonGuide(
            .afterFix,
            "The caid is not 1 to 64 letters and digits, or has no caidVersion.",
            advice: chosenByPhones + " It is not required."
        ),
        "user_agent.malformed": ReasonGuide(
            .afterFix,
            "The user agent is no text.",
            advice: chosenByPhones + " It is not required."
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
    ]
}
