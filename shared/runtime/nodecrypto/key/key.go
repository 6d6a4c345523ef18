package key

import (
	"bytes"
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/subtle"
	"crypto/x509"
	"encoding/pem"

	"minicloud/shared/runtime/hostcall"
	"minicloud/shared/runtime/nodecrypto/symmetric"
)

// Key is the key of a KeyObject or CryptoKey: secret, private with its public half, or public.
type Key struct {
	secret  []byte
	private crypto.PrivateKey // *rsa.PrivateKey, *ecdsa.PrivateKey, ed25519.PrivateKey or *ecdh.PrivateKey (X25519)
	public  crypto.PublicKey
}

// Size is the approximate size of a 4096-bit key with its precomputed values.
func (k *Key) Size() int { return 4096 + len(k.secret) }

// maxModulus is the maximum size of an RSA key in bits: one operation with a larger key takes seconds.
const maxModulus = 8192

// Maximum sizes of encoded keys and of texts with keys or certificates, in bytes: numbers with millions of digits
// take hours.
const (
	maxKey  = 16 << 10
	maxText = 256 << 10
)

// keyData returns a copy of an argument to be parsed as a key, because the parsers return keys that refer to their
// input.
func keyData(c *hostcall.Call, i int) ([]byte, error) {
	most := maxText
	if form, ok := c.At(i + 1).(string); ok && form == "der" {
		most = maxKey
	}
	if len(c.Data(i)) > most {
		return nil, unsupportedKey()
	}
	return c.Copied(i), nil
}

func unsupportedKey() error {
	return hostcall.OpenSSL("1E08010C", "DECODER routines", "unsupported")
}

// newPrivate returns the Key of a parsed private key.
func newPrivate(parsed any, err error) (*Key, error) {
	if err != nil {
		return nil, unsupportedKey()
	}

	switch k := parsed.(type) {
	case *rsa.PrivateKey:
		// The time of an operation grows with the cube of the modulus size.
		if k.N.BitLen() > maxModulus {
			return nil, unsupportedKey()
		}
		return &Key{private: k, public: &k.PublicKey}, nil
	case *ecdsa.PrivateKey:
		return &Key{private: k, public: &k.PublicKey}, nil
	case ed25519.PrivateKey:
		return &Key{private: k, public: k.Public()}, nil
	case *ecdh.PrivateKey:
		return &Key{private: k, public: k.PublicKey()}, nil
	}

	return nil, unsupportedKey()
}

func newPublic(parsed any, err error) (*Key, error) {
	if err != nil {
		return nil, unsupportedKey()
	}
	switch k := parsed.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() > maxModulus {
			return nil, unsupportedKey()
		}
	case *ecdsa.PublicKey, ed25519.PublicKey, *ecdh.PublicKey:
	default:
		return nil, unsupportedKey()
	}
	return &Key{public: parsed}, nil
}

// Secret implements hostcall.SecretKey.
func (k *Key) Secret() []byte { return k.secret }

func keySecret(c *hostcall.Call) (any, error) { return &Key{secret: c.Copied(0)}, nil }

// keySize returns the size of a secret key in bytes.
func keySize(c *hostcall.Call) (any, error) {
	return float64(len(hostcall.ObjectAt[*Key](c, 0).secret)), nil
}

func keyBytes(c *hostcall.Call) (any, error) {
	k := hostcall.ObjectAt[*Key](c, 0)
	if k.secret == nil {
		return nil, hostcall.Refuse("", "Unsupported crypto operation")
	}
	return k.secret, nil
}

func keyEquals(c *hostcall.Call) (any, error) {
	a, b := hostcall.ObjectAt[*Key](c, 0), hostcall.ObjectAt[*Key](c, 1)
	if a.secret != nil || b.secret != nil {
		return a.secret != nil && b.secret != nil && subtle.ConstantTimeCompare(a.secret, b.secret) == 1, nil
	}
	if one, ok := a.private.(interface{ Equal(crypto.PrivateKey) bool }); ok && b.private != nil {
		return one.Equal(b.private), nil
	}
	one, ok := a.public.(interface{ Equal(crypto.PublicKey) bool })
	return ok && one.Equal(b.public), nil
}

func keyPublicOf(c *hostcall.Call) (any, error) {
	return &Key{public: hostcall.ObjectAt[*Key](c, 0).public}, nil
}

// keyInfo is info(key): it returns [type, modulus length, public exponent, curve name].
func keyInfo(c *hostcall.Call) (any, error) {
	switch k := hostcall.ObjectAt[*Key](c, 0).public.(type) {
	case *rsa.PublicKey:
		return []any{"rsa", float64(k.N.BitLen()), float64(k.E), ""}, nil
	case *ecdsa.PublicKey:
		found, err := curveOf(k.Curve.Params().Name)
		return []any{"ec", float64(0), float64(0), found.name}, err
	case ed25519.PublicKey:
		return []any{"ed25519", float64(0), float64(0), ""}, nil
	case *ecdh.PublicKey:
		return []any{"x25519", float64(0), float64(0), ""}, nil
	}
	return []any{"secret", float64(0), float64(0), ""}, nil
}

// keyPrivate is private(data, format, type or nil, passphrase or nil).
func keyPrivate(c *hostcall.Call) (any, error) {
	data, err := keyData(c, 0)
	if err != nil {
		return nil, err
	}
	if c.Text(1) == "pem" {
		return privatePEM(c, data, c.At(3))
	}
	return privateDER(c, data, c.Text(2), c.At(3))
}

