// Package nodecrypto is the arithmetic behind Node's crypto module and WebCrypto in cloud functions: every operation
// of theirs is one Call. The shapes (classes, argument checks, encodings of text) are JavaScript, in package prelude.
//
// It is for compatibility: MD5, SHA-1, ECB and PKCS #1 v1.5 are here because payment and phone-number interfaces ask
// for them, not because anybody should choose them. Nothing of the platform itself uses this package.
//
// Values cross as Go's nil, bool, float64, string, []byte, []any, and as an Object: a state or a key that JavaScript
// holds without seeing into it. Bytes that come in lie in the memory of the run; nothing here keeps them.
package nodecrypto

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

func refuse(code, format string, args ...any) error {
	return &Error{Class: "Error", Code: code, Message: fmt.Sprintf(format, args...)}
}

func refuseType(code, format string, args ...any) error {
	return &Error{Class: "TypeError", Code: code, Message: fmt.Sprintf(format, args...)}
}

func refuseRange(code, format string, args ...any) error {
	return &Error{Class: "RangeError", Code: code, Message: fmt.Sprintf(format, args...)}
}

// openssl is an error as OpenSSL 3 reports it and Node passes it on.
func openssl(number, library, reason, code string) error {
	return &Error{
		Class: "Error", Code: code, Message: fmt.Sprintf("error:%s:%s::%s", number, library, reason),
		Library: library, Reason: reason,
	}
}

// MaxInput is the largest input of one call, in bytes.
const MaxInput = 64 << 20

// chunk is how much is worked on before the time is looked at again, in bytes.
const chunk = 256 << 10

// operation is one operation by its name.
type operation func(c *call) (any, error)

// operations is everything JavaScript can ask for.
var operations = map[string]operation{
	"hash.new": hashNew, "hash.update": hashUpdate, "hash.copy": hashCopy, "hash.digest": hashDigest,
	"hash.once": hashOnce, "hmac.new": hmacNew, "hmac.once": hmacOnce, "hash.names": hashNames,
	"hash.known": hashKnown, "hash.size": hashSize,
	"cipher.new": cipherNew, "cipher.update": cipherUpdate, "cipher.final": cipherFinal,
	"cipher.padding": cipherPadding, "cipher.aad": cipherAAD, "cipher.tag": cipherTag, "cipher.setTag": cipherSetTag,
	"cipher.info": cipherInfo, "cipher.names": cipherNames,
	"pbkdf2": derivePBKDF2, "scrypt": deriveScrypt, "hkdf": deriveHKDF,
	"key.secret": keySecret, "key.size": keySize, "key.bytes": keyBytes, "key.equals": keyEquals,
	"key.toJWK": keyToJWK, "key.fromJWK": keyFromJWK, "key.private": keyPrivate, "key.public": keyPublic,
	"key.publicOf": keyPublicOf, "key.info": keyInfo, "key.export": keyExport, "key.generate": keyGenerate,
	"key.agree": keyAgree, "key.fromPoint": keyFromPoint, "key.toPoint": keyToPoint,
	"sign": sign, "verify": verify,
	"x509.parse": certificateParse, "x509.fields": certificateFields, "x509.raw": certificateRaw,
	"x509.pem": certificatePEM, "x509.key": certificateKey, "x509.checkHost": certificateCheckHost,
	"x509.checkEmail": certificateCheckEmail, "x509.checkIP": certificateCheckIP,
	"x509.checkIssued": certificateCheckIssued, "x509.checkPrivateKey": certificateCheckPrivateKey,
	"x509.verify":       certificateVerify,
	"rsa.publicEncrypt": rsaPublicEncrypt, "rsa.privateDecrypt": rsaPrivateDecrypt,
	"rsa.privateEncrypt": rsaPrivateEncrypt, "rsa.publicDecrypt": rsaPublicDecrypt,
	"ecdh.new": ecdhNew, "ecdh.generate": ecdhGenerate, "ecdh.compute": ecdhCompute, "ecdh.public": ecdhPublic,
	"ecdh.private": ecdhPrivate, "ecdh.setPrivate": ecdhSetPrivate, "ecdh.setPublic": ecdhSetPublic,
	"ecdh.convert": ecdhConvert, "curves": curveList,
	"random": random, "equal": equal, "text": textOf, "unhex": unhex,
}

