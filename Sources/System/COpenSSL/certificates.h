#ifndef FLOTILLA_CERTIFICATES_H
#define FLOTILLA_CERTIFICATES_H

// What Swift cannot call of X.509 and CMS: typed stacks are macros, and so are a few casts.

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/ec.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

static inline STACK_OF(X509) *fl_x509_stack_new(void) { return sk_X509_new_null(); }

/// Keeps a reference of its own. Zero when there is no memory.
static inline int fl_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    if (!X509_up_ref(certificate)) return 0;
    if (sk_X509_push(stack, certificate) > 0) return 1;
    X509_free(certificate);
    return 0;
}

static inline int fl_x509_stack_count(const STACK_OF(X509) *stack) {
    return stack == NULL ? 0 : sk_X509_num(stack);
}

static inline X509 *fl_x509_stack_at(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

/// Frees the stack and the references it holds.
static inline void fl_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

/// Frees the stack alone, where it holds no references.
static inline void fl_x509_stack_free_shallow(STACK_OF(X509) *stack) { sk_X509_free(stack); }

static inline int fl_cms_signer_count(CMS_ContentInfo *cms) {
    STACK_OF(CMS_SignerInfo) *infos = CMS_get0_SignerInfos(cms);
    return infos == NULL ? 0 : sk_CMS_SignerInfo_num(infos);
}

/// Seconds since 1970 of a certificate's time. Zero if it is no time.
static inline int fl_asn1_time_seconds(const ASN1_TIME *time, long long *seconds) {
    int days = 0, rest = 0, succeeded = 0;
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    if (epoch != NULL && ASN1_TIME_diff(&days, &rest, epoch, time)) {
        *seconds = (long long)days * 86400 + rest;
        succeeded = 1;
    }
    ASN1_TIME_free(epoch);
    return succeeded;
}

/// Writes a name as RFC 2253 has it. Below zero if it cannot be written.
static inline int fl_x509_name_print(BIO *output, const X509_NAME *name) {
    return X509_NAME_print_ex(output, name, 0, XN_FLAG_RFC2253);
}

#endif
