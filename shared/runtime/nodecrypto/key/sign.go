package key

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/asn1"
	"errors"
	"math/big"

	"minicloud/shared/runtime/hostcall"
	"minicloud/shared/runtime/nodecrypto/symmetric"
)

// RSA paddings; the numbers are OpenSSL's.
const (
	paddingPKCS1 = 1
	paddingNone  = 3
	paddingOAEP  = 4
	paddingPSS   = 6
)

// Salt lengths of PSS with a special meaning.
const (
	saltDigest = -1
	saltAuto   = -2
)

// signer holds the common arguments of sign and verify: (digest or nil, data or a Hash, key, padding or nil, salt
// length or nil, ECDSA encoding).
type signer struct {
	algorithm symmetric.Algorithm
	named     bool // the call names a digest
	data      []byte
	digest    []byte
	key       *Key
	padding   int
	salt      int
	raw       bool // r and s concatenated instead of DER
}

func newSigner(c *hostcall.Call) (*signer, error) {
	s := &signer{key: hostcall.ObjectAt[*Key](c, 2), padding: c.IntegerOr(3, paddingPKCS1), salt: c.IntegerOr(4, saltAuto)}
	s.raw = c.TextOr(5, "der") == "ieee-p1363"
	if c.At(0) != nil {
		a, err := symmetric.DigestArgument(c, 0)
		if err != nil {
			return nil, err
		}
		s.algorithm, s.named = a, true
	} else {
		s.algorithm, _ = symmetric.AlgorithmOf("sha256")
	}

	if h, ok := c.At(1).(*symmetric.Hash); ok {
		s.algorithm, s.digest = h.Sum()
		if _, ok := s.key.public.(ed25519.PublicKey); ok {
			return nil, hostcall.Refuse("ERR_CRYPTO_UNSUPPORTED_OPERATION", "Unsupported crypto operation")
		}
		return s, nil
	}
	// Ed25519 signs the data itself; all other keys sign its digest.
	if s.data = c.Data(1); s.key.public == nil {
		return nil, unsupportedOperation()
	}
	if _, ok := s.key.public.(ed25519.PublicKey); ok {
		return s, nil
	}

	h := s.algorithm.New()
	err := symmetric.Write(c, h, s.data)
	s.digest = h.Sum(nil)

	return s, err
}

// invalidDigest returns the error for a signature with Ed25519 that names a digest.
func invalidDigest() error {
	return hostcall.OpenSSL("1C80007A", "Provider routines", "invalid digest")
}

func unsupportedOperation() error {
	return hostcall.OpenSSL("03000096", "digital envelope routines", "operation not supported for this keytype")
}

func sign(c *hostcall.Call) (any, error) {
	s, err := newSigner(c)
	if err != nil {
		return nil, err
	}

	switch key := s.key.private.(type) {
	case *rsa.PrivateKey:
		return s.signRSA(key)
	case *ecdsa.PrivateKey:
		der, err := ecdsa.SignASN1(rand.Reader, key, s.digest)
		if err != nil || !s.raw {
			return der, err
		}
		// dsaEncoding "ieee-p1363" requires r and s concatenated instead of DER.
		return sideBySide(der, (key.Curve.Params().BitSize+7)/8)
	case ed25519.PrivateKey:
		if s.named {
			return nil, invalidDigest()
		}
		return ed25519.Sign(key, s.data), nil
	}

	return nil, unsupportedOperation()
}

func (s *signer) signRSA(key *rsa.PrivateKey) ([]byte, error) {
	switch s.padding {
	case paddingPKCS1:
		out, err := rsa.SignPKCS1v15(nil, key, s.algorithm.ID, s.digest)
		if errors.Is(err, rsa.ErrMessageTooLong) {
			return nil, hostcall.OpenSSL("02000070", "rsa routines", "digest too big for rsa key")
		}
		return out, err
	case paddingPSS:
		return s.signPSS(key)
	case paddingNone, paddingOAEP: // paddings of encryption only
		return nil, hostcall.OpenSSL("1C8000A8", "Provider routines", "invalid padding mode")
	}
	return nil, illegalPadding()
}

// saltLength returns the length of the salt in bytes; bits is the size of the modulus.
func (s *signer) saltLength(bits int) (int, error) {
	most := (bits+6)/8 - len(s.digest) - 2
	salt := s.salt
	switch salt {
	case saltDigest:
		salt = len(s.digest)
	case saltAuto:
		salt = most
	}
	if salt < 0 || salt > most {
		return 0, tooLarge()
	}
	return salt, nil
}

func (s *signer) signPSS(key *rsa.PrivateKey) ([]byte, error) {
	salt, err := s.saltLength(key.N.BitLen())
	if err != nil {
		return nil, err
	}
	if salt == 0 {
		return s.signWithoutSalt(key)
	}
	return rsa.SignPSS(rand.Reader, key, s.algorithm.ID, s.digest, &rsa.PSSOptions{SaltLength: salt})
}

func verify(c *hostcall.Call) (any, error) {
	s, err := newSigner(c)
	if err != nil {
		return nil, err
	}

	signature := c.Data(6)
	switch key := s.key.public.(type) {
	case *rsa.PublicKey:
		return s.verifyRSA(key, signature)
	case *ecdsa.PublicKey:
		if s.raw {
			// For a signature of the wrong length Node returns false and does not throw.
			if signature, err = joined(signature, (key.Curve.Params().BitSize+7)/8); err != nil {
				return false, nil
			}
		}
		return ecdsa.VerifyASN1(key, s.digest, signature), nil
	case ed25519.PublicKey:
		if s.named {
			return nil, invalidDigest()
		}
		return ed25519.Verify(key, s.data, signature), nil
	}

	return nil, unsupportedOperation()
}

func (s *signer) verifyRSA(key *rsa.PublicKey, signature []byte) (any, error) {
	switch s.padding {
	case paddingPKCS1:
		return rsa.VerifyPKCS1v15(key, s.algorithm.ID, s.digest, signature) == nil, nil
	case paddingPSS:
		salt := s.salt
		switch salt {
		case saltDigest:
			salt = rsa.PSSSaltLengthEqualsHash
		case saltAuto:
			salt = rsa.PSSSaltLengthAuto
		case 0: // Go's options have no value for it
			return s.verifyWithoutSalt(key, signature), nil
		}

		return rsa.VerifyPSS(key, s.algorithm.ID, s.digest, signature, &rsa.PSSOptions{SaltLength: salt}) == nil, nil
	}
	return false, nil // Node returns no error for a padding that signatures do not use
}

// pair is an ECDSA signature in DER.
type pair struct{ R, S *big.Int }

func sideBySide(der []byte, size int) ([]byte, error) {
	var p pair
	if _, err := asn1.Unmarshal(der, &p); err != nil {
		return nil, err
	}
	raw := make([]byte, 2*size)
	p.R.FillBytes(raw[:size])
	p.S.FillBytes(raw[size:])
	return raw, nil
}

func joined(raw []byte, size int) ([]byte, error) {
	if len(raw) != 2*size {
		return nil, errors.New("the signature has another length")
	}
	return asn1.Marshal(pair{new(big.Int).SetBytes(raw[:size]), new(big.Int).SetBytes(raw[size:])})
}
