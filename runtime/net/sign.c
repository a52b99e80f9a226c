/*
 * sign.c - see sign.h; the one file that names OpenSSL's libcrypto.
 *
 * The library is loaded when a key is configured; a static binary is linked with it.
 */
#include "runtime/net/sign.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum { KEY_MAX = 64 << 10, LINE = 64 };

#define API(X) \
	X(BIO_new_mem_buf) \
	X(BIO_free) \
	X(PEM_read_bio_PrivateKey) \
	X(EVP_PKEY_free) \
	X(EVP_PKEY_get_base_id) \
	X(EVP_MD_CTX_new) \
	X(EVP_MD_CTX_free) \
	X(EVP_sha256) \
	X(EVP_DigestSignInit) \
	X(EVP_DigestSign) \
	X(i2d_PublicKey) \
	X(CRYPTO_free)
struct vt_sign {
#define X(name) __typeof__(&name) name;
	API(X)
#undef X
	EVP_PKEY *key;
};

static bool
load_library(vt_sign *s)
{
#ifdef VT_LINK_CLOUD
#define X(name) s->name = name;
	API(X)
#undef X
	return true;
#else
	void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	bool good = library != NULL;
#define X(name) good = good && (*(void **)&s->name = dlsym(library, #name)) != NULL;
	API(X)
#undef X
	return good;
#endif
}

/* A key with a passphrase is refused: nobody is there to type it. */
static int
no_passphrase(char *buf, int size, int writing, void *data)
{
	(void)buf;
	(void)size;
	(void)writing;
	(void)data;
	return -1;
}

static bool
read_key(vt_sign *s, const char *pem, size_t n)
{
	BIO *b = s->BIO_new_mem_buf(pem, (int)n);
	if (b == NULL)
		return false;
	s->key = s->PEM_read_bio_PrivateKey(b, NULL, no_passphrase, NULL);
	s->BIO_free(b);
	return s->key != NULL && s->EVP_PKEY_get_base_id(s->key) == EVP_PKEY_RSA;
}

vt_sign *
vt_sign_open(const char *path, char **err)
{
	char pem[KEY_MAX];
	FILE *f = fopen(path, "rbe");
	size_t n = f ? fread(pem, 1, sizeof pem, f) : 0;
	vt_sign *s;
	int why = errno;
	if (f != NULL)
		fclose(f);
	if (f == NULL) {
		*err = vt_asprintf("%s: %s", path, strerror(why));
		return NULL;
	}
	s = vt_xzalloc(sizeof *s);
	if (!load_library(s))
		*err = vt_asprintf(
			"plans cannot be signed: libcrypto.so.3 is not there; install libssl3");
	else if (!read_key(s, pem, n))
		*err = vt_asprintf("%s: no RSA private key in PEM without a passphrase", path);
	else
		return s;
	vt_sign_close(s);
	return NULL;
}

void
vt_sign_close(vt_sign *s)
{
	if (s != NULL && s->key != NULL)
		s->EVP_PKEY_free(s->key);
	free(s);
}

bool
vt_sign_public(vt_sign *s, vt_buf *b)
{
	unsigned char *der = NULL;
	int n = s->i2d_PublicKey(s->key, &der);
	vt_buf text = {0};
	if (n <= 0)
		return false;
	vt_base64(&text, der, (size_t)n, 0);
	vt_buf_puts(b, "-----BEGIN RSA PUBLIC KEY-----\n");
	for (size_t i = 0; i < text.n; i += LINE) {
		vt_buf_put(b, text.p + i, text.n - i < LINE ? text.n - i : LINE);
		vt_buf_putc(b, '\n');
	}
	vt_buf_puts(b, "-----END RSA PUBLIC KEY-----\n");
	vt_buf_free(&text);
	s->CRYPTO_free(der, __FILE__, __LINE__);
	return true;
}

bool
vt_sign_make(vt_sign *s, const void *text, size_t n, vt_buf *signature)
{
	EVP_MD_CTX *c = s->EVP_MD_CTX_new();
	size_t len = 0;
	bool ok = c != NULL && s->EVP_DigestSignInit(c, NULL, s->EVP_sha256(), NULL, s->key) == 1 &&
		  s->EVP_DigestSign(c, NULL, &len, text, n) == 1;
	if (ok)
		ok = s->EVP_DigestSign(
			     c, (unsigned char *)vt_buf_room(signature, len), &len, text, n) == 1;
	if (ok)
		signature->n += len;
	if (c != NULL)
		s->EVP_MD_CTX_free(c);
	return ok;
}
