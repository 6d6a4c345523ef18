package censor

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"minicloud/shared/errs"
)

// Limits of the images that vendors take, in pixels. maxPixels bounds the memory of decoding: 4 bytes each, while a file of
// 1 MB may say that it has billions.
const (
	maxWidth  = 750
	maxHeight = 1334
	maxPixels = 30_000_000
)

const jpegQuality = 85

// format is how files of images begin and are read.
type format struct {
	magic  string
	size   func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// formats are the images that can be shrunk.
var formats = []format{
	{"GIF8", gif.DecodeConfig, gif.Decode},
	{"\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
	{"\x89PNG", png.DecodeConfig, png.Decode},
}

// Shrunk returns the image within the limits of vendors: photos of phones are far over them. It returns errs.Invalid for
// one that is too large and cannot be decoded, or has too many pixels.
func Shrunk(i Image) (Image, error) {
	at := slices.IndexFunc(formats, func(f format) bool { return bytes.HasPrefix(i.Content, []byte(f.magic)) })
	switch {
	case at < 0 && len(i.Content) > MaxImage:
		return i, errs.Invalid("an image over %d MB must be jpeg, png or gif to be checked", MaxImage>>20)
	case at < 0: // the vendor may know it
		return i, nil
	}
	size, err := formats[at].size(bytes.NewReader(i.Content))
	if err != nil {
		return i, errDamaged()
	}
	factor := max(1, float64(size.Width)/maxWidth, float64(size.Height)/maxHeight)
	switch {
	case factor == 1 && len(i.Content) <= MaxImage:
		return i, nil
	case size.Width*size.Height > maxPixels:
		return i, errs.Invalid("an image of %d x %d pixels is too large to be checked", size.Width, size.Height)
	}

	whole, err := formats[at].decode(bytes.NewReader(i.Content))
	if err != nil {
		return i, errDamaged()
	}
	var small bytes.Buffer
	if err := jpeg.Encode(&small, scaled(whole, factor), &jpeg.Options{Quality: jpegQuality}); err != nil {
		return i, err
	}
	i.MIMEType, i.Content = "image/jpeg", small.Bytes()
	return i, nil
}

func errDamaged() error { return errs.Invalid("the image cannot be read: it is damaged") }

// scaled returns the image smaller by factor, with one pixel of each square: what it shows stays as it is.
func scaled(whole image.Image, factor float64) image.Image {
	from := whole.Bounds()
	small := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(from.Dx())/factor)), max(1, int(float64(from.Dy())/factor))))
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			small.Set(x, y, whole.At(from.Min.X+int(float64(x)*factor), from.Min.Y+int(float64(y)*factor)))
		}
	}
	return small
}
