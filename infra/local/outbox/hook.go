package outbox

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"minicloud/shared/clock"
)

// maxCall is the maximum size of a request body in bytes; larger requests are refused.
const maxCall = 1 << 20

// Call is a received webhook request.
type Call struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Base64  []byte            `json:"base64,omitempty"` // set instead of Body if the body is not UTF-8
}

// Hook is a webhook receiver: it accepts requests on any path and stores them in the box.
type Hook struct {
	Box   *Box
	Clock clock.Clock
}

// ServeHTTP stores a request and responds 204.
func (h *Hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	if err != nil {
		http.Error(w, "a call has at most 1 MiB", http.StatusRequestEntityTooLarge)
		return
	}
	call := Call{Method: r.Method, Path: r.URL.RequestURI(), Headers: map[string]string{}}
	// JSON would replace bytes that are not UTF-8.
	if call.Body = string(body); !utf8.Valid(body) {
		call.Body, call.Base64 = "", body
	}
	for name, values := range r.Header {
		call.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}

	sent, err := json.Marshal(call)
	if err == nil {
		err = h.Box.Add(Message{At: h.Clock().UTC(), Kind: "webhook", Sent: sent})
	}
	if err != nil {
		http.Error(w, "it cannot be kept", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
