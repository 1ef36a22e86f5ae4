import WireFormats

// Entries for an upstream's answers, and for failures of the call before an answer.
extension ReasonGuide {
    static let upstreams: [String: ReasonGuide] = [
        "gdt.-1": ReasonGuide(
            .afterFix,
            "GDT calls a parameter of the request illegal.",
            advice:
                "It does not say which. Compare the record with one that succeeded, and mend the publisher; "
                + "if all fail, the worker sends something wrong."
        ),
        "gdt.-2": ReasonGuide(
            .afterFix,
            "GDT could not parse the report: the keys of the app and advertiser are wrong, or swapped.",
            advice:
                "Correct the keys at the worker and restart it: what its lane holds goes on by itself. Then "
                + "replay this group."
        ),
        "gdt.-3": ReasonGuide(
            .afterFix,
            "GDT could not decode the report: the encrypt key of the app and advertiser is wrong.",
            advice:
                "Correct the key at the worker and restart it: what its lane holds goes on by itself. Then "
                + "replay this group."
        ),
        "gdt.-12": ReasonGuide(
            .afterFix,
            "GDT could not fetch the keys of the app and advertiser: there are none, or its store is "
                + "down.",
            advice: "Look at the account at e.qq.com, and ask Tencent if it is as it should be. Then replay."
        ),
        "gdt.-13": ReasonGuide(
            .afterFix,
            "GDT calls the app type illegal for this app.",
            advice:
                "Look which app the id is of, and correct the app type at the publisher. Edit and replay what "
                + "matters."
        ),
        "gdt.-14": ReasonGuide(
            .no,
            "GDT calls the time of the conversion illegal: too old, or in the future.",
            advice:
                "An old conversion only gets older. If the publisher's clock is wrong, mend that and correct "
                + "the time."
        ),
        "gdt.-15": ReasonGuide(
            .no,
            "GDT calls the muid illegal.",
            advice:
                "This is a final no about the device. If all of one publisher's get it, it hashes device ids "
                + "in a wrong way."
        ),
        "gdt.-17": ReasonGuide(
            .afterFix,
            "GDT has no rule for this conversion of this app, or could not fetch it.",
            advice: "Have the conversion set up in the account at e.qq.com. Then replay."
        ),
        "gdt.not_an_answer": ReasonGuide(
            .yes,
            "Something answered in GDT's place: the response holds no answer of GDT.",
            advice:
                "Look for a proxy or a page of maintenance behind gdt.url. When others get answers again, "
                + "replay."
        ),
        "transport.resolve": ReasonGuide(
            .yes,
            "The upstream's name could not be resolved.",
            advice:
                "Look at the DNS and at the host in the worker's settings. When others get through again, "
                + "replay."
        ),
        "transport.connect": ReasonGuide(
            .yes,
            "No connection to the upstream could be made.",
            advice:
                "Look at the network, at firewalls, and whether the upstream is up. When others get through "
                + "again, replay."
        ),
        "transport.tls": ReasonGuide(
            .afterFix,
            "The upstream's certificate could not be verified, or there was no agreement on encryption.",
            advice: "Look whether a proxy stands between, and whether the certificates of the machine are "
                + "current. Then replay."
        ),
        "transport.timeout": ReasonGuide(
            .yes,
            "The upstream did not answer in time.",
            advice:
                "One record among many that got answers is worth a replay. If there are many, look at the "
                + "upstream first."
        ),
        "transport.cut": ReasonGuide(
            .yes,
            "The connection broke before the answer was there.",
            advice: "Look whether a proxy cuts connections. When others get through again, replay."
        ),
        "transport.malformed": ReasonGuide(
            .yes,
            "The bytes that came back are not HTTP, or not as HTTP has to be.",
            advice:
                "Something stands between the worker and its upstream. When others get answers again, replay."
        ),
        "transport.too_large": ReasonGuide(
            .afterFix,
            "The answer was larger than the worker reads.",
            advice: "Look what answers there: a page instead of an answer, most likely. Then replay."
        ),
        "transport.address": ReasonGuide(
            .afterFix,
            "A host that records may name has an address that is not of the public internet.",
            advice: "Look at the DNS and at the list of hosts in the worker's settings. Then replay."
        ),
        "marketing.not_an_answer": ReasonGuide(
            .yes,
            "Something answered in Tencent's place: the response holds no answer of Tencent.",
            advice:
                "Look for a proxy or a page of maintenance behind marketing_api.url. When others get answers "
                + "again, replay."
        ),
        "marketing.no_token": ReasonGuide(
            .afterFix,
            "The account has no access token yet: its oauth_file holds none.",
            advice:
                "Look for the lines about the token in the worker's log, and authorize the account again. The records "
                + "in its lane go on by themselves."
        ),
        "transport.other": ReasonGuide(
            .yes,
            "The call failed in a way that has no name of its own.",
            advice: "The message says more, and so does the worker's log. When others get answers, replay."
        ),
        "devicecheck.unexplained": ReasonGuide(
            .no,
            "Apple refused the request several times without a reason that is known.",
            advice:
                "Nothing is broken if these are few: the device token may be the cause. If there are many, ask Apple, "
                + "with its request id. The app has to make a new token."
        ),
        "devicecheck.bad_request": ReasonGuide(
            .afterFix,
            "Apple calls our request bad: a fault of this worker or of its version.",
            advice: "Look for a new version of the worker. Device tokens grow old: ask the app for new ones."
        ),
        "devicecheck.unauthorized": ReasonGuide(
            .afterFix,
            "Apple takes no token of ours: the key is revoked, or the key id or team id is another's.",
            advice: "Correct the team's key at the worker. The records in its lane go on by themselves."
        ),
        "devicecheck.bad_authorization": ReasonGuide(
            .afterFix,
            "Apple calls our token badly formatted: the key may be one for another service.",
            advice: "Give the worker a key that has DeviceCheck enabled."
        ),
        "devicecheck.bad_timestamp": ReasonGuide(
            .afterFix,
            "Apple does not take our time: the worker's clock is wrong.",
            advice: "Set the machine's clock. The records that wait go on by themselves."
        ),
        "devicecheck.not_an_answer": ReasonGuide(
            .no,
            "Something answered in Apple's place.",
            advice: "Look for a proxy on the way. The app has to make a new token."
        ),
    ]

