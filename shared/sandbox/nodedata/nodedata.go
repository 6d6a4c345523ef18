// Package nodedata is the work on bytes behind Node's zlib module and TextDecoder in cloud functions: compression and
// texts in other encodings, one Call per operation. The shapes are JavaScript, in package prelude.
//
// Values cross, and calls end, as in package nodecrypto.
package nodedata

import (
	"errors"

	"minicloud/shared/sandbox/hostcall"
)

// MaxBytes is the largest input and the largest result of one call.
const MaxBytes = 64 << 20

// Call does one operation of zlib or of texts. An error is a *hostcall.Error, ErrStopped or ErrMemory.
func Call(host hostcall.Host, name string, args []any) (any, error) {
	c := &call{Host: host, args: args}
	var result any
	var err error
	switch name {
	case "deflate", "deflateRaw", "gzip":
		result, err = c.compress(name)
	case "inflate", "inflateRaw", "gunzip":
		result, err = c.decompress(name)
	case "brotliCompress":
		result, err = c.brotliCompress()
	case "brotliDecompress":
		result, err = c.brotliDecompress()
	case "encoding":
		return c.encoding(), nil
	case "decode":
		return c.decode()
	default:
		return nil, refuse("Error", "ERR_INTERNAL_ASSERTION", "no operation "+name)
	}

	var known *hostcall.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, hostcall.ErrStopped) ||
		errors.Is(err, hostcall.ErrMemory) {
		return result, err
	}

	return nil, refuse("Error", "Z_DATA_ERROR", err.Error())
}

func refuse(class, code, message string) error {
	return &hostcall.Error{Class: class, Code: code, Message: message}
}

// call is one call with its arguments; wrong ones count as absent.
type call struct {
	hostcall.Host
	args []any
}

func (c *call) bytes(i int) []byte {
	if i < len(c.args) {
		if data, ok := c.args[i].([]byte); ok {
			return data
		}
	}
	return nil
}

func (c *call) number(i, fallback int) int {
	if i < len(c.args) {
		if n, ok := c.args[i].(float64); ok {
			return int(n)
		}
	}
	return fallback
}

func (c *call) text(i int) string {
	if i < len(c.args) {
		if s, ok := c.args[i].(string); ok {
			return s
		}
	}
	return ""
}

func (c *call) flag(i int) bool {
	if i < len(c.args) {
		if b, ok := c.args[i].(bool); ok {
			return b
		}
	}
	return false
}
