package symmetric

import (
	"crypto/aes"
	stdcipher "crypto/cipher"
	"crypto/des"
	"slices"
	"strings"

	"minicloud/shared/runtime/hostcall"
)

// Suite is a cipher and its name in Node.
type Suite struct {
	Name, Mode string
	nid        int // OpenSSL's number
	Key        int // length of the key in bytes
}

var suites = []Suite{
	{"aes-128-cbc", "cbc", 419, 16}, {"aes-128-ctr", "ctr", 904, 16},
	{"aes-128-ecb", "ecb", 418, 16}, {"aes-128-gcm", "gcm", 895, 16},
	{"aes-192-cbc", "cbc", 423, 24}, {"aes-192-ctr", "ctr", 905, 24},
	{"aes-192-ecb", "ecb", 422, 24}, {"aes-192-gcm", "gcm", 898, 24},
	{"aes-256-cbc", "cbc", 427, 32}, {"aes-256-ctr", "ctr", 906, 32},
	{"aes-256-ecb", "ecb", 426, 32}, {"aes-256-gcm", "gcm", 901, 32},
	{"des-ede3-cbc", "cbc", 44, 24},
}

// Block returns the block size in bytes; 1 for a stream cipher.
func (s Suite) Block() int {
	switch {
	case s.Mode == "ctr" || s.Mode == "gcm":
		return 1
	case strings.HasPrefix(s.Name, "des"):
		return des.BlockSize
	}
	return aes.BlockSize
}

// iv returns the length of the initialization vector in bytes; for GCM the usual length.
func (s Suite) iv() int {
	switch s.Mode {
	case "ecb":
		return 0
	case "gcm":
		return 12
	case "ctr":
		return aes.BlockSize
	}
	return s.Block()
}

// spelling returns OpenSSL's name of the cipher, which differs for GCM.
func (s Suite) spelling() string {
	if s.Mode == "gcm" {
		return "id-aes" + s.Name[len("aes-"):len("aes-128")] + "-gcm"
	}
	return s.Name
}

// SuiteOf finds a cipher by any name that Node accepts: aes-128-cbc, AES-128-CBC, aes128, id-aes128-GCM, des3.
func SuiteOf(name string) (Suite, bool) {
	key := strings.ToLower(name)
	switch key {
	case "aes128", "aes192", "aes256":
		key = "aes-" + key[3:] + "-cbc"
	case "des3":
		key = "des-ede3-cbc"
	}

	i := slices.IndexFunc(suites, func(s Suite) bool { return s.Name == key || s.spelling() == key })
	if i < 0 {
		return Suite{}, false
	}
	return suites[i], true
}

// Cipher encrypts or decrypts in pieces. Between two pieces it buffers less than two blocks.
type Cipher struct {
	suite   Suite
	encrypt bool
	blocks  stdcipher.BlockMode // of CBC and ECB
	stream  stdcipher.Stream    // of CTR
	gcm     *gcm
	held    []byte // input that does not fill a block or may be padding
	padding bool
	started bool // update was called
	done    bool
	tag     []byte // of GCM: computed, or expected
	tagSize int    // 0 if the call requested no size
}

// Size is the approximate size of the state: the tables of AES, and the text that GCM keeps.
func (c *Cipher) Size() int {
	if c.gcm != nil {
		return 2048 + c.gcm.size()
	}
	return 2048
}

func cipherNames(*hostcall.Call) (any, error) {
	var names []any
	for _, s := range suites {
		names = append(names, s.Name)
	}
	for _, s := range []string{"aes128", "aes192", "aes256", "des3", "id-aes128-GCM", "id-aes192-GCM", "id-aes256-GCM"} {
		names = append(names, s)
	}
	return names, nil
}

// cipherInfo is info(name or number): it returns [mode, name, nid, block size, iv length, key length], nil for an
// unknown cipher.
func cipherInfo(c *hostcall.Call) (any, error) {
	var s Suite
	ok := false
	if nid, number := c.At(0).(float64); number {
		i := slices.IndexFunc(suites, func(s Suite) bool { return float64(s.nid) == nid })
		if ok = i >= 0; ok {
			s = suites[i]
		}
	} else {
		s, ok = SuiteOf(c.Text(0))
	}
	if !ok {
		return nil, nil
	}

	return []any{
		s.Mode, s.spelling(), float64(s.nid), float64(s.Block()), float64(s.iv()), float64(s.Key),
	}, nil
}