// Call does one operation. An error is an *Error, ErrStopped or ErrMemory.
func Call(host Host, name string, args []any) (result any, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		case argumentError:
			err = refuseType("ERR_INVALID_ARG_TYPE", "%s", string(r))
		case error, string: // a bug of a library that hostile input found must not end the process
			err = refuse("ERR_CRYPTO_OPERATION_FAILED", "the operation failed")
		default: // the host's own way to end a run
			panic(r)
		}
	}()
	do := operations[name]
	if do == nil {
		return nil, refuse("ERR_CRYPTO_OPERATION_FAILED", "no operation %q", name)
	}

	result, err = do(&call{Host: host, args: args})
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, ErrStopped) || errors.Is(err, ErrMemory) {
		return result, err
	}

	// Messages of the libraries may quote what they were given: they stay here.
	return nil, refuse("ERR_CRYPTO_OPERATION_FAILED", "the operation failed")
}

// call is one call with its arguments. Wrong ones are a bug of the prelude, or of code that changed it.
type call struct {
	Host
	args []any
}

type argumentError string

func (c *call) at(i int) any {
	if i < len(c.args) {
		return c.args[i]
	}
	return nil
}

// bytes returns bytes, or the UTF-8 of a text. They are good until the call returns: what is kept is copied.
func (c *call) bytes(i int) []byte {
	var data []byte
	switch v := c.at(i).(type) {
	case []byte:
		data = v
	case string:
		data = unsafe.Slice(unsafe.StringData(v), len(v)) // nothing here writes into an input
	default:
		panic(argumentError(fmt.Sprintf("argument %d must be bytes", i)))
	}
	if len(data) > MaxInput {
		panic(refuseRange("ERR_OUT_OF_RANGE", "an input is at most %d bytes, this one has %d", MaxInput, len(data)))
	}

	return data
}

// maxSmall is the largest key, vector, password or salt that is copied, in bytes: copies lie outside the memory that a
// run is counted for.
const maxSmall = 1 << 20

// copied returns bytes that outlive the memory of the run.
func (c *call) copied(i int) []byte {
	data := c.bytes(i)
	if len(data) > maxSmall {
		panic(refuseRange("ERR_OUT_OF_RANGE", "keys and parameters have at most %d bytes, not %d", maxSmall, len(data)))
	}
	return append([]byte{}, data...)
}

func (c *call) text(i int) string {
	if v, ok := c.at(i).(string); ok {
		return v
	}
	panic(argumentError(fmt.Sprintf("argument %d must be a text", i)))
}

func (c *call) textOr(i int, absent string) string {
	if c.at(i) == nil {
		return absent
	}
	return c.text(i)
}

func (c *call) integerOr(i, absent int) int {
	if c.at(i) == nil {
		return absent
	}
	return c.integer(i)
}

// integer returns a whole number of at most 2^53.
func (c *call) integer(i int) int {
	v, ok := c.at(i).(float64)
	if !ok || v != float64(int(v)) || v > 1<<53 || v < -(1<<53) {
		panic(argumentError(fmt.Sprintf("argument %d must be an integer", i)))
	}
	return int(v)
}

func (c *call) flag(i int) bool {
	v, ok := c.at(i).(bool)
	return ok && v
}

// object returns a state or key of the type that is asked for.
func object[T Object](c *call, i int) T {
	v, ok := c.at(i).(T)
	if !ok {
		panic(argumentError(fmt.Sprintf("argument %d is an object of another kind", i)))
	}
	return v
}

// inChunks hands data to f in pieces and stops when the run's time is over.
func (c *call) inChunks(data []byte, f func(part []byte)) error {
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
