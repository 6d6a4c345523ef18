package key

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/subtle"
	"errors"
	"math/big"

	"minicloud/shared/runtime/hostcall"
	"minicloud/shared/runtime/nodecrypto/symmetric"
)

func tooLarge() error {
	return hostcall.OpenSSL("0200006E", "rsa routines", "data too large for key size")
}

func greaterThanModulus() error {
	return hostcall.OpenSSL("0200006C", "rsa routines", "data greater than mod len")
}

func illegalPadding() error {
	return hostcall.OpenSSL("1C8000A5", "Provider routines", "illegal or unsupported padding mode")
}

func unknownPadding() error {
	return hostcall.OpenSSL("02000076", "rsa routines", "unknown padding type")
}

// privateRSA returns the RSA private key of argument 0, or an error for any other key.
func privateRSA(c *hostcall.Call) (*rsa.PrivateKey, error) {
	k := hostcall.ObjectAt[*Key](c, 0)
	key, ok := k.private.(*rsa.PrivateKey)
	if ok {
		return key, nil
	}
	if _, ok := k.public.(*rsa.PublicKey); ok {
		return nil, hostcall.OpenSSL("020000B3", "rsa routines", "missing private key")
	}
	return nil, unsupportedOperation()
}

// sized returns an error if the data does not have the size of the key, for operations without padding.
func sized(data []byte, size int) error {
	if len(data) > size {
		return tooLarge()
	}
	if len(data) < size {
		return hostcall.OpenSSL("0200007A", "rsa routines", "data too small for key size")
	}
	return nil
}

// oaep returns the hash and the label of the arguments (key, data, padding, OAEP hash or nil, label or nil).
func oaep(c *hostcall.Call) (symmetric.Algorithm, []byte, error) {
	a, ok := symmetric.AlgorithmOf(c.TextOr(3, "sha1"))
	if !ok {
		return a, nil, hostcall.Refuse("ERR_OSSL_EVP_INVALID_DIGEST", "Invalid digest used")
	}
	var label []byte
	if c.At(4) != nil {
		label = c.Copied(4)
	}
	return a, label, nil
}

func rsaPublicEncrypt(c *hostcall.Call) (any, error) {
	key, ok := hostcall.ObjectAt[*Key](c, 0).public.(*rsa.PublicKey)
	if !ok {
		return nil, unsupportedOperation()
	}

	data := c.Data(1)
	var out []byte
	var err error
	switch c.Integer(2) {
	case paddingOAEP:
		a, label, wrong := oaep(c)
		if wrong != nil {
			return nil, wrong
		}
		out, err = rsa.EncryptOAEP(a.New(), rand.Reader, key, data, label)
	case paddingPKCS1:
		//lint:ignore SA1019 payment interfaces ask for it
		out, err = rsa.EncryptPKCS1v15(rand.Reader, key, data)
	case paddingNone:
		if err := sized(data, key.Size()); err != nil {
			return nil, err
		}
		return rawPublic(key, data)
	default:
		return nil, unknownPadding()
	}
	if errors.Is(err, rsa.ErrMessageTooLong) {
		return nil, tooLarge()
	}

	return out, err
}

func rsaPrivateDecrypt(c *hostcall.Call) (any, error) {
	key, err := privateRSA(c)
	if err != nil {
		return nil, err
	}

	data := c.Data(1)
	if len(data) > key.Size() {
		return nil, greaterThanModulus()
	}

	switch c.Integer(2) {
	case paddingOAEP:
		a, label, err := oaep(c)
		if err != nil {
			return nil, err
		}
		out, err := rsa.DecryptOAEP(a.New(), nil, key, data, label)
		if err != nil {
			return nil, hostcall.OpenSSL("02000079", "rsa routines", "oaep decoding error")
		}
		return out, nil
	case paddingPKCS1:
		//lint:ignore SA1019 payment interfaces ask for it
		out, err := rsa.DecryptPKCS1v15(nil, key, data)
		if err != nil {
			return nil, hostcall.OpenSSL("0200009F", "rsa routines", "pkcs decoding error")
		}
		return out, nil
	case paddingNone:
		return rawPrivate(key, data) // a shorter input is a smaller number, which is valid
	}

	return nil, illegalPadding()
}

// rsaPrivateEncrypt signs data without hashing it: PKCS #1 v1.5 with block type 1, or no padding.
func rsaPrivateEncrypt(c *hostcall.Call) (any, error) {
	padding := c.Integer(2)
	if padding != paddingPKCS1 && padding != paddingNone {
		return nil, illegalPadding()
	}
	key, err := privateRSA(c)
	if err != nil {
		return nil, err
	}

	data := c.Data(1)
	if padding == paddingPKCS1 {
		// Hash 0 signs the data itself, without a DigestInfo.
		out, err := rsa.SignPKCS1v15(nil, key, 0, data)
		if errors.Is(err, rsa.ErrMessageTooLong) {
			return nil, tooLarge()
		}
		return out, err
	}
	if err := sized(data, key.Size()); err != nil {
		return nil, err
	}

	return rawPrivate(key, data)
}