// cipherNew is new(name, key, iv or nil, encrypt, tag length or nil).
func cipherNew(c *hostcall.Call) (any, error) {
	s, ok := SuiteOf(c.Text(0))
	if !ok {
		return nil, hostcall.Refuse("ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher")
	}
	key, err := c.Secret(1)
	if err != nil {
		return nil, err
	}
	if len(key) != s.Key {
		return nil, hostcall.RefuseRange("ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length")
	}

	var iv []byte
	if c.At(2) != nil {
		iv = c.Copied(2)
	}
	// GCM accepts a vector of any length except 0.
	if len(iv) != s.iv() && s.Mode != "gcm" || len(iv) == 0 && s.Mode == "gcm" {
		return nil, hostcall.RefuseType("ERR_CRYPTO_INVALID_IV", "Invalid initialization vector")
	}

	made := &Cipher{suite: s, encrypt: c.Flag(3), padding: true}
	if size := c.At(4); size != nil && s.Mode == "gcm" {
		if made.tagSize = c.Integer(4); !validTag(made.tagSize) {
			return nil, invalidTag(made.tagSize)
		}
	}

	return made, made.start(key, iv)
}

func validTag(size int) bool { return size == 4 || size == 8 || size >= 12 && size <= 16 }

func invalidTag(size int) error {
	return hostcall.RefuseType("ERR_CRYPTO_INVALID_AUTH_TAG", "Invalid authentication tag length: %d", size)
}

func (c *Cipher) start(key, iv []byte) error {
	open := aes.NewCipher
	if strings.HasPrefix(c.suite.Name, "des") {
		open = des.NewTripleDESCipher
	}
	block, err := open(key)
	if err != nil {
		return err
	}

	switch {
	case c.suite.Mode == "cbc" && c.encrypt:
		c.blocks = stdcipher.NewCBCEncrypter(block, iv)
	case c.suite.Mode == "cbc":
		c.blocks = stdcipher.NewCBCDecrypter(block, iv)
	case c.suite.Mode == "ecb":
		c.blocks = &ecb{block, c.encrypt}
	case c.suite.Mode == "ctr":
		c.stream = stdcipher.NewCTR(block, iv)
	default:
		c.gcm, err = newGCM(block, iv)
	}

	return err
}

// ecb is the mode without an initialization vector, which the standard library omits because it is insecure.
type ecb struct {
	block   stdcipher.Block
	encrypt bool
}

func (e *ecb) BlockSize() int { return e.block.BlockSize() }

func (e *ecb) CryptBlocks(dst, src []byte) {
	size, crypt := e.block.BlockSize(), e.block.Decrypt
	if e.encrypt {
		crypt = e.block.Encrypt
	}
	for ; len(src) > 0; dst, src = dst[size:], src[size:] {
		crypt(dst[:size], src[:size])
	}
}

func cipherUpdate(c *hostcall.Call) (any, error) {
	made := hostcall.ObjectAt[*Cipher](c, 0)
	if made.done {
		return nil, hostcall.Refuse("", "Trying to add data in unsupported state")
	}
	made.started = true
	if made.blocks != nil {
		return made.updateBlocks(c, c.Data(1))
	}
	return made.updateStream(c, c.Data(1))
}

func (m *Cipher) updateStream(c *hostcall.Call, data []byte) ([]byte, error) {
	out, err := c.Bytes(len(data))
	if err != nil {
		return nil, err
	}
	if m.gcm != nil { // reserve space for the tag that Seal appends
		if m.gcm.text, err = grown(c, m.gcm.text, len(data)+tagBytes); err != nil {
			return nil, err
		}
	}

	rest := out
	return out, c.InChunks(data, func(part []byte) {
		if m.gcm != nil {
			m.gcm.crypt(rest[:len(part)], part, m.encrypt)
		} else {
			m.stream.XORKeyStream(rest[:len(part)], part)
		}
		rest = rest[len(part):]
	})
}

