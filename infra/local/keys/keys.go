// Package keys is the KMS of the local cloud: symmetric keys in a file that
// only its owner may read.
//
//	ciphertext = 1 | length of key id | key id | nonce (12) | AES-256-GCM
//
// The encryption context is authenticated with the key id: decryption with
// another context fails.
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

	"minicloud/infra/local/template"
)

const (
	version      = 1
	nonceBytes   = 12
	maxPlaintext = 4096 // bytes, of Encrypt
	maxDataKey   = 1024 // bytes
)

// Error is a refusal in KMS's words.
type Error struct{ Type, Message string }

func (e *Error) Error() string { return e.Type + ": " + e.Message }

// Ring holds the keys of the template.
type Ring struct {
	region  string
	ciphers map[string]cipher.AEAD // by key id
	aliases map[string]string      // key id by "alias/…"
}

// Open reads the keys from the file at path and makes those that are missing. A
// key that the template does not name any more stays in the file.
func Open(path, region string, wanted []*template.Key) (*Ring, error) {
	secrets := map[string][]byte{}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &secrets)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("keys: %w", err)
	}
	r := &Ring{region: region, ciphers: map[string]cipher.AEAD{}, aliases: map[string]string{}}
	made := false
	for _, k := range wanted {
		if secrets[k.ID] == nil {
			secrets[k.ID] = random(32)
			made = true
		}
		for _, alias := range k.Aliases {
			r.aliases[alias] = k.ID
		}
	}
	if made {
		if err := save(path, secrets); err != nil {
			return nil, fmt.Errorf("keys: %w", err)
		}
	}
	for _, k := range wanted {
		block, err := aes.NewCipher(secrets[k.ID])
		if err != nil {
			return nil, fmt.Errorf("keys: %s: %w", k.ID, err)
		}
		if r.ciphers[k.ID], err = cipher.NewGCM(block); err != nil {
			return nil, fmt.Errorf("keys: %s: %w", k.ID, err)
		}
	}
	return r, nil
}

func save(path string, secrets map[string][]byte) error {
	text, err := json.Marshal(secrets)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".next", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".next", path)
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// find resolves a key id, alias or ARN of either.
func (r *Ring) find(given string) (id string, err error) {
	name := given
	if strings.HasPrefix(given, "arn:") {
		parts := strings.SplitN(given, ":", 6)
		name = strings.TrimPrefix(parts[len(parts)-1], "key/")
	}
	if target, ok := r.aliases[name]; ok {
		name = target
	}
	if r.ciphers[name] == nil {
		return "", &Error{"NotFoundException", "Key '" + given + "' does not exist"}
	}
	return name, nil
}

// arn is the ARN of a key id.
func (r *Ring) arn(id string) string {
	return "arn:aws:kms:" + r.region + ":" + template.Account + ":key/" + id
}

// authenticated is what a ciphertext is bound to.
func authenticated(id string, context map[string]string) []byte {
	text, _ := json.Marshal(struct {
		Key     string
		Context map[string]string `json:",omitempty"`
	}{id, context}) // a map is written in the order of its keys
	return text
}

// Encrypt encrypts up to 4096 bytes under a key.
func (r *Ring) Encrypt(key string, plaintext []byte, context map[string]string) (ciphertext []byte, id string, err error) {
	if id, err = r.find(key); err != nil {
		return nil, "", err
	}
	if len(plaintext) == 0 || len(plaintext) > maxPlaintext {
		return nil, "", &Error{"ValidationException", "Plaintext must have 1 to 4096 bytes"}
	}
	nonce := random(nonceBytes)
	out := append([]byte{version, byte(len(id))}, id...)
	out = append(out, nonce...)
	return r.ciphers[id].Seal(out, nonce, plaintext, authenticated(id, context)), id, nil
}

var errCiphertext = &Error{Type: "InvalidCiphertextException"}

// Decrypt is the inverse of Encrypt. key may be "".
func (r *Ring) Decrypt(key string, ciphertext []byte, context map[string]string) (plaintext []byte, id string, err error) {
	if len(ciphertext) < 2 || ciphertext[0] != version || len(ciphertext) < 2+int(ciphertext[1])+nonceBytes {
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
			return nil, "", &Error{"IncorrectKeyException", "The key ID in the request does not identify a CMK that can perform this operation."}
		}
	}
	nonce, sealed := ciphertext[end:end+nonceBytes], ciphertext[end+nonceBytes:]
	plaintext, err = r.ciphers[id].Open(nil, nonce, sealed, authenticated(id, context))
	if err != nil {
		return nil, "", errCiphertext
	}
	return plaintext, id, nil
}