    /// Entries by the first part of a code, up to its dot, for codes that have no entry of their own.
    static let families: [String: ReasonGuide] = [
        "gdt.": ReasonGuide(
            .yes,
            "GDT answered with a code that it does not document, several times.",
            advice: "Ask Tencent what the code means: its own words are in the message, if they tell nothing "
                + "secret. Replay one record first."
        ),
        "marketing.": ReasonGuide(
            .yes,
            "Tencent's Marketing API did not take the report, several times.",
            advice:
                "The worker's page about the Marketing API has the class of every code. Mend what it names, and replay "
                + "one record first: a repeat is recognised."
        ),
        "callback.": ReasonGuide(
            .no,
            "The callback of the click is none that the worker may call.",
            advice: "Nothing is broken: the callback came with the click, and nothing is sent there."
        ),
        "device_token.": ReasonGuide(
            .no,
            "The device token is missing, malformed, used or too old: it is good for one request and for "
                + "minutes.",
            advice: "Nothing is broken, and no replay helps. The app has to make a new token and ask again."
        ),
        "devicecheck.": ReasonGuide(
            .no,
            "Apple's DeviceCheck did not take the request.",
            advice: "Device tokens grow old in minutes. The app has to make a new one."
        ),
        "http.": ReasonGuide(
            .afterFix,
            "The upstream answered with an HTTP status that there is none of.",
            advice:
                "Something else answers in its place: look at the URL in the worker's settings. Then replay."
        ),
        "transport.": ReasonGuide(
            .yes,
            "The call did not get through.",
            advice: "Look at the network between the worker and its upstream. When others get through again, "
                + "replay."
        ),
        "jws.": ReasonGuide(
            .no,
            "The signed transaction is malformed, forged, or not signed as Apple does.",
            advice:
                "A client may send anything: nothing is broken if these are few. If all fail, look at the "
                + "configured roots."
        ),
        "pkcs7.": ReasonGuide(
            .no,
            "The receipt is not signed data as Apple makes it.",
            advice:
                "A client may send anything: nothing is broken if these are few. If all fail, look at the "
                + "configured roots."
        ),
        "receipt.": ReasonGuide(
            .no,
            "The receipt is malformed, forged, or not signed as Apple does.",
            advice:
                "A client may send anything: nothing is broken if these are few. If all fail, look at the "
                + "configured roots."
        ),
        "transaction.": ReasonGuide(
            .no,
            "The purchase is known, and does not stand as the client claims.",
            advice: "Nothing is broken: the verdict is in the result."
        ),
        "product.": ReasonGuide(
            .no,
            "The receipt is not of the claimed product, or the app sells no such product.",
            advice:
                "Nothing is broken if these are few. If all of one product fail, look at the app's list of "
                + "products."
        ),
        "bundle.": ReasonGuide(
            .no,
            "The receipt is of another app, or does not say of which.",
            advice: "Nothing is broken if these are few. If all fail, look at the bundle id in the worker's "
                + "settings."
        ),
        "verifyreceipt.": ReasonGuide(
            .yes,
            "Apple's verifyReceipt answered several times with what nobody knows a reason for.",
            advice:
                "Look at Apple's system status. When others get answers, replay one record and look how it "
                + "ends."
        ),
        "appstore.": ReasonGuide(
            .yes,
            "Apple's App Store Server API answered several times with what nobody knows a reason for.",
            advice:
                "Look at Apple's system status. When others get answers, replay one record and look how it "
                + "ends."
        ),
        "apple.": ReasonGuide(
            .yes,
            "Apple answered with what nobody knows a reason for.",
            advice:
                "Look at Apple's system status. When others get answers, replay one record and look how it "
                + "ends."
        ),
        "configuration.": ReasonGuide(
            .afterFix,
            "The worker's settings lack what the record needs.",
            advice: "Add it to the worker's settings and restart it, then replay."
        ),
        "purchases.": ReasonGuide(
            .yes,
            "The claimed purchase may be among purchases that were not read, since there are too many.",
            advice: "Nothing is known about it. Ask again with the id of the transaction."
        ),
    ]

