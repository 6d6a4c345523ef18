package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// Tag is the version of a thing, as the header ETag of an answer says it: of any other content it is another one.
type Tag string

// tagBytes is how much of a digest stands in a Tag.
const tagBytes = 12

// TagOf returns the tag of a thing that is told by the given values, which must have a JSON form.
func TagOf(values ...any) Tag {
	text, err := json.Marshal(values)
	if err != nil {
		panic("httpapi: a tag of what has no JSON form: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return Tag(`"` + hex.EncodeToString(sum[:tagBytes]) + `"`)
}

// SetTag says which version an answer shows.
func SetTag(w http.ResponseWriter, tag Tag) { w.Header().Set("ETag", string(tag)) }

// Match is the versions that a write may change, by its header If-Match; its zero value is any.
type Match struct{ tags []Tag }

// IfMatch reads the header If-Match: one tag or more, or "*" for any. errs.Invalid for what is neither.
func IfMatch(r *http.Request) (Match, error) {
	text := strings.TrimSpace(strings.Join(r.Header.Values("If-Match"), ","))
	if text == "" || text == "*" {
		return Match{}, nil
	}
	var m Match
	for part := range strings.SplitSeq(text, ",") {
		tag := strings.TrimPrefix(strings.TrimSpace(part), "W/") // proxies that compress an answer make its tag a weak one
		if len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' {
			return Match{}, errs.Invalid("If-Match must hold the ETag of an earlier answer, in its quotes, or *")
		}
		m.tags = append(m.tags, Tag(tag))
	}
	return m, nil
}

// Allows returns errs.Stale, which names the thing, unless its version is one that the write may change.
func (m Match) Allows(thing string, tag Tag) error {
	if m.tags == nil || slices.Contains(m.tags, tag) {
		return nil
	}
	return errs.Stale("%s was changed since you read it: read it again, then change it", thing)
}
