// Package nodecrypto implements the operations of Node's crypto module and WebCrypto for cloud functions; each
// operation is one Call. Classes, argument checks and text encodings are JavaScript, in package prelude.
//
// The package exists for compatibility: it supports MD5, SHA-1, ECB and PKCS #1 v1.5 because payment and
// phone-number APIs require them; new code should not use them. The platform itself does not use this package.
package nodecrypto

import (
	"maps"

	"minicloud/shared/runtime/hostcall"
	"minicloud/shared/runtime/nodecrypto/key"
	"minicloud/shared/runtime/nodecrypto/symmetric"
)

// operations are all operations that JavaScript can call.
var operations = func() map[string]hostcall.Operation {
	all := maps.Clone(symmetric.Operations)
	maps.Copy(all, key.Operations)
	return all
}()

// Call executes one operation. The error is a *hostcall.Error, hostcall.ErrStopped or hostcall.ErrMemory.
func Call(host hostcall.Host, name string, args []any) (any, error) {
	return hostcall.Do(operations, host, name, args)
}
