package key

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"

	"minicloud/shared/runtime/hostcall"
	"minicloud/shared/runtime/nodecrypto/symmetric"
)

// Keys with a passphrase: PKCS #8 with PBES2, which the standard library cannot read, and the older PEM headers.

type encryptedKey struct {
	Algorithm pkix.AlgorithmIdentifier
	Data      []byte
}

type pbes2 struct {
	Derivation, Encryption pkix.AlgorithmIdentifier
}

type pbkdf2Parameters struct {
	Salt   []byte
	Rounds int
	Length int                      `asn1:"optional"`
	PRF    pkix.AlgorithmIdentifier `asn1:"optional"`
}

var (
	oidPBES2  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
	oidSHA256 = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 9}
)

// hmacs are the hashes of PBKDF2 by the OID of their HMAC. Exported keys use oidSHA256, as those of OpenSSL.
var hmacs = map[string]string{
	"1.2.840.113549.2.7": "sha1", "1.2.840.113549.2.8": "sha224", oidSHA256.String(): "sha256",
	"1.2.840.113549.2.10": "sha384", "1.2.840.113549.2.11": "sha512",
}

// ciphers are the OIDs of the ciphers of PBES2.
var ciphers = map[string]asn1.ObjectIdentifier{
	"aes-128-cbc":  {2, 16, 840, 1, 101, 3, 4, 1, 2},
	"aes-192-cbc":  {2, 16, 840, 1, 101, 3, 4, 1, 22},
	"aes-256-cbc":  {2, 16, 840, 1, 101, 3, 4, 1, 42},
	"des-ede3-cbc": {1, 2, 840, 113549, 3, 7},
}

// encrypted reports whether PKCS #8 data in DER is an encrypted key.
func encrypted(der []byte) bool {
	var e encryptedKey
	_, err := asn1.Unmarshal(der, &e)
	return err == nil
}

func passphraseOf(v any) ([]byte, error) {
	switch v := v.(type) {
	case []byte:
		return v, nil
	case string:
		return []byte(v), nil
	}
	return nil, hostcall.OpenSSL("07880109", "common libcrypto routines", "interrupted or cancelled")
}

func decryptPKCS8(host hostcall.Host, der []byte, passphrase any) ([]byte, error) {
	password, err := passphraseOf(passphrase)
	if err != nil {
		return nil, err
	}

	var e encryptedKey
	var scheme pbes2
	var kdf pbkdf2Parameters
	var iv []byte
	if !parsed(der, &e) || !e.Algorithm.Algorithm.Equal(oidPBES2) ||
		!parsed(e.Algorithm.Parameters.FullBytes, &scheme) || !scheme.Derivation.Algorithm.Equal(oidPBKDF2) ||
		!parsed(scheme.Derivation.Parameters.FullBytes, &kdf) ||
		!parsed(scheme.Encryption.Parameters.FullBytes, &iv) {
		return nil, unsupportedKey()
	}

	// PKCS #5 uses SHA-1 if the key names no hash.
	prf, known := "sha1", true
	if len(kdf.PRF.Algorithm) > 0 {
		prf, known = hmacs[kdf.PRF.Algorithm.String()]
	}
	for cipher, oid := range ciphers {
		if known && oid.Equal(scheme.Encryption.Algorithm) {
			return decryptCBC(host, cipher, prf, password, kdf, iv, e.Data)
		}
	}

	return nil, unsupportedKey()
}

func parsed(der []byte, into any) bool {
	rest, err := asn1.Unmarshal(der, into)
	return err == nil && len(rest) == 0
}

func decryptCBC(host hostcall.Host, cipher, prf string, password []byte, kdf pbkdf2Parameters, iv, data []byte) ([]byte, error) {
	s, _ := symmetric.SuiteOf(cipher)
	a, _ := symmetric.AlgorithmOf(prf)
	if kdf.Rounds < 1 || len(iv) != s.Block() || len(data) == 0 || len(data)%s.Block() != 0 {
		return nil, unsupportedKey()
	}
	key, err := symmetric.PBKDF2(host, a, password, kdf.Salt, kdf.Rounds, s.Key)
	if err != nil {
		return nil, err
	}

	return s.DecryptCBC(key, iv, data)
}

// exportRounds is OpenSSL's number of PBKDF2 rounds.
const exportRounds = 2048

func encryptPKCS8(host hostcall.Host, s symmetric.Suite, der, password []byte) ([]byte, error) {
	salt, iv := make([]byte, 16), make([]byte, s.Block())
	rand.Read(salt)
	rand.Read(iv)
	// OpenSSL also derives the key of an export with HMAC-SHA-256.
	prf, _ := symmetric.AlgorithmOf("sha256")
	key, err := symmetric.PBKDF2(host, prf, password, salt, exportRounds, s.Key)
	if err != nil {
		return nil, err
	}

	data, err := s.EncryptCBC(key, iv, der)
	if err != nil {
		return nil, err
	}

	kdf, err := identifier(oidPBKDF2, pbkdf2Parameters{Salt: salt, Rounds: exportRounds, PRF: pkix.AlgorithmIdentifier{
		Algorithm: oidSHA256, Parameters: asn1.NullRawValue,
	}})
	if err != nil {
		return nil, err
	}

	cipher, err := identifier(ciphers[s.Name], iv)
	if err != nil {
		return nil, err
	}
	scheme, err := identifier(oidPBES2, pbes2{kdf, cipher})
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(encryptedKey{scheme, data})
}

func identifier(oid asn1.ObjectIdentifier, parameters any) (pkix.AlgorithmIdentifier, error) {
	der, err := asn1.Marshal(parameters)
	return pkix.AlgorithmIdentifier{Algorithm: oid, Parameters: asn1.RawValue{FullBytes: der}}, err
}

// pemCiphers are the ciphers of the older PEM headers.
var pemCiphers = map[string]x509.PEMCipher{
	"aes-128-cbc": x509.PEMCipherAES128, "aes-192-cbc": x509.PEMCipherAES192, "aes-256-cbc": x509.PEMCipherAES256,
	"des-ede3-cbc": x509.PEMCipher3DES,
}

// decryptPEM returns the decrypted content of a PEM block. Encryption by PEM headers is weak, but existing keys use
// it.
func decryptPEM(block *pem.Block, passphrase any) ([]byte, error) {
	//lint:ignore SA1019 keys of old are like this
	if !x509.IsEncryptedPEMBlock(block) {
		return block.Bytes, nil
	}
	password, err := passphraseOf(passphrase)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 keys of old are like this
	der, err := x509.DecryptPEMBlock(block, password)
	if err != nil {
		return nil, symmetric.BadDecrypt()
	}
	return der, nil
}

func encryptPEM(s symmetric.Suite, block *pem.Block, password []byte) (*pem.Block, error) {
	//lint:ignore SA1019 what Node writes when it is asked for it
	return x509.EncryptPEMBlock(rand.Reader, block.Type, block.Bytes, password, pemCiphers[s.Name])
}
