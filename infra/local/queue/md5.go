package queue

import (
	"crypto/md5" // the checksum of SQS's protocol, not a security measure
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// Checksum returns the MD5 of a body in lower-case hex.
func Checksum(body string) string {
	sum := md5.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}

// attributesChecksum returns the MD5 of message attributes in SQS's encoding: sorted by name, each with name, type,
// kind of value and value, all but the kind with their length.
func attributesChecksum(attributes map[string]Attribute) string {
	if len(attributes) == 0 {
		return ""
	}

	h := md5.New()
	put := func(text []byte) {
		_ = binary.Write(h, binary.BigEndian, uint32(len(text))) // writes to a hash never fail
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
