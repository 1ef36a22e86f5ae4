/// What a device did. GDT's spelling, which has one E too few in the first.
package enum ConversionType: String, Hashable, Sendable, CaseIterable {
    case activation = "MOBILEAPP_ACTIVITE"
    case registration = "MOBILEAPP_REGISTER"
    case addToCart = "MOBILEAPP_ADDTOCART"
    /// The only one that has a value.
    case payment = "MOBILEAPP_COST"
    case score = "MOBILEAPP_SCORE"
    case search = "MOBILEAPP_SEARCH"
}
