package client

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Notification is what a payment vendor posts: the fields as XML, signed with the merchant's key.
func Notification(key string, fields map[string]string) []byte {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&text, "%s=%s&", name, fields[name])
	}
	signed := maps.Clone(fields)
	signed["sign"] = fmt.Sprintf("%X", md5.Sum([]byte(text.String()+"key="+key)))

	body := bytes.NewBufferString("<xml>")
	for _, name := range slices.Sorted(maps.Keys(signed)) {
		fmt.Fprintf(body, "<%s>", name)
		_ = xml.EscapeText(body, []byte(signed[name])) // a buffer takes all
		fmt.Fprintf(body, "</%s>", name)
	}
	return append(body.Bytes(), "</xml>"...)
}

// Claims are those of a webhook's token, when it is signed with the key.
func Claims(token, key string) ([]byte, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, fmt.Errorf("the token has %d parts", len(parts))
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(parts[0] + "." + parts[1]))
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !hmac.Equal(signature, mac.Sum(nil)) {
		return nil, cmp.Or(err, errors.New("the signature is wrong"))
	}
	return base64.RawURLEncoding.DecodeString(parts[1])
}
