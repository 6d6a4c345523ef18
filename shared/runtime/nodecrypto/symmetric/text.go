package symmetric

import (
	"encoding/base64"
	"encoding/hex"

	"minicloud/shared/runtime/hostcall"
)

// textOf is text(bytes, encoding).
func textOf(c *hostcall.Call) (any, error) {
	data := c.Data(0)
	switch encoding := c.Text(1); encoding {
	case "hex":
		return hex.EncodeToString(data), nil
	case "base64":
		return base64.StdEncoding.EncodeToString(data), nil
	case "base64url":
		return base64.RawURLEncoding.EncodeToString(data), nil
	case "latin1", "binary":
		// Latin-1 maps each byte to the character with the same number.
		wide := make([]rune, len(data))
		for i, b := range data {
			wide[i] = rune(b)
		}
		return string(wide), nil
	default:
		return nil, hostcall.RefuseType("ERR_UNKNOWN_ENCODING", "Unknown encoding: %s", encoding)
	}
}

// unhex decodes complete pairs of hexadecimal digits up to the first invalid one, like Buffer.
func unhex(c *hostcall.Call) (any, error) {
	text := c.Text(0)
	data := make([]byte, len(text)/2)
	n, _ := hex.Decode(data, []byte(text[:len(data)*2]))
	return data[:n], nil
}
