// Package etag implements object versions in the headers ETag and If-Match.
package etag

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// Tag is the version of an object, as in the header ETag. Different contents have different tags.
type Tag string

// tagBytes is the number of digest bytes in a Tag.
const tagBytes = 12

// Of returns the tag of an object with the given values, which must have a JSON form.
func Of(values ...any) Tag {
	text, err := json.Marshal(values)
	if err != nil {
		panic("etag: a value has no JSON form: " + err.Error())
	}
	return OfContent(text)
}

// OfContent returns the tag of a file with this content.
func OfContent(content []byte) Tag {
	sum := sha256.Sum256(content)
	return Tag(`"` + hex.EncodeToString(sum[:tagBytes]) + `"`)
}

// Set sets the ETag of a response.
func Set(w http.ResponseWriter, tag Tag) { w.Header().Set("ETag", string(tag)) }

// Match is the set of versions that a write accepts, from its header If-Match. The zero value accepts any version.
type Match struct{ tags []Tag }

// IfMatch parses the header If-Match: a list of tags, or "*" for any. It returns errs.Invalid for anything else.
func IfMatch(r *http.Request) (Match, error) {
	text := strings.TrimSpace(strings.Join(r.Header.Values("If-Match"), ","))
	if text == "" || text == "*" {
		return Match{}, nil
	}
	var m Match
	for part := range strings.SplitSeq(text, ",") {
		// Proxies that compress a response make its tag weak.
		tag := strings.TrimPrefix(strings.TrimSpace(part), "W/")
		if len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' {
			return Match{}, errs.Invalid("If-Match must hold the ETag of an earlier answer, in its quotes, or *")
		}
		m.tags = append(m.tags, Tag(tag))
	}
	return m, nil
}

// Allows returns errs.Stale, which names the object, if the write does not accept its version.
func (m Match) Allows(object string, tag Tag) error {
	if m.tags == nil || slices.Contains(m.tags, tag) {
		return nil
	}
	return errs.Stale("%s was changed since you read it: read it again, then change it", object)
}