// updateBlocks processes the complete blocks. Decryption keeps back the last one, because it may be padding.
func (m *Cipher) updateBlocks(c *hostcall.Call, data []byte) ([]byte, error) {
	size := m.blocks.BlockSize()
	n := (len(m.held) + len(data)) / size * size
	if !m.encrypt && m.padding && n > 0 && n == len(m.held)+len(data) {
		n -= size
	}
	if n == 0 {
		m.held = append(m.held, data...)
		return []byte{}, nil
	}

	out, err := c.Bytes(n)
	if err != nil {
		return nil, err
	}

	// Complete the buffered block first, then process the rest of data directly.
	rest := out
	if len(m.held) > 0 {
		take := min(size-len(m.held), len(data))
		m.held, data = append(m.held, data[:take]...), data[take:]
		m.blocks.CryptBlocks(rest[:size], m.held)
		rest, m.held = rest[size:], m.held[:0]
	}

	whole := data[:len(rest)]
	m.held = append(m.held, data[len(rest):]...)
	return out, c.InChunks(whole, func(part []byte) {
		m.blocks.CryptBlocks(rest[:len(part)], part)
		rest = rest[len(part):]
	})
}

func cipherFinal(c *hostcall.Call) (any, error) {
	m := hostcall.ObjectAt[*Cipher](c, 0)
	if m.done {
		return nil, hostcall.Refuse("ERR_CRYPTO_INVALID_STATE", "Invalid state")
	}

	// A failed final also ends the cipher.
	m.done = true
	switch {
	case m.gcm != nil:
		return m.finalGCM()
	case m.stream != nil:
		return []byte{}, nil
	case m.encrypt:
		return m.finalEncrypt()
	}

	return m.finalDecrypt()
}

func (m *Cipher) finalEncrypt() ([]byte, error) {
	size := m.blocks.BlockSize()
	if !m.padding {
		if len(m.held) > 0 {
			return nil, wrongFinalBlock()
		}
		return []byte{}, nil
	}

	// PKCS #7: data that ends with a full block is padded with a whole block.
	pad := size - len(m.held)
	out := append([]byte{}, m.held...)
	for range pad {
		out = append(out, byte(pad))
	}
	m.blocks.CryptBlocks(out, out)

	return out, nil
}

func (m *Cipher) finalDecrypt() ([]byte, error) {
	size := m.blocks.BlockSize()
	if !m.padding && len(m.held) == 0 {
		return []byte{}, nil
	}
	if len(m.held) != size {
		return nil, wrongFinalBlock()
	}

	out := make([]byte, size)
	m.blocks.CryptBlocks(out, m.held)
	if !m.padding {
		return out, nil
	}
	// PKCS #7: the last byte is the number of padding bytes, and every padding byte has this value.
	pad := int(out[size-1])
	if pad < 1 || pad > size {
		return nil, BadDecrypt()
	}
	for _, b := range out[size-pad:] {
		if int(b) != pad {
			return nil, BadDecrypt()
		}
	}

	return out[:size-pad], nil
}

func wrongFinalBlock() error {
	return hostcall.OpenSSL("1C80006B", "Provider routines", "wrong final block length")
}

// BadDecrypt returns the error for a wrong key or padding.
func BadDecrypt() error {
	return hostcall.OpenSSL("1C800064", "Provider routines", "bad decrypt")
}

func cipherPadding(c *hostcall.Call) (any, error) {
	m := hostcall.ObjectAt[*Cipher](c, 0)
	if m.done {
		return nil, invalidState("setAutoPadding")
	}
	m.padding = c.Flag(1)
	return nil, nil
}

func invalidState(operation string) error {
	return hostcall.Refuse("ERR_CRYPTO_INVALID_STATE", "Invalid state for operation %s", operation)
}

// EncryptCBC pads and encrypts all data in one call; s must be a CBC suite.
func (s Suite) EncryptCBC(key, iv, data []byte) ([]byte, error) {
	return s.crypt(key, iv, data, len(data)/s.Block()*s.Block(), true)
}

// DecryptCBC decrypts data, which must be one or more whole blocks, and removes the padding.
func (s Suite) DecryptCBC(key, iv, data []byte) ([]byte, error) {
	return s.crypt(key, iv, data, len(data)-s.Block(), false)
}

// crypt processes the first n bytes, then the last block, which has the padding.
func (s Suite) crypt(key, iv, data []byte, n int, encrypt bool) ([]byte, error) {
	m := &Cipher{suite: s, encrypt: encrypt, padding: true}
	if err := m.start(key, iv); err != nil {
		return nil, err
	}

	out := make([]byte, n)
	m.blocks.CryptBlocks(out, data[:n])
	m.held = data[n:]
	last := m.finalDecrypt
	if encrypt {
		last = m.finalEncrypt
	}
	rest, err := last()
	return append(out, rest...), err
}
