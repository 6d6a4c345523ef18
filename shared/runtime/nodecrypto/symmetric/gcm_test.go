package symmetric

import (
	"bytes"
	"crypto/aes"
	stdcipher "crypto/cipher"
	"testing"

	"pgregory.net/rapid"
)

// TestGCMInPieces splits text and additional data at random and compares the result with the standard library's
// GCM.
func TestGCMInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SliceOfN(rapid.Byte(), 0, 70)
		if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
			piece = rapid.Map(rapid.IntRange(0, 48<<10), func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, n) })
		}
		key := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "key")
		iv := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "iv")
		aad := rapid.SliceOfN(piece, 0, 4).Draw(t, "aad")
		text := rapid.SliceOfN(piece, 0, 6).Draw(t, "text")

		block, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := stdcipher.NewGCMWithNonceSize(block, len(iv))
		if err != nil {
			t.Fatal(err)
		}
		sealed := whole.Seal(nil, iv, bytes.Join(text, nil), bytes.Join(aad, nil))

		for _, encrypt := range []bool{true, false} {
			g, err := newGCM(block, iv)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range aad {
				g.aad = append(g.aad, part...)
			}

			var out []byte
			at := 0
			for _, part := range text {
				src := part
				if !encrypt {
					src = sealed[at : at+len(part)]
				}
				at += len(part)
				dst := make([]byte, len(part))
				g.crypt(dst, src, encrypt)
				out = append(out, dst...)
			}

			want := sealed[:len(sealed)-16]
			if !encrypt {
				want = bytes.Join(text, nil)
			}
			if !bytes.Equal(out, want) || !bytes.Equal(g.tag(), sealed[len(sealed)-16:]) {
				t.Fatalf("encrypt %v differs", encrypt)
			}
		}
	})
}
