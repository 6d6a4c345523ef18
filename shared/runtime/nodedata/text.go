package nodedata

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/transform"

	"minicloud/shared/runtime/hostcall"
)

// encodingOf is the name of the encoding that a label stands for, nil if there is none. What keeps a state between
// characters (ISO-2022-JP) is left out: chunks are decoded one by one.
func encodingOf(c *hostcall.Call) (any, error) {
	e, err := htmlindex.Get(c.Text(0))
	if err != nil {
		return nil, nil
	}
	name, err := htmlindex.Name(e)
	if err != nil || name == "iso-2022-jp" || name == "replacement" || name == "x-user-defined" {
		return nil, nil
	}
	return name, nil
}

// decode gives [text, bytes used, wrong] of (encoding, bytes, more): the text of the bytes, how many of them it is
// made of, and whether some were no text. With more, what the next bytes may complete is left.
func decode(c *hostcall.Call) (any, error) {
	e, err := htmlindex.Get(c.Text(0))
	if err != nil {
		return nil, refuse("RangeError", "ERR_ENCODING_NOT_SUPPORTED", "no such encoding")
	}
	if c.Text(0) == "gbk" { // the standard decodes the larger one
		e = simplifiedchinese.GB18030
	}

	data, err := input(c, 1)
	if err != nil {
		return nil, err
	}
	release, err := c.Reserve(3 * len(data))
	if err != nil {
		return nil, err
	}
	defer release()

	text, used, err := transformed(c, e.NewDecoder(), data, !c.Flag(2))
	if err != nil {
		return nil, err
	}

	return []any{text, float64(used), strings.ContainsRune(text, '\ufffd')}, nil
}

func transformed(c *hostcall.Call, d *encoding.Decoder, data []byte, atEnd bool) (text string, used int, err error) {
	var out strings.Builder
	buffer := make([]byte, min(4*len(data)+16, chunk))
	for {
		if c.Stopped() {
			return "", 0, hostcall.ErrStopped
		}
		written, read, err := d.Transformer.Transform(buffer, data[used:], atEnd)
		out.Write(buffer[:written])
		used += read
		switch {
		// A full buffer goes on; a decoder that neither reads nor writes would go on for ever.
		case err == transform.ErrShortDst && (written > 0 || read > 0):
		case err == nil || err == transform.ErrShortSrc:
			return out.String(), used, nil
		default:
			return "", 0, err
		}
	}
}
