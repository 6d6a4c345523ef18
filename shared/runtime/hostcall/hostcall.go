// Package hostcall carries the calls of JavaScript that Go computes: packages nodecrypto and nodedata are tables of
// operations, and package engine is the host.
//
// Values cross as Go's nil, bool, float64, string, []byte, []any, and as an Object: a state or a key that JavaScript
// holds without seeing into it. Bytes that come in lie in the memory of the run; an operation keeps none of them.
package hostcall

import (
	"errors"
	"fmt"
	"unsafe"
)

// Host is the run that a call belongs to.
type Host interface {
	// Stopped reports that the run's time is over: the operation returns ErrStopped.
	Stopped() bool
	// Aside runs f beside the run until the run's time is over, and then returns ErrStopped although f goes on. f holds
	// nothing that lies in the memory of the run.
	Aside(f func() (any, error)) (any, error)
	// Bytes returns n bytes in the memory of the run for the result of the call, or ErrMemory.
	Bytes(n int) ([]byte, error)
	// Reserve counts n bytes as memory of the run until release, or returns ErrMemory.
	Reserve(n int) (release func(), err error)
}

// Errors of a call that end the run rather than reach its code.
var (
	ErrStopped = errors.New("the time of the run is over")
	ErrMemory  = errors.New("the run has no memory left")
)

// Object is a state or a key. Its size in bytes counts as memory of the run.
type Object interface{ Size() int }

// Error is a refusal that JavaScript throws as an error of its class.
type Error struct {
	Class           string // Error, TypeError or RangeError; for WebCrypto the name of a DOMException
	Code            string // as error.code has it
	Message         string
	Library, Reason string // of OpenSSL, for errors that Node passes on from there
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

// OpenSSL returns an error as OpenSSL 3 reports it and Node passes it on.
func OpenSSL(number, library, reason, code string) error {
	return &Error{
		Class: "Error", Code: code, Message: fmt.Sprintf("error:%s:%s::%s", number, library, reason),
		Library: library, Reason: reason,
	}
}

// MaxInput is the largest input of one call, in bytes.
const MaxInput = 64 << 20

// chunk is how much is worked on before the time is looked at again, in bytes.
const chunk = 256 << 10

// Operation does what one call asks for. An error that is no *Error, ErrStopped or ErrMemory stays in Go: messages of
// the libraries may quote what they were given.
type Operation func(c *Call) (any, error)

// Do does the operation of a name. An error is an *Error, ErrStopped or ErrMemory.
func Do(operations map[string]Operation, host Host, name string, args []any) (result any, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		case argumentError:
			err = RefuseType("ERR_INVALID_ARG_TYPE", "%s", string(r))
		case error, string: // a bug of a library that hostile input found must not end the process
			err = failed()
		default: // the host's own way to end a run
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

// Call is one call with its arguments. Wrong ones are a bug of the prelude, or of code that changed it.
type Call struct {
	Host
	args []any
}

type argumentError string

// At returns the i-th argument, nil behind the last.
func (c *Call) At(i int) any {
	if i < len(c.args) {
		return c.args[i]
	}
	return nil
}

// Data returns bytes, or the UTF-8 of a text. They are good until the call returns: what is kept is copied.
func (c *Call) Data(i int) []byte {
	var data []byte
	switch v := c.At(i).(type) {
	case []byte:
		data = v
	case string:
		data = unsafe.Slice(unsafe.StringData(v), len(v)) // nothing here writes into an input
	default:
		panic(argumentError(fmt.Sprintf("argument %d must be bytes", i)))
	}
	if len(data) > MaxInput {
		panic(RefuseRange("ERR_OUT_OF_RANGE", "an input is at most %d bytes, this one has %d", MaxInput, len(data)))
	}

	return data
}

// maxSmall is the largest key, vector, password or salt that is copied, in bytes: copies lie outside the memory that a
// run is counted for.
const maxSmall = 1 << 20

// Copied returns bytes that outlive the memory of the run.
func (c *Call) Copied(i int) []byte {
	data := c.Data(i)
	if len(data) > maxSmall {
		panic(RefuseRange("ERR_OUT_OF_RANGE", "keys and parameters have at most %d bytes, not %d", maxSmall, len(data)))
	}
	return append([]byte{}, data...)
}

// Text returns an argument that must be a text.
func (c *Call) Text(i int) string {
	if v, ok := c.At(i).(string); ok {
		return v
	}
	panic(argumentError(fmt.Sprintf("argument %d must be a text", i)))
}

// TextOr returns a text, or absent in place of nil.
func (c *Call) TextOr(i int, absent string) string {
	if c.At(i) == nil {
		return absent
	}
	return c.Text(i)
}

// IntegerOr returns an integer, or absent in place of nil.
func (c *Call) IntegerOr(i, absent int) int {
	if c.At(i) == nil {
		return absent
	}
	return c.Integer(i)
}

// Integer returns a whole number of at most 2^53.
func (c *Call) Integer(i int) int {
	v, ok := c.At(i).(float64)
	if !ok || v != float64(int(v)) || v > 1<<53 || v < -(1<<53) {
		panic(argumentError(fmt.Sprintf("argument %d must be an integer", i)))
	}
	return int(v)
}

// Flag reports whether an argument is true.
func (c *Call) Flag(i int) bool {
	v, ok := c.At(i).(bool)
	return ok && v
}

// ObjectAt returns a state or key of the type that is asked for.
func ObjectAt[T Object](c *Call, i int) T {
	v, ok := c.At(i).(T)
	if !ok {
		panic(argumentError(fmt.Sprintf("argument %d is an object of another kind", i)))
	}
	return v
}

// InChunks hands data to f in pieces and stops when the run's time is over.
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

// SecretKey is an Object that may hold a secret key; Secret is nil when it holds another one.
type SecretKey interface{ Secret() []byte }

// Secret returns the bytes of a secret key: bytes, a text in UTF-8, or a SecretKey.
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
