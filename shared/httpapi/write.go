package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Float is a number that is written with a fraction also where it is whole
// (1795302412.0), so that readers with two kinds of numbers always see the same
// one (D18).
type Float float64

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(f), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
}

// Write answers with status and body as JSON. HTML characters stay as they
// are: the answer is JSON, not a page.
func Write(w http.ResponseWriter, status int, body any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		// A view that cannot be encoded is a programming error; recover answers it.
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
}

// NoContent answers 204 with an empty body.
func NoContent(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }
