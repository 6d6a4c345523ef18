// Package nodedata implements the operations on bytes of Node's zlib module and TextDecoder for cloud functions:
// compression and text encodings, one Call per operation. Classes are JavaScript, in package prelude.
//
// Package hostcall documents the arguments, results and errors of calls.
package nodedata

import "minicloud/shared/runtime/hostcall"

// MaxBytes is the maximum size of an input and of a result of one call, in bytes.
const MaxBytes = 64 << 20

var operations = map[string]hostcall.Operation{
	"deflate": compress(deflateWriter), "deflateRaw": compress(flateWriter), "gzip": compress(gzipWriter),
	"inflate": decompress(inflate), "inflateRaw": decompress(inflateRaw), "gunzip": decompress(gunzip),
	"brotliCompress": brotliCompress, "brotliDecompress": brotliDecompress,
	"encoding": encodingOf, "decode": decode,
}

// Call executes one operation. The error is a *hostcall.Error, hostcall.ErrStopped or hostcall.ErrMemory.
func Call(host hostcall.Host, name string, args []any) (any, error) {
	return hostcall.Do(operations, host, name, args)
}

func refuse(class, code, message string) error {
	return &hostcall.Error{Class: class, Code: code, Message: message}
}

// input returns the bytes of an argument, or an error if they are too large.
func input(c *hostcall.Call, i int) ([]byte, error) {
	data := optional(c, i)
	if len(data) > MaxBytes {
		return nil, tooLarge(MaxBytes)
	}
	return data, nil
}

// optional returns the bytes of an argument, nil if there are none.
func optional(c *hostcall.Call, i int) []byte {
	data, _ := c.At(i).([]byte)
	return data
}

// number returns an argument truncated to an integer, or absent if it is no number.
func number(c *hostcall.Call, i, absent int) int {
	if n, ok := c.At(i).(float64); ok {
		return int(n)
	}
	return absent
}
