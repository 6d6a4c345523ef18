// Package hostcall defines the interface between JavaScript calls and their implementations in Go: packages
// nodecrypto and nodedata are tables of operations, and package engine implements Host.
//
// Values cross as Go's nil, bool, float64, string, []byte and []any, and as an Object: a state or a key that is
// opaque to JavaScript. Input bytes point into the memory of the run, so an operation must not keep them.
package hostcall

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// Host is the run that made a call.
type Host interface {
	// Stopped reports whether the run's time is over; the operation must then return ErrStopped.
	Stopped() bool
	// Aside runs f in a goroutine. If the run's time ends first, it returns ErrStopped while f continues, so f must
	// not use the memory of the run.
	Aside(f func() (any, error)) (any, error)
	// Bytes allocates n bytes in the memory of the run for the result of the call, or returns ErrMemory.
	Bytes(n int) ([]byte, error)
	// Reserve counts n bytes as memory of the run until release, or returns ErrMemory.
	Reserve(n int) (release func(), err error)
}

// Errors of a call that end the run; user code cannot catch them.
var (
	ErrStopped = errors.New("the time of the run is over")
	ErrMemory  = errors.New("the run has no memory left")
)

// Object is a state or a key. Size is its size in bytes, which counts as memory of the run.
type Object interface{ Size() int }

// Error is an error that JavaScript throws as an instance of its class.
type Error struct {
	Class           string // Error, TypeError or RangeError; for WebCrypto the name of a DOMException
	Code            string // the property code of the error
	Message         string
	Library, Reason string // of OpenSSL, for errors that Node forwards from it
}

func (e *Error) Error() string { return e.Message }

// Refuse returns an Error of the class Error. code may be empty.
func Refuse(code, format string, args ...any) error {
	return &Error{Class: "Error", Code: code, Message: fmt.Sprintf(format, args...)}
}

// RefuseType returns an Error of the class TypeError.
func RefuseType(code, format string, args ...any) error {
	return &Error{Class: "TypeError", Code: code, Message: fmt.Sprintf(format, args...)}
}

// RefuseRange returns an Error of the class RangeError.
func RefuseRange(code, format string, args ...any) error {
	return &Error{Class: "RangeError", Code: code, Message: fmt.Sprintf(format, args...)}
}

// codePrefixes are the prefixes in Node's codes of errors of OpenSSL, by library; errors of other libraries have none.
var codePrefixes = map[string]string{
	"rsa routines": "RSA_", "PEM routines": "PEM_", "digital envelope routines": "EVP_",
	"common libcrypto routines": "CRYPTO_",
}

// OpenSSL returns an error in the form of OpenSSL 3, as Node forwards it, with a code that Node makes of the reason.
func OpenSSL(number, library, reason string) error {
	code := "ERR_OSSL_" + codePrefixes[library] + strings.ToUpper(strings.ReplaceAll(reason, " ", "_"))
	return &Error{
		Class: "Error", Code: code, Message: fmt.Sprintf("error:%s:%s::%s", number, library, reason),
		Library: library, Reason: reason,
	}
}

// MaxInput is the largest input of one call, in bytes.
const MaxInput = 64 << 20

// chunk is the number of bytes processed between two checks of the time limit.
const chunk = 256 << 10

// Operation implements one call. Errors other than *Error, ErrStopped and ErrMemory are not passed to user code:
// messages of libraries may quote their input.
type Operation func(c *Call) (any, error)

// Do executes the operation with that name. The error is an *Error, ErrStopped or ErrMemory.
func Do(operations map[string]Operation, host Host, name string, args []any) (result any, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		case error, string: // hostile input that triggers a bug in a library must not end the process
			err = failed()
		default: // the host ends a run by a panic of its own
			panic(r)
		}
	}()
	do := operations[name]
	if do == nil {
		return nil, Refuse("ERR_CRYPTO_OPERATION_FAILED", "no operation %q", name)
	}

	result, err = do(&Call{Host: host, args: args})
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, ErrStopped) || errors.Is(err, ErrMemory) {
		return result, err
	}
	return nil, failed()
}

