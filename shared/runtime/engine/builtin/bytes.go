package builtin

import (
	"encoding/base64"
	"strings"

	"minicloud/shared/runtime/engine/realm"
)

// hostBytes returns an ArrayBuffer with the bytes of a binary string.
func hostBytes(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	data, err := r.BytesOf(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	buffer := r.NewBuffer(data)
	if realm.IsException(buffer) {
		return realm.Undefined, realm.ErrThrown
	}
	return buffer, nil
}

// hostBase64 returns the base64 of a binary string; if the second argument is true, in the URL alphabet without
// padding.
func hostBase64(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	data, err := r.BytesOf(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	encoding := base64.StdEncoding
	if realm.IsTrue(args.At(1)) {
		encoding = base64.RawURLEncoding
	}
	return r.NewString(encoding.EncodeToString(data)), nil
}

// hostFromBase64 decodes base64 of either alphabet. Like Node, it skips other characters and stops at the first
// padding.
func hostFromBase64(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	text, err := r.Text(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	text, _, _ = strings.Cut(text, "=")
	text = strings.Map(base64Letter, text)
	if len(text)%4 == 1 { // six bits do not make a byte
		text = text[:len(text)-1]
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return realm.Undefined, err
	}
	return r.Latin1(data), nil
}

// base64Letter returns the letter of the standard alphabet, -1 for other characters.
func base64Letter(r rune) rune {
	switch {
	case r == '-':
		return '+'
	case r == '_':
		return '/'
	case 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '+', r == '/':
		return r
	}
	return -1
}