func privateDER(host hostcall.Host, der []byte, kind string, passphrase any) (*Key, error) {
	switch kind {
	case "pkcs1":
		return newPrivate(x509.ParsePKCS1PrivateKey(der))
	case "sec1":
		return newPrivate(x509.ParseECPrivateKey(der))
	}
	// The call does not say whether PKCS #8 data is encrypted.
	if encrypted(der) {
		plain, err := decryptPKCS8(host, der, passphrase)
		if err != nil {
			return nil, err
		}
		der = plain
	}

	return newPrivate(x509.ParsePKCS8PrivateKey(der))
}

// privatePEM parses the first block that is a private key.
func privatePEM(host hostcall.Host, text []byte, passphrase any) (*Key, error) {
	// Parameters or a certificate may precede the key.
	for block := range blocksOf(text) {
		switch block.Type {
		case "RSA PRIVATE KEY", "EC PRIVATE KEY":
			der, err := decryptPEM(block, passphrase)
			if err != nil {
				return nil, err
			}
			if block.Type == "RSA PRIVATE KEY" {
				return newPrivate(x509.ParsePKCS1PrivateKey(der))
			}
			return newPrivate(x509.ParseECPrivateKey(der))
		case "PRIVATE KEY":
			return newPrivate(x509.ParsePKCS8PrivateKey(block.Bytes))
		case "ENCRYPTED PRIVATE KEY":
			return privateDER(host, block.Bytes, "pkcs8", passphrase)
		}
	}

	return nil, unsupportedKey()
}

// blocksOf iterates over the blocks of a PEM text and skips text between them.
func blocksOf(text []byte) func(func(*pem.Block) bool) {
	return func(yield func(*pem.Block) bool) {
		text = bytes.ReplaceAll(text, []byte("\r"), nil)
		for {
			block, rest := pem.Decode(text)
			if block == nil || len(block.Bytes) <= maxKey && !yield(block) {
				return
			}
			text = rest
		}
	}
}

// keyPublic is public(data, format, type or nil, passphrase or nil): it returns the public key of a public key, a
// private key or a certificate.
func keyPublic(c *hostcall.Call) (any, error) {
	data, err := keyData(c, 0)
	if err != nil {
		return nil, err
	}
	if c.Text(1) == "pem" {
		return publicPEM(c, data, c.At(3))
	}

	switch kind := c.Text(2); kind {
	case "spki":
		return newPublic(x509.ParsePKIXPublicKey(data))
	case "pkcs1":
		// PKCS #1 data may also be a private key; then return its public half.
		if k, err := newPublic(x509.ParsePKCS1PublicKey(data)); err == nil {
			return k, nil
		}
		fallthrough
	default:
		k, err := privateDER(c, data, kind, c.At(3))
		if err != nil {
			return nil, err
		}
		return &Key{public: k.public}, nil
	}
}

func publicPEM(host hostcall.Host, text []byte, passphrase any) (*Key, error) {
	for block := range blocksOf(text) {
		switch block.Type {
		case "PUBLIC KEY":
			return newPublic(x509.ParsePKIXPublicKey(block.Bytes))
		case "RSA PUBLIC KEY":
			return newPublic(x509.ParsePKCS1PublicKey(block.Bytes))
		case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE":
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, unsupportedKey()
			}
			return newPublic(certificate.PublicKey, nil)
		}
	}

	// Node accepts a private key wherever it expects a public one.
	k, err := privatePEM(host, text, passphrase)
	if err != nil {
		return nil, err
	}
	return &Key{public: k.public}, nil
}

// keyExport is export(key, private, format, type, cipher or nil, passphrase or nil).
func keyExport(c *hostcall.Call) (any, error) {
	k, private, kind := hostcall.ObjectAt[*Key](c, 0), c.Flag(1), c.Text(3)
	var der []byte
	var err error
	title := "PUBLIC KEY"
	switch {
	case private && kind == "pkcs8":
		title = "PRIVATE KEY"
		der, err = x509.MarshalPKCS8PrivateKey(k.private)
	case private && kind == "sec1":
		title = "EC PRIVATE KEY"
		key, ok := k.private.(*ecdsa.PrivateKey)
		if !ok {
			return nil, wrongEncoding("sec1", "EC")
		}
		der, err = x509.MarshalECPrivateKey(key)
	case kind == "pkcs1":
		title, der, err = exportPKCS1(k, private)
	default:
		der, err = x509.MarshalPKIXPublicKey(k.public)
	}
	if err != nil {
		return nil, err
	}

	return seal(c, &pem.Block{Type: title, Bytes: der})
}

func wrongEncoding(kind, keys string) error {
	return hostcall.Refuse(
		"ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS", "The selected key encoding %s can only be used for %s keys.", kind, keys,
	)
}

func exportPKCS1(k *Key, private bool) (title string, der []byte, err error) {
	public, ok := k.public.(*rsa.PublicKey)
	if !ok {
		return "", nil, wrongEncoding("pkcs1", "RSA")
	}
	if private {
		return "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(k.private.(*rsa.PrivateKey)), nil
	}
	return "RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(public), nil
}

// seal encodes an exported key as the call requests: DER or PEM, encrypted if there is a cipher.
func seal(c *hostcall.Call, block *pem.Block) (any, error) {
	if c.At(4) != nil {
		s, ok := symmetric.SuiteOf(c.Text(4))
		if !ok || s.Mode != "cbc" {
			return nil, hostcall.Refuse("ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher")
		}

		var err error
		// PKCS #8 has its own encryption; the older formats are encrypted by PEM headers.
		if block.Type == "PRIVATE KEY" {
			block.Type = "ENCRYPTED PRIVATE KEY"
			block.Bytes, err = encryptPKCS8(c, s, block.Bytes, c.Data(5))
		} else {
			block, err = encryptPEM(s, block, c.Data(5))
		}
		if err != nil {
			return nil, err
		}
	}
	if c.Text(2) == "pem" {
		return string(pem.EncodeToMemory(block)), nil
	}

	return block.Bytes, nil
}