    /// Returns the entry for an HTTP status. A status that is about the request needs a correction first; a
    /// status that is about the upstream's condition needs time.
    static func entry(forStatus status: Int) -> ReasonGuide {
        switch status {
        case 400, 413, 414, 422, 431:
            ReasonGuide(
                .afterFix,
                "The upstream refused this request as badly made or too large (HTTP \(status)).",
                advice:
                    "Compare the record with one that succeeded. If all fail, the worker or a proxy is at fault; "
                    + "mend that, then replay."
            )
        case 401, 403, 407:
            ReasonGuide(
                .afterFix,
                "The upstream, or a proxy before it, did not let us in (HTTP \(status)).",
                advice: "Look at keys, at allow-lists of addresses, and at proxies. Then replay."
            )
        case 404, 405, 410, 421, 426, 451, 300...399:
            ReasonGuide(
                .afterFix,
                "There is nothing at the URL that takes our calls (HTTP \(status)).",
                advice:
                    "Look at the URL in the worker's settings, and whether the upstream has moved. Then replay."
            )
        case 408, 425, 429, 500...599:
            ReasonGuide(
                .yes,
                "The upstream was in trouble or asked for fewer calls (HTTP \(status)), again and again for "
                    + "this record.",
                advice:
                    "When others get answers, replay, at a limited rate. If it fails alone, something in the "
                    + "record upsets the upstream."
            )
        default:
            ReasonGuide(
                .afterFix,
                "The upstream answered with HTTP \(status), which says nothing final.",
                advice: "Look what answers at the URL in the worker's settings. Replay one record first."
            )
        }
    }
}
