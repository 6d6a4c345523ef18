// Package nodecrypto is the arithmetic behind Node's crypto module and WebCrypto in cloud functions: every operation
// of theirs is one Call. The shapes (classes, argument checks, encodings of text) are JavaScript, in package prelude.
//
// The package is for compatibility: MD5, SHA-1, ECB and PKCS #1 v1.5 are here because payment and phone-number interfaces ask
// for them; new code should choose others. Nothing of the platform itself uses this package.
package nodecrypto

import (
	"maps"

	"minicloud/shared/runtime/hostcall"
	"minicloud/shared/runtime/nodecrypto/key"
	"minicloud/shared/runtime/nodecrypto/symmetric"
)

// operations is everything that JavaScript can ask for.
var operations = func() map[string]hostcall.Operation {
	all := maps.Clone(symmetric.Operations)
	maps.Copy(all, key.Operations)
	return all
}()

// Call does one operation. An error is a *hostcall.Error, hostcall.ErrStopped or hostcall.ErrMemory.
func Call(host hostcall.Host, name string, args []any) (any, error) {
	return hostcall.Do(operations, host, name, args)
}
