package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"minicloud/shared/page"
)

// Float is a number that is always encoded with a fraction (1795302412.0), so that clients with separate integer and
// floating-point types always get the same type (D18).
type Float float64

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(f), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
}

// Write writes a response with status and body as JSON. It does not escape HTML characters: the response is not a page.
func Write(w http.ResponseWriter, status int, body any) {
	var text []byte
	list, written := body.(interface {
		appendJSON(b []byte, body any) ([]byte, bool)
	})
	if written {
		text, written = list.appendJSON(nil, body)
	}
	if !written {
		text = page.AppendJSON(nil, body)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}

// NoContent writes 204 with an empty body.
func NoContent(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }
