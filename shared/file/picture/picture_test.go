package picture_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"minicloud/shared/file/picture"
)

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func animated(t testing.TB, frames int) []byte {
	g := &gif.GIF{}
	for i := range frames {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, 30, 20), color.Palette{color.Black, color.Gray{uint8(i)}}))
		g.Delay = append(g.Delay, 1)
	}
	return encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

// chunk returns a chunk of a RIFF file.
func chunk(kind string, content []byte) []byte {
	b := append([]byte(kind), binary.LittleEndian.AppendUint32(nil, uint32(len(content)))...)
	return append(append(b, content...), make([]byte, len(content)%2)...)
}

func webp(chunks ...[]byte) []byte {
	return chunk("RIFF", append([]byte("WEBP"), bytes.Join(chunks, nil)...))
}

func TestReads(t *testing.T) {
	plain := image.NewGray(image.Rect(0, 0, 30, 20))
	still := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, plain) })
	// The chunk acTL after IHDR, which ends at byte 33.
	acTL, _ := hex.DecodeString("000000086163544c000000040000000000000000")
	moving := bytes.Join([][]byte{still[:33], acTL, still[33:]}, nil)
	lossy, _ := hex.DecodeString("00000000009d012a1e00140000000000")
	canvas := []byte{2, 0, 0, 0, 29, 0, 0, 19, 0, 0}

	for name, tt := range map[string]struct {
		content []byte
		want    picture.Info
	}{
		"PNG":          {still, picture.Info{Format: "PNG", Width: 30, Height: 20, Frames: 1}},
		"animated PNG": {moving, picture.Info{Format: "PNG", Width: 30, Height: 20, Frames: 4}},
		"JPEG": {
			encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, plain, nil) }),
			picture.Info{Format: "JPEG", Width: 30, Height: 20, Frames: 1},
		},
		"GIF":          {animated(t, 1), picture.Info{Format: "GIF", Width: 30, Height: 20, Frames: 1}},
		"animated GIF": {animated(t, 7), picture.Info{Format: "GIF", Width: 30, Height: 20, Frames: 7}},
		"lossy WebP":   {webp(chunk("VP8 ", lossy[2:])), picture.Info{Format: "WEBP", Width: 30, Height: 20, Frames: 1}},
		"lossless WebP": {
			webp(chunk("VP8L", append([]byte{0x2F}, binary.LittleEndian.AppendUint32(nil, 29|19<<14)...)), make([]byte, 8)),
			picture.Info{Format: "WEBP", Width: 30, Height: 20, Frames: 1},
		},
		"animated WebP": {
			webp(chunk("VP8X", canvas), chunk("ANIM", make([]byte, 6)), chunk("ANMF", make([]byte, 17)), chunk("ANMF", make([]byte, 16))),
			picture.Info{Format: "WEBP", Width: 30, Height: 20, Frames: 2},
		},
	} {
		if got, ok := picture.Read(tt.content); !ok || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, ok, tt.want)
		}
	}

	for name, content := range map[string][]byte{
		"nothing": nil, "text": []byte("GIF is a format"), "a part of a PNG": still[:20], "another RIFF": chunk("RIFF", make([]byte, 40)),
		"a WebP without a size": webp(chunk("VP8L", make([]byte, 20))),
	} {
		if got, ok := picture.Read(content); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestDecodesNoPixels: a PNG of a gigapixel costs as little as any other.
func TestDecodesNoPixels(t *testing.T) {
	bomb := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, image.NewGray(image.Rect(0, 0, 1, 1))) })
	binary.BigEndian.PutUint32(bomb[16:], 1<<20)
	binary.BigEndian.PutUint32(bomb[20:], 1<<10)
	// DecodeConfig checks the sum of IHDR.
	sum := crc32.ChecksumIEEE(bomb[12:29])
	binary.BigEndian.PutUint32(bomb[29:], sum)
	got, ok := picture.Read(bomb)
	if !ok || got.Width != 1<<20 {
		t.Fatalf("%+v, %v", got, ok)
	}
	if n := testing.AllocsPerRun(10, func() { picture.Read(bomb) }); n > 50 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(animated(f, 2))
	f.Add(webp(chunk("VP8X", make([]byte, 10))))
	f.Fuzz(func(t *testing.T, content []byte) {
		if info, ok := picture.Read(content); ok && (info.Frames < 1 || info.Format == "") {
			t.Errorf("%+v", info)
		}
	})
}
