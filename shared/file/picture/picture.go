// Package picture reads the size of pictures from their headers. It decodes no pixels, so a small content that stands for a
// huge picture costs nothing.
package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
)

// Info describes a picture.
type Info struct {
	Format        string // JPEG, PNG, GIF or WEBP
	Width, Height int    // pixels
	Frames        int    // 1 unless it is animated
}

// formats are those that the standard library reads.
var formats = []struct {
	name, begins string
	config       func(io.Reader) (image.Config, error)
	frames       func([]byte) int // nil = always 1
}{
	{"PNG", "\x89PNG\r\n\x1a\n", png.DecodeConfig, pngFrames},
	{"JPEG", "\xff\xd8", jpeg.DecodeConfig, nil},
	{"GIF", "GIF8", gif.DecodeConfig, gifFrames},
}

// Read returns the description of a picture; ok is false for a content of another format and a damaged header.
func Read(content []byte) (info Info, ok bool) {
	if bytes.HasPrefix(content, []byte("RIFF")) {
		return webp(content)
	}
	for _, f := range formats {
		if !bytes.HasPrefix(content, []byte(f.begins)) {
			continue
		}
		config, err := f.config(bytes.NewReader(content))
		info = Info{Format: f.name, Width: config.Width, Height: config.Height, Frames: 1}
		if err == nil && f.frames != nil {
			info.Frames = max(f.frames(content), 1)
		}
		return info, err == nil
	}
	return Info{}, false
}

// gifFrames counts the images of a GIF (GIF89a specification, 15 to 26), as far as it is complete.
func gifFrames(b []byte) (frames int) {
	const header, descriptor, extension, local = 13, 9, 0x21, 0x2C
	skip := func(n int) { b = b[min(n, len(b)):] }
	// Bit 7 says whether a table of colors follows, and bits 0 to 2 its size.
	colors := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	blocks := func() {
		for len(b) > 0 && b[0] > 0 {
			skip(1 + int(b[0]))
		}
		skip(1)
	}
	if len(b) < header {
		return 0
	}
	skip(header + colors(b[10]))
	for len(b) > 0 {
		switch b[0] {
		case extension:
			skip(2)
		case local:
			if len(b) < 1+descriptor {
				return frames
			}
			frames++
			skip(1 + descriptor + colors(b[descriptor]) + 1)
		default: // trailer, or damage
			return frames
		}
		blocks()
	}
	return frames
}

// pngFrames returns the number of frames of an animated PNG: chunk acTL, which comes before the pixels.
func pngFrames(b []byte) int {
	for b = b[min(8, len(b)):]; len(b) >= 12; {
		size, kind := int64(binary.BigEndian.Uint32(b)), string(b[4:8])
		if kind == "acTL" {
			return int(binary.BigEndian.Uint32(b[8:]))
		}
		if kind == "IDAT" || 12+size > int64(len(b)) {
			return 0
		}
		b = b[12+size:]
	}
	return 0
}

// webp reads the chunks of a WebP (RFC 9649): the size is in the first one, and ANMF is a frame.
func webp(b []byte) (info Info, ok bool) {
	if len(b) < 30 || string(b[8:12]) != "WEBP" {
		return Info{}, false
	}
	uint24 := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
	info.Format, info.Frames = "WEBP", 1
	switch first := b[20:]; string(b[12:16]) {
	case "VP8X":
		info.Width, info.Height = uint24(first[4:])+1, uint24(first[7:])+1
	case "VP8L":
		bits := binary.LittleEndian.Uint32(first[1:])
		info.Width, info.Height = int(bits&0x3FFF)+1, int(bits>>14&0x3FFF)+1
		return info, first[0] == 0x2F
	case "VP8 ":
		info.Width = int(binary.LittleEndian.Uint16(first[6:]) & 0x3FFF)
		info.Height = int(binary.LittleEndian.Uint16(first[8:]) & 0x3FFF)
		return info, first[3] == 0x9D && first[4] == 0x01 && first[5] == 0x2A
	default:
		return Info{}, false
	}
	frames := 0
	for b = b[12:]; len(b) >= 8; {
		if string(b[:4]) == "ANMF" {
			frames++
		}
		size := int64(binary.LittleEndian.Uint32(b[4:]))
		size += 8 + size&1 // padded to an even size
		b = b[min(size, int64(len(b))):]
	}
	info.Frames = max(frames, 1)
	return info, true
}