func rsaPublicDecrypt(c *hostcall.Call) (any, error) {
	key, ok := hostcall.ObjectAt[*Key](c, 0).public.(*rsa.PublicKey)
	if !ok {
		return nil, unsupportedOperation()
	}

	data := c.Data(1)
	padding := c.Integer(2)
	if padding != paddingPKCS1 && padding != paddingNone {
		return nil, illegalPadding()
	}
	if len(data) > key.Size() {
		return nil, greaterThanModulus()
	}

	block, err := rawPublic(key, data)
	if err != nil || padding == paddingNone {
		return block, err
	}

	// The block is 00 01 ff … ff 00 and the data, with at least eight ff.
	if len(data) == len(block) && block[0] != 0 {
		return nil, hostcall.OpenSSL("0200008A", "rsa routines", "invalid padding")
	}
	rest, ok := bytes.CutPrefix(block, []byte{0, 1})
	if !ok {
		return nil, hostcall.OpenSSL("0200006A", "rsa routines", "block type is not 01")
	}
	trimmed := bytes.TrimLeft(rest, "\xff")
	if len(rest)-len(trimmed) < 8 || len(trimmed) == 0 || trimmed[0] != 0 {
		return nil, hostcall.OpenSSL("02000067", "rsa routines", "bad fixed header decrypt")
	}

	return trimmed[1:], nil
}

// numberBelow returns data as a number, which must be smaller than the modulus n.
func numberBelow(data []byte, n *big.Int) (*big.Int, error) {
	m := new(big.Int).SetBytes(data)
	if m.Cmp(n) >= 0 {
		return nil, hostcall.OpenSSL("02000084", "rsa routines", "data too large for modulus")
	}
	return m, nil
}

// rawPublic returns data^e mod n.
func rawPublic(key *rsa.PublicKey, data []byte) ([]byte, error) {
	m, err := numberBelow(data, key.N)
	if err != nil {
		return nil, err
	}
	return m.Exp(m, big.NewInt(int64(key.E)), key.N).FillBytes(make([]byte, key.Size())), nil
}

// rawPrivate returns data^d mod n. It uses blinding, so that its timing reveals nothing about data or d.
func rawPrivate(key *rsa.PrivateKey, data []byte) ([]byte, error) {
	m, err := numberBelow(data, key.N)
	if err != nil {
		return nil, err
	}

	for {
		r, err := rand.Int(rand.Reader, key.N)
		if err != nil {
			return nil, err
		}
		inverse := new(big.Int).ModInverse(r, key.N)
		// A number without an inverse shares a factor with the modulus, so draw another.
		if inverse == nil {
			continue
		}

		blind := new(big.Int).Exp(r, big.NewInt(int64(key.E)), key.N)
		m.Mul(m, blind).Mod(m, key.N)
		m.Exp(m, key.D, key.N)
		m.Mul(m, inverse).Mod(m, key.N)
		return m.FillBytes(make([]byte, key.Size())), nil
	}
}

// emptySaltBlock returns the PSS encoding of a message with an empty salt; in Go's options a salt length of 0 means
// "as long as possible".
func (s *signer) emptySaltBlock(bits int) []byte {
	size := (bits + 6) / 8
	// RFC 8017, 9.1.1: hash eight zero bytes, the digest and the salt.
	digest := append(make([]byte, 8), s.digest...)
	h := s.algorithm.New()
	h.Write(digest)
	sum := h.Sum(nil)

	block := make([]byte, size-len(sum)-1)
	if len(block) > 0 {
		block[len(block)-1] = 1
	}
	mask := make([]byte, 0, len(block))
	for counter := byte(0); len(mask) < len(block); counter++ {
		h.Reset()
		h.Write(sum)
		h.Write([]byte{0, 0, 0, counter})
		mask = h.Sum(mask)
	}
	subtle.XORBytes(block, block, mask)
	block[0] &= 0xff >> (8*size - (bits - 1))

	return append(append(block, sum...), 0xbc)
}

func (s *signer) signWithoutSalt(key *rsa.PrivateKey) ([]byte, error) {
	block := s.emptySaltBlock(key.N.BitLen())
	return rawPrivate(key, append(make([]byte, key.Size()-len(block)), block...))
}

func (s *signer) verifyWithoutSalt(key *rsa.PublicKey, signature []byte) bool {
	if len(signature) != key.Size() || (key.N.BitLen()+6)/8 < len(s.digest)+2 {
		return false
	}
	block := s.emptySaltBlock(key.N.BitLen())
	found, err := rawPublic(key, signature)
	return err == nil && bytes.Equal(found, append(make([]byte, key.Size()-len(block)), block...))
}
