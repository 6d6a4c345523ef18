package rsakey_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/secret/rsakey"
)

func text(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// TestReadsKeysInEachForm parses keys in each format of the vendors, and verifies with one what the other signs.
func TestReadsKeysInEachForm(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pkix, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}

	for _, private := range []string{text("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), text("PRIVATE KEY", pkcs8)} {
		for _, public := range []string{
			text("PUBLIC KEY", pkix), text("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey)),
		} {
			signs, err := rsakey.Private(private)
			if err != nil {
				t.Fatal(err)
			}
			verifies, err := rsakey.Public(public, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			signature, err := rsakey.Sign(signs, "a=1")
			if err != nil || rsakey.Verify(verifies, "a=1", signature) != nil {
				t.Errorf("what was signed does not verify: %v", err)
			}
			if err := rsakey.Verify(verifies, "a=2", signature); !errs.Is(err, errs.KindForbidden) {
				t.Errorf("of another text: %v", err)
			}
		}
	}

	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	for _, public := range []string{"", "no PEM", text("PUBLIC KEY", []byte("x")),
		text("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&small.PublicKey))} {
		if _, err := rsakey.Public(public, time.Now()); err == nil {
			t.Errorf("%q is a key", public)
		}
	}
}

// TestRefusesCertificatesOutsideTheirPeriod checks that the error names the validity period.
func TestRefusesCertificatesOutsideTheirPeriod(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(1, 0, 0)
	form := &x509.Certificate{SerialNumber: big.NewInt(7), NotBefore: from, NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}

	certificate := text("CERTIFICATE", der)
	for at, want := range map[time.Time]string{
		from: "", until: "", from.Add(-time.Second): "not valid before 2026-01-01T00:00:00Z",
		until.Add(time.Second): "expired at 2027-01-01T00:00:00Z",
	} {
		found, err := rsakey.Public(certificate, at)
		if want == "" && (err != nil || !found.Equal(&key.PublicKey)) {
			t.Errorf("at %s: %v", at, err)
		}
		if want != "" && (!errs.Is(err, errs.KindInvalid) || !strings.Contains(err.Error(), want)) {
			t.Errorf("at %s: %v, want %s", at, err, want)
		}
	}
}
