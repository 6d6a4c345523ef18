package game

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Text is an attribute as text, unpacked when it is packed; "" where there is none.
func Text(it map[string]any, name string) string {
	v := Value(it[name])
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// Value is an attribute value as plain JSON; binaries are unpacked.
func Value(av any) any {
	for kind, v := range Map(av) {
		switch kind {
		case "M":
			members := map[string]any{}
			for name, member := range Map(v) {
				members[name] = Value(member)
			}
			return members
		case "L":
			list, _ := v.([]any)
			out := make([]any, len(list))
			for i, element := range list {
				out[i] = Value(element)
			}
			return out
		case "B":
			return unpacked(fmt.Sprint(v))
		default:
			return v
		}
	}
	return nil
}

// Map is a value as a map, nil if it is none.
func Map(v any) map[string]any {
	members, _ := v.(map[string]any)
	return members
}

func unpacked(encoded string) string {
	packed, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return encoded
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return string(packed)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		return string(packed)
	}
	return string(plain)
}

// Number is an attribute as a number, 0 where there is none.
func Number(it map[string]any, name string) int64 {
	n, _ := strconv.ParseInt(Text(it, name), 10, 64)
	return n
}

// IsRecord reports whether an item of JobsTable is the record of an ended job.
func IsRecord(it map[string]any) bool {
	return Text(it, "finished") != "" && !strings.Contains(Text(it, "pk"), "#slots")
}
