// Package key is the part of nodecrypto for asymmetric keys and KeyObjects: reading and writing keys in every
// format of Node, certificates, signatures, RSA encryption, and key agreement.
package key

import "minicloud/shared/runtime/hostcall"

// Operations are the operations of this package by name.
var Operations = map[string]hostcall.Operation{
	"key.secret": keySecret, "key.size": keySize, "key.bytes": keyBytes, "key.equals": keyEquals,
	"key.toJWK": keyToJWK, "key.fromJWK": keyFromJWK, "key.private": keyPrivate, "key.public": keyPublic,
	"key.publicOf": keyPublicOf, "key.info": keyInfo, "key.export": keyExport, "key.generate": keyGenerate,
	"key.agree": keyAgree, "key.fromPoint": keyFromPoint, "key.toPoint": keyToPoint,
	"sign":       sign,
	"verify":     verify,
	"x509.parse": certificateParse, "x509.fields": certificateFields, "x509.raw": certificateRaw,
	"x509.pem": certificatePEM, "x509.key": certificateKey, "x509.checkHost": certificateCheckHost,
	"x509.checkEmail": certificateCheckEmail, "x509.checkIP": certificateCheckIP,
	"x509.checkIssued": certificateCheckIssued, "x509.checkPrivateKey": certificateCheckPrivateKey,
	"x509.verify":       certificateVerify,
	"rsa.publicEncrypt": rsaPublicEncrypt, "rsa.privateDecrypt": rsaPrivateDecrypt,
	"rsa.privateEncrypt": rsaPrivateEncrypt, "rsa.publicDecrypt": rsaPublicDecrypt,
	"ecdh.new": ecdhNew, "ecdh.generate": ecdhGenerate, "ecdh.compute": ecdhCompute, "ecdh.public": ecdhPublic,
	"ecdh.private": ecdhPrivate, "ecdh.setPrivate": ecdhSetPrivate, "ecdh.setPublic": ecdhSetPublic,
	"ecdh.convert": ecdhConvert,
	"curves":       curveList,
}
