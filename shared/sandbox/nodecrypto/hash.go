package nodecrypto

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
)

// algorithm is a hash algorithm.
type algorithm struct {
	name string // as OpenSSL has it
	new  func() hash.Hash
	id   crypto.Hash // for signatures
}

var algorithms = []algorithm{
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

// algorithmOf finds an algorithm by any of the spellings that Node takes: sha256, SHA256, SHA-256, RSA-SHA256,
// sha256WithRSAEncryption.
func algorithmOf(name string) (algorithm, bool) {
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

	i := slices.IndexFunc(algorithms, func(a algorithm) bool { return a.name == key })
	if i < 0 {
		return algorithm{}, false
	}

	return algorithms[i], true
}

// Hash is a hash or HMAC that is being computed.
type Hash struct {
	algorithm algorithm
	state     hash.Hash
	key       []byte // of an HMAC
}

// Size counts the state with what Go's allocator and the table of objects add.
func (h *Hash) Size() int { return 512 + len(h.key) }

// hashNames are the names that Node lists of these algorithms.
func hashNames(*call) (any, error) {
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

// hashArgument finds the algorithm; the error is that of createHash.
func (c *call) hashArgument(i int) (algorithm, error) {
	a, ok := algorithmOf(c.text(i))
	if !ok {
		return a, refuse("", "Digest method not supported")
	}
	return a, nil
}

// digestArgument finds the algorithm; the error is that of everything else that takes a digest.
func (c *call) digestArgument(i int) (algorithm, error) {
	a, ok := algorithmOf(c.text(i))
	if !ok {
		return a, refuseType("ERR_CRYPTO_INVALID_DIGEST", "Invalid digest: %s", c.text(i))
	}
	return a, nil
}

func hashNew(c *call) (any, error) {
	a, err := c.hashArgument(0)
	if err != nil {
		return nil, err
	}
	return &Hash{algorithm: a, state: a.new()}, nil
}

func hmacNew(c *call) (any, error) {
	a, err := c.digestArgument(0)
	if err != nil {
		return nil, err
	}
	key, err := c.secret(1)
	if err != nil {
		return nil, err
	}
	return &Hash{algorithm: a, state: hmac.New(a.new, key), key: key}, nil
}

func hashUpdate(c *call) (any, error) {
	h := object[*Hash](c, 0)
	return nil, c.inChunks(c.bytes(1), func(part []byte) { h.state.Write(part) })
}

func hashCopy(c *call) (any, error) {
	h := object[*Hash](c, 0)
	state, err := h.state.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, err
	}
	twin := &Hash{algorithm: h.algorithm, state: h.algorithm.new()}
	return twin, twin.state.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
}

func hashDigest(c *call) (any, error) { return object[*Hash](c, 0).state.Sum(nil), nil }

// hashSize is how many bytes a digest has.
func hashSize(c *call) (any, error) { return float64(object[*Hash](c, 0).state.Size()), nil }

// hashKnown refuses a name of no algorithm.
func hashKnown(c *call) (any, error) {
	_, err := c.digestArgument(0)
	return nil, err
}

func hashOnce(c *call) (any, error) {
	a, ok := algorithmOf(c.text(0))
	if !ok {
		return nil, refuse("", "Digest method %s is not supported", c.text(0))
	}
	h := a.new()
	if err := c.inChunks(c.bytes(1), func(part []byte) { h.Write(part) }); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

func hmacOnce(c *call) (any, error) {
	a, err := c.digestArgument(0)
	if err != nil {
		return nil, err
	}
	key, err := c.secret(1)
	if err != nil {
		return nil, err
	}

	h := hmac.New(a.new, key)
	if err := c.inChunks(c.bytes(2), func(part []byte) { h.Write(part) }); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}
