package symmetric

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"slices"

	"golang.org/x/crypto/scrypt"

	"minicloud/shared/runtime/hostcall"
)

// roundsAtOnce is the number of derivation rounds between two checks of the time limit, about a millisecond.
const roundsAtOnce = 1024

// derivePBKDF2 is pbkdf2(digest, password, salt, rounds, length). The standard library's PBKDF2 cannot be stopped,
// and a function may request any number of rounds.
func derivePBKDF2(c *hostcall.Call) (any, error) {
	a, err := DigestArgument(c, 0)
	if err != nil {
		return nil, err
	}
	password, salt := c.Data(1), c.Data(2)
	rounds, length := c.Integer(3), c.Integer(4)
	if rounds < 1 || length < 0 || length > hostcall.MaxInput {
		return nil, hostcall.RefuseRange("ERR_OUT_OF_RANGE", "iterations and keylen are out of range")
	}

	return PBKDF2(c, a, password, salt, rounds, length)
}

// PBKDF2 derives a key of length bytes. It returns hostcall.ErrStopped if the time of the run ends.
func PBKDF2(host hostcall.Host, a Algorithm, password, salt []byte, rounds, length int) ([]byte, error) {
	mac := hmac.New(a.New, password)
	size := mac.Size()
	key := make([]byte, 0, (length+size-1)/size*size)
	for block := uint32(1); len(key) < length; block++ {
		mac.Reset()
		mac.Write(salt)
		mac.Write(binary.BigEndian.AppendUint32(nil, block))
		u := mac.Sum(nil)
		sum := slices.Clone(u)
		for round := 1; round < rounds; round++ {
			mac.Reset()
			mac.Write(u)
			u = mac.Sum(u[:0])
			subtle.XORBytes(sum, sum, u)
			// Check rarely: reading the clock takes a large part of the time of a round.
			if round%roundsAtOnce == 0 && host.Stopped() {
				return nil, hostcall.ErrStopped
			}
		}

		key = append(key, sum...)
		if block%roundsAtOnce == 0 && host.Stopped() {
			return nil, hostcall.ErrStopped
		}
	}

	return key[:length], nil
}

// deriveScrypt is scrypt(password, salt, N, r, p, maxmem, length, check); with check it only checks the parameters.
func deriveScrypt(c *hostcall.Call) (any, error) {
	password, salt := c.Copied(0), c.Copied(1)
	n, r, p, maxMemory, length := c.Integer(2), c.Integer(3), c.Integer(4), c.Integer(5), c.Integer(6)
	// OpenSSL's limits: N is a power of two, p*r is below 2^30, and the memory is below maxmem.
	const limit = 1 << 30
	if n < 2 || n&(n-1) != 0 || r < 1 || p < 1 || n > limit || r >= limit || p > (limit-1)/r ||
		length < 0 || length > hostcall.MaxInput {
		return nil, invalidScrypt("")
	}
	if n > (1<<40)/r/128 || 128*r*(n+p+2) > maxMemory {
		return nil, invalidScrypt(": error:030000AC:digital envelope routines::memory limit exceeded")
	}

	if length == 0 || c.Flag(7) {
		return []byte{}, nil
	}

	release, err := c.Reserve(128 * r * (n + p + 2))
	if err != nil {
		return nil, err
	}
	defer release()

	// x/crypto cannot stop a call: after the time limit it continues without the run, and the process is replaced.
	return c.Aside(func() (any, error) { return scrypt.Key(password, salt, n, r, p, length) })
}

func invalidScrypt(reason string) error {
	return hostcall.RefuseRange("ERR_CRYPTO_INVALID_SCRYPT_PARAMS", "Invalid scrypt params%s", reason)
}

// deriveHKDF is hkdf(digest, key, salt, info, length).
func deriveHKDF(c *hostcall.Call) (any, error) {
	a, err := DigestArgument(c, 0)
	if err != nil {
		return nil, err
	}
	key, err := c.Secret(1)
	if err != nil {
		return nil, err
	}

	length := c.Integer(4)
	// RFC 5869 allows at most 255 blocks of the digest.
	if length < 0 || length > 255*a.New().Size() {
		return nil, hostcall.RefuseRange("ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length")
	}
	if length == 0 {
		return []byte{}, nil
	}
	return hkdf.Key(a.New, key, c.Data(2), string(c.Data(3)), length)
}

// random is random(length): it returns length random bytes.
func random(c *hostcall.Call) (any, error) {
	data, err := c.Bytes(c.Integer(0))
	if err != nil {
		return nil, err
	}
	return data, c.InChunks(data, func(part []byte) { rand.Read(part) })
}

// equal compares two inputs of the same length in constant time.
func equal(c *hostcall.Call) (any, error) {
	return subtle.ConstantTimeCompare(c.Data(0), c.Data(1)) == 1, nil
}
