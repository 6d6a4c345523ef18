package nodecrypto

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
)

// Key is a key that JavaScript holds as KeyObject or CryptoKey.
type Key struct {
	secret []byte // of a secret key
}

// Size is about what a key of 4096 bits takes with its precomputed values.
func (k *Key) Size() int { return 4096 + len(k.secret) }

// secret returns the bytes of a secret key: bytes, a text in UTF-8, or a Key.
func (c *call) secret(i int) ([]byte, error) {
	if k, ok := c.at(i).(*Key); ok {
		if k.secret == nil {
			return nil, refuseType("ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", "Invalid key object type, expected secret.")
		}
		return k.secret, nil
	}
	return c.copied(i), nil
}

func keySecret(c *call) (any, error) { return &Key{secret: c.copied(0)}, nil }

// keySize is the size of a secret key in bytes.
func keySize(c *call) (any, error) { return float64(len(object[*Key](c, 0).secret)), nil }

func keyBytes(c *call) (any, error) { return object[*Key](c, 0).secret, nil }

func keyEquals(c *call) (any, error) {
	a, b := object[*Key](c, 0), object[*Key](c, 1)
	return subtle.ConstantTimeCompare(a.secret, b.secret) == 1, nil
}

// keyToJWK is a secret key as JSON Web Key.
func keyToJWK(c *call) (any, error) {
	k := object[*Key](c, 0)
	text, err := json.Marshal(struct {
		Kind string `json:"kty"`
		K    string `json:"k"`
	}{"oct", base64.RawURLEncoding.EncodeToString(k.secret)})
	return string(text), err
}
