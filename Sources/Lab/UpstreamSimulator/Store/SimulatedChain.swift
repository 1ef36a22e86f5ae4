/// The certificates that the simulated store signs with: a root, an intermediate with Apple's marker
/// extension 1.2.840.113635.100.6.2.1, and a leaf with Apple's marker extension 1.2.840.113635.100.6.11.1.
///
/// They are valid from 2013 to 2049. The leaf's private key is public, here beside it: a service that trusts
/// this root accepts signatures from anyone. Use it in tests only.
package enum SimulatedChain {
    /// The root certificate that a worker must be configured to trust, in PEM.
    package static let rootPEM = "-----BEGIN CERTIFICATE-----\n\(root)\n-----END CERTIFICATE-----\n"

    /// The certificates as the header of a signed transaction carries them: leaf first, DER in standard
    /// base64.
    static let certificates = [leaf, intermediate, root]

    /// A writer that signs with the leaf's key; nil if OpenSSL cannot read the key.
    static var writer: SignedDataWriter? {
        SignedDataWriter(keyPEM: self.leafKeyPEM, certificates: self.certificates)
    }

    static let leafKeyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzNIv44o3zun+Jf1P
        JwUV2S88gwemMWAGY1LcgOdKQmyhRANCAATic+nRBNy1fwzCeBrAdwMCuXzaqKAf
        VTTlMwNDznc7WrH2zw3+6TTak3z/LTJtI9QlOf1IHRYvx6NDl9wly0Fm
        -----END PRIVATE KEY-----
        """

    private static let root = """
        MIIB6DCCAW+gAwIBAgIUbi4SX8H8gz+UQf9h6Pr/VIijHQ8wCgYIKoZIzj0EAwMwNDEfMB0GA1UEAwwWU2ltdWxh\
        dGVkIFJvb3QgQ0EgLSBHMzERMA8GA1UECgwIRmxvdGlsbGEwHhcNMTMwMTAxMDAwMDAwWhcNNDkxMjMxMjM1OTU5\
        WjA0MR8wHQYDVQQDDBZTaW11bGF0ZWQgUm9vdCBDQSAtIEczMREwDwYDVQQKDAhGbG90aWxsYTB2MBAGByqGSM49\
        AgEGBSuBBAAiA2IABErPD/0fuT7/3w6eMYlzCRLQOsghaoR9ascPg1FcSbehF4qbaDXw5vxSoPDHEuZpNSe7q8ZD\
        7/CLo1dgfSGl7Ae6dqFcwcXC2HEdFvb9l+4JVT4trAta0OAHJBF2CBVPwaNCMEAwDwYDVR0TAQH/BAUwAwEB/zAO\
        BgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFAwLZqw8iZHYZE86M5Z5FRV8OSDzMAoGCCqGSM49BAMDA2cAMGQCMDPg\
        Be6y6kY+KIaZZe7db1QJ8E/LAaruRxaKRBM29cKpZNbc+8W4Xt+Ai/vpFdLT5AIwcCP2zAXscPxMXZFStdYS4vb9\
        nBiPrcX1Yi+ZF3H6/SuOjc6lAmnQEpqEso4SA3p+
        """

    private static let intermediate = """
        MIICEzCCAZmgAwIBAgIUCVn4AXauiy0rbJGnuKvdQaHfFF0wCgYIKoZIzj0EAwMwNDEfMB0GA1UEAwwWU2ltdWxh\
        dGVkIFJvb3QgQ0EgLSBHMzERMA8GA1UECgwIRmxvdGlsbGEwHhcNMTMwMTAxMDAwMDAwWhcNNDkxMjMxMjM1OTU5\
        WjBFMTAwLgYDVQQDDCdTaW11bGF0ZWQgV29ybGR3aWRlIERldmVsb3BlciBSZWxhdGlvbnMxETAPBgNVBAoMCEZs\
        b3RpbGxhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEGFdiz4ncDnP8Bj2BSbh2x13GnS3GGSlkyU8tI5RTSEnu\
        BvwIuDGJu78h0TubucmxUKnyjA/x6gX80jj7x9wVfKN4MHYwEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8BAf8E\
        BAMCAQYwHQYDVR0OBBYEFEKbWkpXuT0cVZOGz7fgkZT8SIQ+MB8GA1UdIwQYMBaAFAwLZqw8iZHYZE86M5Z5FRV8\
        OSDzMBAGCiqGSIb3Y2QGAgEEAgUAMAoGCCqGSM49BAMDA2gAMGUCMBNZZXml1TtOs/85N2qgxPxxhP6xNTmi5qcy\
        SJFj0X0wyXP9ZzaQedE9Y7V4s+ZZIQIxAMDHeaQHFLg9ZEK/Uuz89rAmfIW7AuGVQq2DX6ld54Xooj8F6l5dPhF5\
        h71W1h/i+g==
        """

    private static let leaf = """
        MIIB9zCCAZygAwIBAgIUKvdcjkJUwA7lE/hwddaHUVvBz/0wCgYIKoZIzj0EAwMwRTEwMC4GA1UEAwwnU2ltdWxh\
        dGVkIFdvcmxkd2lkZSBEZXZlbG9wZXIgUmVsYXRpb25zMREwDwYDVQQKDAhGbG90aWxsYTAeFw0xMzAxMDEwMDAw\
        MDBaFw00OTEyMzEyMzU5NTlaMD0xKDAmBgNVBAMMH1NpbXVsYXRlZCBTdG9yZSBSZWNlaXB0IFNpZ25pbmcxETAP\
        BgNVBAoMCEZsb3RpbGxhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE4nPp0QTctX8MwngawHcDArl82qigH1U0\
        5TMDQ853O1qx9s8N/uk02pN8/y0ybSPUJTn9SB0WL8ejQ5fcJctBZqNyMHAwDAYDVR0TAQH/BAIwADAOBgNVHQ8B\
        Af8EBAMCB4AwHQYDVR0OBBYEFMFnSkN1gOHQVndV4GF6GcFT/ABIMB8GA1UdIwQYMBaAFEKbWkpXuT0cVZOGz7fg\
        kZT8SIQ+MBAGCiqGSIb3Y2QGCwEEAgUAMAoGCCqGSM49BAMDA0kAMEYCIQCvi4nkBHsz+omIKiKbPE9vUB3aaPuS\
        MUvcSx5X6WhECAIhAJFvmYkJuPo590Zn20lusSDuGisvp8xOkXCIy6f+luWO
        """
}
