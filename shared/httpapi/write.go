package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
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
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		// A value that cannot be encoded is a programming error; the middleware recovers from the panic.
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
}

// NoContent writes 204 with an empty body.
func NoContent(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }
