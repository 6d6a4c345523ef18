package nodecrypto

import (
	stdcipher "crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
)

// gcm is AES-GCM in pieces: Node hands out text before the tag is known, which the standard library never does.
//
// The text is CTR. The tag is a chain over blocks in GF(2^128), s' = (s + block) * H, which the standard library only
// computes as a whole, for an empty text: Seal(nonce, "", aad) = ((chain of aad) + lengths) * H + E(nonce, 1). Put the
// last chain into the first block of a piece, take the lengths and E back out, and Seal goes on with the chain at the
// speed of its assembly; one multiplication by H per piece remains to be done here, in constant time.
type gcm struct {
	seal    stdcipher.AEAD
	counter stdcipher.Stream
	h       element // E(0)
	mask    element // E(J0): the last thing added to the tag
	zero    element // E of the nonce that seal is used with
	chain   element
	partial []byte // less than a block that the chain waits for
	aad     uint64 // bytes so far
	text    uint64
}

// element is of GF(2^128), its bits in GCM's order: the first bit of the block is the highest of hi.
type element struct{ hi, lo uint64 }

// sealNonce is the nonce that seal always has. Nothing is encrypted with it.
var sealNonce [12]byte

// scratch is how much of the chain is computed at once, in bytes.
const scratch = 16 << 10

func newGCM(block stdcipher.Block, iv []byte) (*gcm, error) {
	seal, err := stdcipher.NewGCM(block)
	if err != nil {
		return nil, err
	}

	g := &gcm{seal: seal}
	var b [16]byte
	block.Encrypt(b[:], b[:])
	g.h = load(b[:])
	copy(b[:], sealNonce[:])
	binary.BigEndian.PutUint32(b[12:], 1)
	block.Encrypt(b[:], b[:])
	g.zero = load(b[:])

	start := g.startOf(iv)
	block.Encrypt(b[:], start[:])
	g.mask = load(b[:])
	binary.BigEndian.PutUint32(start[12:], binary.BigEndian.Uint32(start[12:])+1)
	g.counter = stdcipher.NewCTR(block, start[:])

	return g, nil
}

// startOf is J0: a vector of 12 bytes and 1, or the chain over any other vector and its length.
func (g *gcm) startOf(iv []byte) (start [16]byte) {
	if len(iv) == 12 {
		copy(start[:], iv)
		start[15] = 1
		return start
	}

	g.absorb(iv)
	g.pad()
	g.chain = element{g.chain.hi, g.chain.lo ^ uint64(len(iv))*8}.times(g.h)
	g.chain.store(start[:])
	g.chain = element{}

	return start
}

// crypt encrypts or decrypts src to dst, which may not overlap.
func (g *gcm) crypt(dst, src []byte, encrypt bool) {
	if g.text == 0 {
		g.pad() // the additional data ends here
	}
	g.text += uint64(len(src))
	dst = dst[:len(src)]
	g.counter.XORKeyStream(dst, src)
	if encrypt {
		g.absorb(dst)
	} else {
		g.absorb(src)
	}
}

func (g *gcm) addAAD(data []byte) {
	g.aad += uint64(len(data))
	g.absorb(data)
}

// absorb adds bytes to the chain, as far as they fill blocks.
func (g *gcm) absorb(data []byte) {
	if len(g.partial) > 0 {
		n := min(16-len(g.partial), len(data))
		g.partial, data = append(g.partial, data[:n]...), data[n:]
		if len(g.partial) < 16 {
			return
		}
		g.link(g.partial, nil)
		g.partial = g.partial[:0]
	}

	whole := len(data) &^ 15
	g.partial = append(g.partial, data[whole:]...)
	room := make([]byte, min(whole, scratch))
	for data = data[:whole]; len(data) > 0; {
		n := min(len(data), scratch)
		g.link(data[:n], room)
		data = data[n:]
	}
}

// link goes on with the chain over whole blocks; room has place for them.
func (g *gcm) link(blocks, room []byte) {
	last := load(blocks[len(blocks)-16:])
	before := blocks[:len(blocks)-16]
	if len(before) > 0 {
		copied := room[:copy(room, before)]
		first := load(copied).plus(g.chain)
		first.store(copied)

		// Seal gives (s + lengths) * H + zero for the chain s over copied; wanted is (s + last) * H.
		var tag [16]byte
		sealed := load(g.seal.Seal(tag[:0], sealNonce[:], nil, copied))
		lengths := element{hi: uint64(len(copied)) * 8}
		g.chain = sealed.plus(g.zero).plus(lengths.plus(last).times(g.h))
		return
	}

	g.chain = g.chain.plus(last).times(g.h)
}

// pad ends additional data, or the text.
func (g *gcm) pad() {
	if len(g.partial) > 0 {
		var block [16]byte
		copy(block[:], g.partial)
		g.partial = g.partial[:0]
		g.link(block[:], nil)
	}
}

func (g *gcm) tag() []byte {
	g.pad()
	sum := g.chain.plus(element{g.aad * 8, g.text * 8}).times(g.h).plus(g.mask)
	tag := make([]byte, 16)
	sum.store(tag)
	return tag
}

func load(b []byte) element {
	return element{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

func (e element) store(b []byte) {
	binary.BigEndian.PutUint64(b, e.hi)
	binary.BigEndian.PutUint64(b[8:], e.lo)
}

func (e element) plus(f element) element { return element{e.hi ^ f.hi, e.lo ^ f.lo} }

// times multiplies in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, without branches on its arguments.
func (e element) times(f element) (product element) {
	for i := range 128 {
		bit := e.hi >> (63 - i%64)
		if i >= 64 {
			bit = e.lo >> (63 - i%64)
		}
		take := -(bit & 1)
		product.hi ^= f.hi & take
		product.lo ^= f.lo & take

		reduce := -(f.lo & 1)
		f.lo = f.lo>>1 | f.hi<<63
		f.hi = f.hi>>1 ^ reduce&(0xe1<<56)
	}
	return product
}

func cipherAAD(c *call) (any, error) {
	m := object[*Cipher](c, 0)
	if m.gcm == nil || m.done || m.started {
		return nil, invalidState("setAAD")
	}
	m.gcm.addAAD(c.bytes(1))
	return nil, nil
}

func cipherSetTag(c *call) (any, error) {
	m := object[*Cipher](c, 0)
	tag := c.copied(1)
	if m.gcm == nil || m.done || m.tag != nil {
		return nil, invalidState("setAuthTag")
	}
	if !validTag(len(tag)) || m.tagSize != 0 && m.tagSize != len(tag) {
		return nil, invalidTag(len(tag))
	}
	m.tag = tag
	return nil, nil
}

func cipherTag(c *call) (any, error) {
	m := object[*Cipher](c, 0)
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
		return nil, refuse("", "Unsupported state or unable to authenticate data")
	}
	return []byte{}, nil
}
