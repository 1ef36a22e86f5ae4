/// The type of a conversion. The raw values are GDT's spelling, including the missing E in
/// `MOBILEAPP_ACTIVITE`.
package enum ConversionType: String, Hashable, Sendable, CaseIterable {
    case activation = "MOBILEAPP_ACTIVITE"
    case registration = "MOBILEAPP_REGISTER"
    case addToCart = "MOBILEAPP_ADDTOCART"
    /// A payment, the only type with a value.
    case payment = "MOBILEAPP_COST"
    case score = "MOBILEAPP_SCORE"
    case search = "MOBILEAPP_SEARCH"
}
