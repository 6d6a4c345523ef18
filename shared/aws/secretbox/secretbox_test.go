package secretbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/kms"

	"minicloud/shared/errs"
)

// fakeKMS is a KMS that stores each data key with its encryption context.
type fakeKMS struct {
	sealed map[string]fakeKey
	down   bool
}

type fakeKey struct {
	clear   []byte
	context map[string]string
}

func (f *fakeKMS) GenerateDataKey(
	_ context.Context, in *kms.GenerateDataKeyInput, _ ...func(*kms.Options),
) (*kms.GenerateDataKeyOutput, error) {
	if f.down {
		return nil, errors.New("down")
	}
	clear, blob := make([]byte, 32), make([]byte, 16)
	rand.Read(clear)
	rand.Read(blob)
	f.sealed[string(blob)] = fakeKey{clear, in.EncryptionContext}
	return &kms.GenerateDataKeyOutput{Plaintext: clear, CiphertextBlob: blob}, nil
}

func (f *fakeKMS) Decrypt(
	_ context.Context, in *kms.DecryptInput, _ ...func(*kms.Options),
) (*kms.DecryptOutput, error) {
	key, ok := f.sealed[string(in.CiphertextBlob)]
	if f.down || !ok || !maps.Equal(key.context, in.EncryptionContext) {
		return nil, errors.New("InvalidCiphertextException")
	}
	return &kms.DecryptOutput{Plaintext: key.clear}, nil
}

func TestSecretsOpenOnlyWhereTheyBelong(t *testing.T) {
	service := &fakeKMS{sealed: map[string]fakeKey{}}
	box := &Box{KMS: service, KeyID: "key"}
	key, sealedKey, err := box.NewKey(t.Context(), "7.production#1")
	if err != nil {
		t.Fatal(err)
	}
	other := &Box{KMS: service, KeyID: "key"} // another process: an empty cache
	opened, err := other.OpenKey(t.Context(), "7.production#1", sealedKey)
	if err != nil || !bytes.Equal(opened, key) {
		t.Fatalf("the key does not open: %v", err)
	}
	if _, err := box.OpenKey(t.Context(), "8.production#1", sealedKey); err == nil {
		t.Error("the key opens for another application")
	}
	sealed, err := box.Encrypt(key, "7.production#1#TOKEN", "hush")
	if err != nil || bytes.Contains(sealed, []byte("hush")) {
		t.Fatalf("%q, %v", sealed, err)
	}
	if text, err := box.Decrypt(key, "7.production#1#TOKEN", sealed); err != nil || text != "hush" {
		t.Errorf("%q, %v", text, err)
	}
	if again, _ := box.Encrypt(key, "7.production#1#TOKEN", "hush"); bytes.Equal(again, sealed) {
		t.Error("the same secret is sealed the same way twice")
	}
	if _, err := box.Decrypt(key, "7.production#1#OTHER", sealed); err == nil {
		t.Error("the secret opens under another name")
	}
	for i := range sealed {
		broken := bytes.Clone(sealed)
		broken[i] ^= 1
		if _, err := box.Decrypt(key, "7.production#1#TOKEN", broken); err == nil {
			t.Errorf("byte %d may change", i)
		}
	}
	if _, err := box.Decrypt(key, "", sealed[:5]); err == nil {
		t.Error("a stump opens")
	}
	service.down = true
	if _, _, err := box.NewKey(t.Context(), "x"); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("without KMS: %v", err)
	}
	third := &Box{KMS: service, KeyID: "key"}
	if _, err := third.OpenKey(t.Context(), "7.production#1", sealedKey); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("without KMS: %v", err)
	}
	// A process that has created or decrypted a data key makes no second KMS call for it.
	for what, b := range map[string]*Box{"made": box, "opened": other} {
		if again, err := b.OpenKey(t.Context(), "7.production#1", sealedKey); err != nil || !bytes.Equal(again, key) {
			t.Errorf("a key that this program %s: %v", what, err)
		}
		if _, err := b.OpenKey(t.Context(), "8.production#1", sealedKey); err == nil {
			t.Error("a cached key opens for another application")
		}
	}
}
