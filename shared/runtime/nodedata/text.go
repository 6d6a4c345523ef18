package nodedata

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/transform"

	"minicloud/shared/runtime/hostcall"
)

// encodingOf returns the name of the encoding for a label, nil if there is none. It excludes encodings with state
// between characters (ISO-2022-JP), because chunks are decoded independently.
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

// decode has the arguments (encoding, bytes, more) and returns [text, bytes used, invalid]: invalid reports whether
// some bytes were not valid. With more, it leaves incomplete bytes at the end unused, because the next bytes may
// complete them.
func decode(c *hostcall.Call) (any, error) {
	e, err := htmlindex.Get(c.Text(0))
	if err != nil {
		return nil, refuse("RangeError", "ERR_ENCODING_NOT_SUPPORTED", "no such encoding")
	}
	if c.Text(0) == "gbk" { // the standard decodes GBK as its superset GB18030
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
		// Continue after a full buffer, unless the decoder made no progress, which would loop forever.
		case err == transform.ErrShortDst && (written > 0 || read > 0):
		case err == nil || err == transform.ErrShortSrc:
			return out.String(), used, nil
		default:
			return "", 0, err
		}
	}
}
