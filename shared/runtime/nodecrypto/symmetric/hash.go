package symmetric

import (
	"crypto"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding"
	"hash"
	"slices"
	"strings"

	"minicloud/shared/runtime/hostcall"
)

// Algorithm is a hash algorithm.
type Algorithm struct {
	name string // name in OpenSSL
	New  func() hash.Hash
	ID   crypto.Hash // for signatures
}

var algorithms = []Algorithm{
	{"md5", md5.New, crypto.MD5},
	{"sha1", sha1.New, crypto.SHA1},
	{"sha224", sha256.New224, crypto.SHA224},
	{"sha256", sha256.New, crypto.SHA256},
	{"sha384", sha512.New384, crypto.SHA384},
	{"sha512", sha512.New, crypto.SHA512},
	{"sha512-224", sha512.New512_224, crypto.SHA512_224},
	{"sha512-256", sha512.New512_256, crypto.SHA512_256},
	{"sha3-224", func() hash.Hash { return sha3.New224() }, crypto.SHA3_224},
	{"sha3-256", func() hash.Hash { return sha3.New256() }, crypto.SHA3_256},
	{"sha3-384", func() hash.Hash { return sha3.New384() }, crypto.SHA3_384},
	{"sha3-512", func() hash.Hash { return sha3.New512() }, crypto.SHA3_512},
}

// AlgorithmOf finds an algorithm by any spelling that Node accepts: sha256, SHA256, SHA-256, RSA-SHA256,
// sha256WithRSAEncryption.
func AlgorithmOf(name string) (Algorithm, bool) {
	key := strings.ToLower(name)
	key = strings.TrimSuffix(key, "withrsaencryption")
	if rest, ok := strings.CutPrefix(key, "rsa-"); ok {
		key = rest
		if short, ok := strings.CutPrefix(key, "sha1-"); ok && short == "2" {
			key = "sha1"
		}
	}

	key = strings.ReplaceAll(key, "/", "-") // RSA-SHA512/256
	if rest, ok := strings.CutPrefix(key, "sha-"); ok {
		key = "sha" + rest
	}
	if key == "sha2-256" || key == "sha2-224" || key == "sha2-384" || key == "sha2-512" {
		key = "sha" + key[len("sha2-"):]
	}
	if key == "ssl3-md5" || key == "ssl3-sha1" {
		key = key[len("ssl3-"):]
	}

	i := slices.IndexFunc(algorithms, func(a Algorithm) bool { return a.name == key })
	if i < 0 {
		return Algorithm{}, false
	}

	return algorithms[i], true
}

// Hash is the state of a hash or HMAC computation.
type Hash struct {
	algorithm Algorithm
	state     hash.Hash
	key       []byte // of an HMAC
}

// Size is the approximate size of the state, with the overhead of Go's allocator and the table of objects.
func (h *Hash) Size() int { return 512 + len(h.key) }

// Sum returns the algorithm and the digest of the data written so far.
func (h *Hash) Sum() (Algorithm, []byte) { return h.algorithm, h.state.Sum(nil) }

// hashNames returns the names that Node lists for these algorithms.
func hashNames(*hostcall.Call) (any, error) {
	var names []any
	for _, name := range strings.Fields(`RSA-MD5 RSA-SHA1 RSA-SHA1-2 RSA-SHA224 RSA-SHA256 RSA-SHA3-224 RSA-SHA3-256
		RSA-SHA3-384 RSA-SHA3-512 RSA-SHA384 RSA-SHA512 RSA-SHA512/224 RSA-SHA512/256 md5 md5WithRSAEncryption sha1
		sha1WithRSAEncryption sha224 sha224WithRSAEncryption sha256 sha256WithRSAEncryption sha3-224 sha3-256 sha3-384
		sha3-512 sha384 sha384WithRSAEncryption sha512 sha512-224 sha512-224WithRSAEncryption sha512-256
		sha512-256WithRSAEncryption sha512WithRSAEncryption ssl3-md5 ssl3-sha1`) {
		names = append(names, name)
	}
	return names, nil
}

// DigestArgument returns the algorithm of an argument; its error is that of all functions except createHash and hash.
func DigestArgument(c *hostcall.Call, i int) (Algorithm, error) {
	a, ok := AlgorithmOf(c.Text(i))
	if !ok {
		return a, hostcall.RefuseType("ERR_CRYPTO_INVALID_DIGEST", "Invalid digest: %s", c.Text(i))
	}
	return a, nil
}

func hashNew(c *hostcall.Call) (any, error) {
	a, ok := AlgorithmOf(c.Text(0))
	if !ok {
		return nil, hostcall.Refuse("", "Digest method not supported")
	}
	return &Hash{algorithm: a, state: a.New()}, nil
}

func hmacNew(c *hostcall.Call) (any, error) {
	a, err := DigestArgument(c, 0)
	if err != nil {
		return nil, err
	}
	key, err := c.Secret(1)
	if err != nil {
		return nil, err
	}
	return &Hash{algorithm: a, state: hmac.New(a.New, key), key: key}, nil
}

func hashUpdate(c *hostcall.Call) (any, error) {
	return nil, Write(c, hostcall.ObjectAt[*Hash](c, 0).state, c.Data(1))
}

// Write hashes data in chunks, so that a run whose time is up stops between two of them.
func Write(c *hostcall.Call, h hash.Hash, data []byte) error {
	return c.InChunks(data, func(part []byte) { h.Write(part) })
}

func hashCopy(c *hostcall.Call) (any, error) {
	h := hostcall.ObjectAt[*Hash](c, 0)
	state, err := h.state.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, err
	}
	twin := &Hash{algorithm: h.algorithm, state: h.algorithm.New()}
	return twin, twin.state.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
}

func hashDigest(c *hostcall.Call) (any, error) {
	return hostcall.ObjectAt[*Hash](c, 0).state.Sum(nil), nil
}

// hashSize returns the size of the digest in bytes.
func hashSize(c *hostcall.Call) (any, error) {
	return float64(hostcall.ObjectAt[*Hash](c, 0).state.Size()), nil
}

// hashKnown returns an error for an unknown algorithm.
func hashKnown(c *hostcall.Call) (any, error) {
	_, err := DigestArgument(c, 0)
	return nil, err
}

func hashOnce(c *hostcall.Call) (any, error) {
	a, ok := AlgorithmOf(c.Text(0))
	if !ok {
		return nil, hostcall.Refuse("", "Digest method %s is not supported", c.Text(0))
	}
	h := a.New()
	err := Write(c, h, c.Data(1))
	return h.Sum(nil), err
}

func hmacOnce(c *hostcall.Call) (any, error) {
	made, err := hmacNew(c)
	if err != nil {
		return nil, err
	}
	h := made.(*Hash).state
	err = Write(c, h, c.Data(2))
	return h.Sum(nil), err
}
