import WireFormats

// Entries for reasons about purchases that need more words than their family's entry.
extension ReasonGuide {
    static let receipts: [String: ReasonGuide] = [
        "receipt.missing": ReasonGuide(
            .no,
            "The record has neither a receipt nor a transaction id, or the app's route cannot ask by an "
                + "id alone.",
            advice:
                "A final no: clients may send anything. If there are many, have the app send its receipt, or give it a "
                + "key for the App Store Server API."
        ),
        "receipt.untrusted": ReasonGuide(
            .afterFix,
            "The receipt's certificates lead to no root that is configured.",
            advice: "If there are many, Apple has a root that the worker does not have: add it and replay. A "
                + "single one is a forgery."
        ),
        "receipt.unverified": ReasonGuide(
            .no,
            "The purchase stands, and no certificate here shows that the receipt is Apple's.",
            advice:
                "Configure apple.app_receipt_roots and apple.transaction_receipt_roots: without them anybody can write a "
                + "receipt with somebody else's transaction."
        ),
        "receipt.signature_version": ReasonGuide(
            .afterFix,
            "The receipt of iOS 6 has a signature of a version that only Apple can verify, so that it does not show "
                + "whose purchase it is.",
            advice:
                "A forgery, or a very old app: have it send an app receipt or a signed transaction. The route "
                + "verifyreceipt shows Apple the receipt itself."
        ),
        "receipt.no_anchor": ReasonGuide(
            .afterFix,
            "No root certificate is configured that such receipts lead to.",
            advice: "Put Apple's roots into the worker's settings and restart it, then replay."
        ),
        "jws.untrusted": ReasonGuide(
            .afterFix,
            "The certificates of the signed transaction lead to no root that is configured.",
            advice: "If there are many, Apple has a root that the worker does not have: add it and replay. A "
                + "single one is a forgery."
        ),
        "verifyreceipt.21000": ReasonGuide(
            .afterFix,
            "Apple cannot read our request: a fault of this worker.",
            advice: "Look for a new version of the worker, then replay."
        ),
        "verifyreceipt.21002": ReasonGuide(
            .yes,
            "Apple calls the receipt malformed, as it also does when it is in trouble.",
            advice:
                "Nothing is broken if these are few: clients may send anything. If receipts that are verified here get it "
                + "too, their lane is held until Apple answers again."
        ),
        "verifyreceipt.21003": ReasonGuide(
            .no,
            "Apple says that the receipt is not authentic.",
            advice: "A final no: nothing is broken if these are few."
        ),
        "verifyreceipt.21004": ReasonGuide(
            .afterFix,
            "The shared secret is not that of the receipt's app.",
            advice:
                "Compare the secret in the worker's settings with App Store Connect. Correct it, then replay "
                + "this group."
        ),
        "verifyreceipt.21005": ReasonGuide(
            .yes,
            "Apple's receipt service was not available.",
            advice: "When others get answers, replay."
        ),
        "verifyreceipt.internal": ReasonGuide(
            .yes,
            "Apple could not access its own data.",
            advice: "When others get answers, replay."
        ),
        "verifyreceipt.21010": ReasonGuide(
            .no,
            "Apple does not know the account that bought this, or no longer.",
            advice: "A final no: nothing is broken."
        ),
        "verifyreceipt.no_receipt": ReasonGuide(
            .yes,
            "Apple approved, and did not say of what.",
            advice: "When others get whole answers, replay. If it stays so, ask Apple."
        ),
        "appstore.unauthorized": ReasonGuide(
            .afterFix,
            "Apple takes our token in no environment: the key is revoked, an id is another's, or the "
                + "clock is wrong.",
            advice:
                "Correct the app's key, key id or issuer id at the worker. The records in its lane go on by "
                + "themselves."
        ),
        "appstore.rate_limit": ReasonGuide(
            .yes,
            "Apple's limit of calls for the app was reached.",
            advice: "Lower calls_per_second, for all workers together. Replay at a low rate."
        ),
        "appstore.bad_request": ReasonGuide(
            .afterFix,
            "Apple refuses our request: a fault of this worker.",
            advice: "Look for a new version of the worker, then replay."
        ),
        "appstore.app": ReasonGuide(
            .afterFix,
            "Apple does not know the app: the bundle id in the settings is wrong.",
            advice: "Correct it and restart the worker, then replay."
        ),
        "appstore.transaction_id": ReasonGuide(
            .no,
            "Apple says that this can be no id of a transaction.",
            advice: "A final no: clients may claim anything."
        ),
        "appstore.transaction_not_found": ReasonGuide(
            .no,
            "Apple knows no such transaction in any environment, a quarter of an hour later either.",
            advice: "A final no: clients may claim anything."
        ),
        "appstore.account": ReasonGuide(
            .no,
            "Apple does not know the account that bought this, or no longer.",
            advice: "A final no: nothing is broken."
        ),
        "appstore.app_transaction": ReasonGuide(
            .no,
            "Apple knows no such app transaction.",
            advice: "A final no: clients may claim anything."
        ),
        "appstore.not_said_by_production": ReasonGuide(
            .afterFix,
            "Only the sandbox answered, since production takes no token for the app: it may not be sold "
                + "yet.",
            advice: "Look at the app's state in App Store Connect. Replay when it is sold."
        ),
    ]
}
