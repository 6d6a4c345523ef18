// Package keys is the KMS of the local cloud: symmetric keys in a file readable only by its owner.
//
//	ciphertext = 1 | length of key id | key id | nonce (12) | AES-256-GCM
//
// The encryption context is authenticated together with the key ID: decryption with another context fails.
package keys

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"minicloud/infra/local/disk"
	"minicloud/infra/local/template"
)

const (
	version      = 1
	keyBytes     = 32
	maxPlaintext = 4096 // bytes, of Encrypt
	maxDataKey   = 1024 // bytes
)

// Error is an error response of KMS.
type Error struct{ Type, Message string }

func (e *Error) Error() string { return e.Type + ": " + e.Message }

// Ring holds the keys of the template.
type Ring struct {
	region  string
	ciphers map[string]cipher.AEAD // by key ID
}

// ErrUnusable means that the key file is broken or missing although data encrypted with its keys exists. Errors that
// wrap it give the reason.
var ErrUnusable = errors.New("what was encrypted cannot be decrypted without it")

// Open reads the keys from the file at path and creates missing keys. A key that the template no longer declares stays
// in the file. If data is true the file must exist: new keys could not decrypt that data.
func Open(path, region string, wanted []*template.Key, data bool) (*Ring, error) {
	secrets, err := read(path, data)
	if err != nil {
		return nil, err
	}

	if add(secrets, wanted) {
		// Store new keys on disk before anything is encrypted with them.
		if err := disk.ReplaceJSON(path, secrets); err != nil {
			return nil, fmt.Errorf("keys: %w", err)
		}
	}

	return ring(region, wanted, secrets)
}

// New returns new keys that are stored nowhere, for the simulation.
func New(region string, wanted []*template.Key) (*Ring, error) {
	secrets := map[string][]byte{}
	add(secrets, wanted)
	return ring(region, wanted, secrets)
}

// add creates the missing keys and reports whether there were any.
func add(secrets map[string][]byte, wanted []*template.Key) (made bool) {
	for _, k := range wanted {
		if _, kept := secrets[k.ID]; !kept {
			secrets[k.ID], made = random(keyBytes), true
		}
	}
	return made
}

func ring(region string, wanted []*template.Key, secrets map[string][]byte) (r *Ring, err error) {
	r = &Ring{region: region, ciphers: map[string]cipher.AEAD{}}
	for _, k := range wanted {
		if r.ciphers[k.ID], err = newCipher(secrets[k.ID]); err != nil {
			return nil, fmt.Errorf("keys: %s: %w", k.ID, err)
		}
	}
	return r, nil
}

// read returns the keys of the file, none if the file does not exist yet.
func read(path string, data bool) (map[string][]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if data {
			return nil, fmt.Errorf("%s is missing: %w", path, ErrUnusable)
		}
		return map[string][]byte{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}

	var secrets map[string][]byte
	if err := json.Unmarshal(text, &secrets); err != nil {
		return nil, fmt.Errorf("%s is broken (%w): %w", path, err, ErrUnusable)
	}
	// "null" and "{}" are valid JSON but hold no keys, and new keys could not decrypt existing data.
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%s is broken (there is no key in it): %w", path, ErrUnusable)
	}
	for id, secret := range secrets {
		if len(secret) != keyBytes {
			return nil, fmt.Errorf(
				"%s is broken (the key %s has %d bytes, not %d): %w", path, id, len(secret), keyBytes, ErrUnusable,
			)
		}
	}
	return secrets, nil
}

func newCipher(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// find resolves a key ID or its ARN to the key ID.
func (r *Ring) find(given string) (id string, err error) {
	name := given
	if strings.HasPrefix(given, "arn:") {
		parts := strings.SplitN(given, ":", 6)
		name = strings.TrimPrefix(parts[len(parts)-1], "key/")
	}
	if r.ciphers[name] == nil {
		return "", &Error{"NotFoundException", "Key '" + given + "' does not exist"}
	}
	return name, nil
}

// arn returns the ARN of a key.
func (r *Ring) arn(id string) string {
	return "arn:aws:kms:" + r.region + ":" + template.Account + ":key/" + id
}

// authenticated returns the additional data that a ciphertext is bound to.
func authenticated(id string, context map[string]string) []byte {
	text, _ := json.Marshal(struct {
		Key     string
		Context map[string]string `json:",omitempty"`
	}{id, context}) // maps are encoded in key order
	return text
}

// Encrypt encrypts 1 to 4096 bytes with a key.
func (r *Ring) Encrypt(
	key string, plaintext []byte, context map[string]string,
) (ciphertext []byte, id string, err error) {
	if id, err = r.find(key); err != nil {
		return nil, "", err
	}
	if len(plaintext) == 0 || len(plaintext) > maxPlaintext {
		return nil, "", &Error{"ValidationException", "Plaintext must have 1 to 4096 bytes"}
	}
	out := append([]byte{version, byte(len(id))}, id...)
	return r.ciphers[id].Seal(out, nil, plaintext, authenticated(id, context)), id, nil
}

var errCiphertext = &Error{Type: "InvalidCiphertextException"}

// Decrypt is the inverse of Encrypt. key may be "": the ciphertext contains the key ID.
func (r *Ring) Decrypt(
	key string, ciphertext []byte, context map[string]string,
) (plaintext []byte, id string, err error) {
	// The layout is version, length of the key ID, key ID, sealed text; a short input must not cause a panic below.
	if len(ciphertext) < 2 || ciphertext[0] != version || len(ciphertext) < 2+int(ciphertext[1]) {
		return nil, "", errCiphertext
	}

	end := 2 + int(ciphertext[1])
	id = string(ciphertext[2:end])
	if r.ciphers[id] == nil {
		return nil, "", errCiphertext
	}

	if key != "" {
		named, err := r.find(key)
		if err != nil {
			return nil, "", err
		}

		if named != id {
			return nil, "", &Error{
				"IncorrectKeyException", "The key ID in the request does not identify a CMK that can perform this operation.",
			}
		}
	}

	plaintext, err = r.ciphers[id].Open(nil, nil, ciphertext[end:], authenticated(id, context))
	if err != nil {
		return nil, "", errCiphertext
	}

	return plaintext, id, nil
}
