// Package nodedata is the work on bytes behind Node's zlib module and TextDecoder in cloud functions: compression and
// texts in other encodings, one Call per operation. The shapes are JavaScript, in package prelude.
//
// Values cross, and calls end, as package hostcall says.
package nodedata

import "minicloud/shared/runtime/hostcall"

// MaxBytes is the largest input and the largest result of one call.
const MaxBytes = 64 << 20

var operations = map[string]hostcall.Operation{
	"deflate": compress(deflateWriter), "deflateRaw": compress(flateWriter), "gzip": compress(gzipWriter),
	"inflate": decompress(inflate), "inflateRaw": decompress(inflateRaw), "gunzip": decompress(gunzip),
	"brotliCompress": brotliCompress, "brotliDecompress": brotliDecompress,
	"encoding": encodingOf, "decode": decode,
}

// Call does one operation of zlib or of texts. An error is a *hostcall.Error, ErrStopped or ErrMemory.
func Call(host hostcall.Host, name string, args []any) (any, error) {
	return hostcall.Do(operations, host, name, args)
}

func refuse(class, code, message string) error {
	return &hostcall.Error{Class: class, Code: code, Message: message}
}

// input returns the bytes that an operation works on.
func input(c *hostcall.Call, i int) ([]byte, error) {
	data := optional(c, i)
	if len(data) > MaxBytes {
		return nil, tooLarge(MaxBytes)
	}
	return data, nil
}

// optional returns bytes, nil when there are none.
func optional(c *hostcall.Call, i int) []byte {
	data, _ := c.At(i).([]byte)
	return data
}

// number returns a number without what is behind its point.
func number(c *hostcall.Call, i, absent int) int {
	if n, ok := c.At(i).(float64); ok {
		return int(n)
	}
	return absent
}
