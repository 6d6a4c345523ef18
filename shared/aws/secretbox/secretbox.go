// Package secretbox encrypts small secrets with data keys that KMS encrypts. A reader of the store cannot decrypt them
// without permission to use the KMS key.
//
//	sealed secret = nonce (12 bytes) · AES-256-GCM(data key, nonce, text, bound text)
//
// The bound text is also the encryption context of the data key, so a sealed secret cannot be decrypted if somebody
// copies it to another place.
package secretbox

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"minicloud/shared/cache"
	"minicloud/shared/errs"
)

// KMS is the part of the KMS client this package uses.
type KMS interface {
	GenerateDataKey(ctx context.Context, in *kms.GenerateDataKeyInput, options ...func(*kms.Options)) (*kms.GenerateDataKeyOutput, error)
	Decrypt(ctx context.Context, in *kms.DecryptInput, options ...func(*kms.Options)) (*kms.DecryptOutput, error)
}

// Box implements sealed.Sealer. It caches the plaintext of data keys, because a KMS call takes longer than most work
// with a secret.
type Box struct {
	KMS   KMS
	KeyID string // id of the KMS key

	opened cache.Map[dataKey, []byte]
}

// dataKey identifies a sealed data key. Its plaintext never changes, so a cached entry is never stale.
type dataKey struct{ bound, sealed string }

func encryptionContext(bound string) map[string]string { return map[string]string{"for": bound} }

// NewKey implements sealed.Sealer.
func (b *Box) NewKey(ctx context.Context, bound string) (clear, sealed []byte, err error) {
	out, err := b.KMS.GenerateDataKey(ctx, &kms.GenerateDataKeyInput{
		KeyId: &b.KeyID, KeySpec: types.DataKeySpecAes256, EncryptionContext: encryptionContext(bound),
	})
	if err != nil {
		return nil, nil, fmt.Errorf(
			"make data key: %w: %w", errs.Unavailable(1, "secrets cannot be kept now, try again"), err,
		)
	}
	b.opened.Put(dataKey{bound, string(out.CiphertextBlob)}, out.Plaintext)
	return out.Plaintext, out.CiphertextBlob, nil
}

// OpenKey implements sealed.Sealer.
func (b *Box) OpenKey(ctx context.Context, bound string, sealed []byte) ([]byte, error) {
	return b.opened.Load(dataKey{bound, string(sealed)}, nil, func() ([]byte, error) {
		out, err := b.KMS.Decrypt(ctx, &kms.DecryptInput{
			KeyId: &b.KeyID, CiphertextBlob: sealed, EncryptionContext: encryptionContext(bound),
		})
		if err != nil {
			return nil, fmt.Errorf("open data key: %w: %w", errs.Unavailable(1, "secrets cannot be read now, try again"), err)
		}
		return out.Plaintext, nil
	})
}

// Encrypt implements sealed.Sealer.
func (b *Box) Encrypt(key []byte, bound, text string) ([]byte, error) {
	gcm, err := newGCM(key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	rand.Read(nonce)
	return gcm.Seal(nonce, nonce, []byte(text), []byte(bound)), nil
}

// Decrypt implements sealed.Sealer.
func (b *Box) Decrypt(key []byte, bound string, sealed []byte) (string, error) {
	gcm, err := newGCM(key)
	if err != nil {
		return "", err
	}
	if len(sealed) < gcm.NonceSize() {
		return "", errors.New("the secret is damaged")
	}
	nonce, box := sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():]
	text, err := gcm.Open(nil, nonce, box, []byte(bound))
	if err != nil {
		return "", errors.New("the secret is damaged or not of this place")
	}
	return string(text), nil
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("data key: %w", err)
	}
	return cipher.NewGCM(block)
}
