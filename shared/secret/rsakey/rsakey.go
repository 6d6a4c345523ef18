// Package rsakey parses RSA keys in the PEM formats of vendors, and signs and verifies texts with them (RSA-SHA256,
// base64).
package rsakey

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"time"

	"minicloud/shared/errs"
)

// Public parses a certificate or public key in PEM. It returns errs.Invalid with the reason if the text is neither,
// or if the certificate is not valid at the given time: the vendor may no longer control its key. A bare public key
// has no validity period.
func Public(text string, at time.Time) (*rsa.PublicKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errs.Invalid("it is no PEM")
	}

	var found any
	if certificate, err := x509.ParseCertificate(block.Bytes); err == nil {
		if err := validAt(certificate, at); err != nil {
			return nil, err
		}
		found = certificate.PublicKey
	} else if found, err = x509.ParsePKIXPublicKey(block.Bytes); err != nil {
		if found, err = x509.ParsePKCS1PublicKey(block.Bytes); err != nil {
			return nil, errs.Invalid("it is no RSA public key or certificate")
		}
	}

	key, ok := found.(*rsa.PublicKey)
	if !ok || key.Size() < 256 {
		return nil, errs.Invalid("it is no RSA key of 2,048 bits or more")
	}

	return key, nil
}

func validAt(certificate *x509.Certificate, at time.Time) error {
	switch {
	case at.After(certificate.NotAfter):
		return errs.Invalid("the certificate expired at %s", certificate.NotAfter.UTC().Format(time.RFC3339))
	case at.Before(certificate.NotBefore):
		return errs.Invalid("the certificate is not valid before %s", certificate.NotBefore.UTC().Format(time.RFC3339))
	}
	return nil
}

// Private parses a private key in PEM, PKCS #1 or PKCS #8.
func Private(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errs.Invalid("it is no PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}

	found, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}

	key, ok := found.(*rsa.PrivateKey)
	if !ok {
		return nil, errs.Invalid("it is no RSA key")
	}

	return key, nil
}

// Sign returns the base64 signature of a text.
func Sign(key *rsa.PrivateKey, text string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	return base64.StdEncoding.EncodeToString(signature), err
}

// Verify checks the signature of a text. It returns errs.Forbidden if the signature is not valid for the key.
func Verify(key *rsa.PublicKey, text, signature string) error {
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return errs.Forbidden("the signature is not base64")
	}
	sum := sha256.Sum256([]byte(text))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], raw) != nil {
		return errs.Forbidden("the signature is wrong")
	}
	return nil
}
