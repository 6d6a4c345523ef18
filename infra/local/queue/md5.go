package queue

import (
	"crypto/md5" // the checksum of SQS's protocol, not a security measure
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// Checksum is the MD5 of a body, lower-case hex.
func Checksum(body string) string {
	sum := md5.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}

// attributesChecksum is the MD5 of message attributes in SQS's encoding: names
// in order; of each the name, type, kind of value and value, with lengths.
func attributesChecksum(attributes map[string]Attribute) string {
	if len(attributes) == 0 {
		return ""
	}

	h := md5.New()
	put := func(text []byte) {
		_ = binary.Write(h, binary.BigEndian, uint32(len(text))) // a hash takes everything
		h.Write(text)
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		put([]byte(name))
		put([]byte(a.DataType))
		if strings.HasPrefix(a.DataType, "Binary") {
			h.Write([]byte{2})
			put(a.BinaryValue)
		} else {
			h.Write([]byte{1})
			put([]byte(a.StringValue))
		}
	}

	return hex.EncodeToString(h.Sum(nil))
}
