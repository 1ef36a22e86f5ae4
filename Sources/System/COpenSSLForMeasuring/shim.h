#ifndef FLOTILLA_OPENSSL_FOR_MEASURING_H
#define FLOTILLA_OPENSSL_FOR_MEASURING_H

// What Swift cannot call of X.509 and CMS: typed stacks are macros, and algorithms are structs.

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

static inline STACK_OF(X509) *fl_measured_stack_new(void) { return sk_X509_new_null(); }

/// Takes the certificate over. Zero when there is no memory, and then the caller keeps it.
static inline int fl_measured_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate) > 0;
}

static inline X509 *fl_measured_stack_at(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

/// Frees the stack and its certificates.
static inline void fl_measured_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

/// The one signer of a message; NULL if there is not exactly one, or it has signed attributes.
static inline CMS_SignerInfo *fl_measured_plain_signer(CMS_ContentInfo *cms) {
    STACK_OF(CMS_SignerInfo) *signers = CMS_get0_SignerInfos(cms);
    if (signers == NULL || sk_CMS_SignerInfo_num(signers) != 1) return NULL;
    CMS_SignerInfo *signer = sk_CMS_SignerInfo_value(signers, 0);
    return CMS_signed_get_attr_count(signer) > 0 ? NULL : signer;
}

/// The name of a signer's digest, as EVP_MD_fetch knows it; NULL if it has none.
static inline const char *fl_measured_digest_name(CMS_SignerInfo *signer) {
    X509_ALGOR *digest = NULL;
    const ASN1_OBJECT *identifier = NULL;
    CMS_SignerInfo_get0_algs(signer, NULL, NULL, &digest, NULL);
    X509_ALGOR_get0(&identifier, NULL, NULL, digest);
    return OBJ_nid2sn(OBJ_obj2nid(identifier));
}

#endif