func failed() error { return Refuse("ERR_CRYPTO_OPERATION_FAILED", "the operation failed") }

// Call is one call with its arguments. Its methods panic with an *Error for invalid arguments, which are a bug of the
// prelude or of user code that changed it.
type Call struct {
	Host
	args []any
}

// At returns the i-th argument, nil if there are fewer.
func (c *Call) At(i int) any {
	if i < len(c.args) {
		return c.args[i]
	}
	return nil
}

// Data returns an argument as bytes; a string gives its UTF-8. The bytes are valid until the call returns and must
// be copied to be kept.
func (c *Call) Data(i int) []byte {
	var data []byte
	switch v := c.At(i).(type) {
	case []byte:
		data = v
	case string:
		data = unsafe.Slice(unsafe.StringData(v), len(v)) // operations must not write into an input
	default:
		panic(RefuseType("ERR_INVALID_ARG_TYPE", "argument %d must be bytes", i))
	}
	if len(data) > MaxInput {
		panic(RefuseRange("ERR_OUT_OF_RANGE", "an input is at most %d bytes, this one has %d", MaxInput, len(data)))
	}

	return data
}

// maxSmall is the maximum size of a key, vector, password or salt in bytes. Copies are not counted as memory of the
// run.
const maxSmall = 1 << 20

// Copied returns a copy of an argument's bytes, which outlives the memory of the run.
func (c *Call) Copied(i int) []byte {
	data := c.Data(i)
	if len(data) > maxSmall {
		panic(RefuseRange("ERR_OUT_OF_RANGE", "keys and parameters have at most %d bytes, not %d", maxSmall, len(data)))
	}
	return append([]byte{}, data...)
}

// Text returns an argument that must be a string.
func (c *Call) Text(i int) string {
	if v, ok := c.At(i).(string); ok {
		return v
	}
	panic(RefuseType("ERR_INVALID_ARG_TYPE", "argument %d must be a text", i))
}

// TextOr returns a string argument, or absent if it is nil.
func (c *Call) TextOr(i int, absent string) string {
	if c.At(i) == nil {
		return absent
	}
	return c.Text(i)
}

// IntegerOr returns an integer argument, or absent if it is nil.
func (c *Call) IntegerOr(i, absent int) int {
	if c.At(i) == nil {
		return absent
	}
	return c.Integer(i)
}

// Integer returns an argument that must be an integer between -2^53 and 2^53.
func (c *Call) Integer(i int) int {
	v, ok := c.At(i).(float64)
	if !ok || v != float64(int(v)) || v > 1<<53 || v < -(1<<53) {
		panic(RefuseType("ERR_INVALID_ARG_TYPE", "argument %d must be an integer", i))
	}
	return int(v)
}

// Flag reports whether an argument is true.
func (c *Call) Flag(i int) bool {
	v, ok := c.At(i).(bool)
	return ok && v
}

// ObjectAt returns an argument that must be a state or key of type T.
func ObjectAt[T Object](c *Call, i int) T {
	v, ok := c.At(i).(T)
	if !ok {
		panic(RefuseType("ERR_INVALID_ARG_TYPE", "argument %d is an object of another kind", i))
	}
	return v
}

// InChunks passes data to f in pieces and returns ErrStopped if the run's time ends.
func (c *Call) InChunks(data []byte, f func(part []byte)) error {
	for len(data) > 0 {
		n := min(len(data), chunk)
		f(data[:n])
		data = data[n:]
		if len(data) > 0 && c.Stopped() {
			return ErrStopped
		}
	}
	return nil
}

// SecretKey is an Object that may hold a secret key; Secret is nil if it holds another kind of key.
type SecretKey interface{ Secret() []byte }

// Secret returns the bytes of a secret key argument: bytes, a string as UTF-8, or a SecretKey.
func (c *Call) Secret(i int) ([]byte, error) {
	k, ok := c.At(i).(SecretKey)
	if !ok {
		return c.Copied(i), nil
	}
	if k.Secret() == nil {
		return nil, RefuseType("ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", "Invalid key object type, expected secret.")
	}
	return k.Secret(), nil
}
