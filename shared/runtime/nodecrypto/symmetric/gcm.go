package symmetric

import (
	stdcipher "crypto/cipher"
	"crypto/subtle"

	"minicloud/shared/runtime/hostcall"
)

// gcm is AES-GCM in pieces: Node returns text before the tag is known, but the standard library does not. The text
// is encrypted in CTR mode, which GCM is based on; for the tag the whole text is encrypted again at the end.
type gcm struct {
	seal    stdcipher.AEAD
	counter stdcipher.Stream
	iv      []byte
	aad     []byte
	text    []byte // plaintext so far
}

// tagBytes is the length of a full tag in bytes.
const tagBytes = 16

func newGCM(block stdcipher.Block, iv []byte) (*gcm, error) {
	seal, err := stdcipher.NewGCMWithNonceSize(block, len(iv))
	if err != nil {
		return nil, err
	}

	// Sealing a block of zeros gives the first block of the key stream, which is the encrypted first counter.
	stream := seal.Seal(nil, iv, make([]byte, block.BlockSize()), nil)[:block.BlockSize()]
	start := make([]byte, block.BlockSize())
	block.Decrypt(start, stream)

	return &gcm{seal: seal, counter: stdcipher.NewCTR(block, start), iv: iv}, nil
}

// size returns the memory of the text and the additional data, in bytes.
func (g *gcm) size() int { return cap(g.text) + cap(g.aad) }

// grown returns data with capacity for n more bytes. They count as memory of the run for the lifetime of the
// cipher.
func grown(host hostcall.Host, data []byte, n int) ([]byte, error) {
	if len(data)+n <= cap(data) {
		return data, nil
	}
	size := max(len(data)+n, len(data)*5/4)
	if _, err := host.Reserve(size - cap(data)); err != nil {
		return nil, err
	}
	return append(make([]byte, 0, size), data...), nil
}

// crypt encrypts or decrypts src to dst, which must have the same length and must not overlap.
func (g *gcm) crypt(dst, src []byte, encrypt bool) {
	g.counter.XORKeyStream(dst, src)
	if encrypt {
		g.text = append(g.text, src...)
	} else {
		g.text = append(g.text, dst...)
	}
}

func (g *gcm) tag() []byte {
	n := len(g.text)
	return g.seal.Seal(g.text[:0], g.iv, g.text, g.aad)[n:]
}

func cipherAAD(c *hostcall.Call) (any, error) {
	m := hostcall.ObjectAt[*Cipher](c, 0)
	if m.gcm == nil || m.done || m.started {
		return nil, invalidState("setAAD")
	}
	data := c.Data(1)
	aad, err := grown(c, m.gcm.aad, len(data))
	if err != nil {
		return nil, err
	}
	m.gcm.aad = append(aad, data...)
	return nil, nil
}

func cipherSetTag(c *hostcall.Call) (any, error) {
	m := hostcall.ObjectAt[*Cipher](c, 0)
	tag := c.Copied(1)
	if m.gcm == nil || m.done || m.tag != nil {
		return nil, invalidState("setAuthTag")
	}
	if !validTag(len(tag)) || m.tagSize != 0 && m.tagSize != len(tag) {
		return nil, invalidTag(len(tag))
	}
	m.tag = tag
	return nil, nil
}

func cipherTag(c *hostcall.Call) (any, error) {
	m := hostcall.ObjectAt[*Cipher](c, 0)
	if m.gcm == nil || !m.done || !m.encrypt {
		return nil, invalidState("getAuthTag")
	}
	return m.tag, nil
}

func (m *Cipher) finalGCM() ([]byte, error) {
	tag := m.gcm.tag()
	if m.encrypt {
		if m.tagSize != 0 {
			tag = tag[:m.tagSize]
		}
		m.tag = tag
		return []byte{}, nil
	}

	if m.tag == nil || subtle.ConstantTimeCompare(m.tag, tag[:len(m.tag)]) != 1 {
		return nil, hostcall.Refuse("", "Unsupported state or unable to authenticate data")
	}
	return []byte{}, nil
}
