// Package symmetric is the part of nodecrypto without key pairs: hashes, HMACs, ciphers, key derivation, random
// bytes.
package symmetric

import "minicloud/shared/runtime/hostcall"

// Operations are the operations of this package by name.
var Operations = map[string]hostcall.Operation{
	"hash.new": hashNew, "hash.update": hashUpdate, "hash.copy": hashCopy, "hash.digest": hashDigest,
	"hash.once": hashOnce,
	"hmac.new":  hmacNew, "hmac.once": hmacOnce,
	"hash.names": hashNames, "hash.known": hashKnown, "hash.size": hashSize,
	"cipher.new": cipherNew, "cipher.update": cipherUpdate, "cipher.final": cipherFinal,
	"cipher.padding": cipherPadding, "cipher.aad": cipherAAD, "cipher.tag": cipherTag,
	"cipher.setTag": cipherSetTag, "cipher.info": cipherInfo, "cipher.names": cipherNames,
	"pbkdf2": derivePBKDF2,
	"scrypt": deriveScrypt,
	"hkdf":   deriveHKDF,
	"random": random,
	"equal":  equal,
	"text":   textOf,
	"unhex":  unhex,
}
