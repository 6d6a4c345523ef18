package gateway

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// answer is a function's response in format 2.0.
type answer struct {
	StatusCode      *int           `json:"statusCode"`
	Headers         map[string]any `json:"headers"`
	Cookies         []string       `json:"cookies"`
	Body            *string        `json:"body"`
	IsBase64Encoded bool           `json:"isBase64Encoded"`
	decoded         []byte
}

// read decodes a function's result. Valid JSON without a statusCode is the body of a 200 response.
func read(payload []byte) (answer, error) {
	var a answer
	err := json.Unmarshal(payload, &a)
	if a.StatusCode != nil {
		if err != nil || *a.StatusCode < 100 || *a.StatusCode > 599 {
			return a, errors.New("malformed answer")
		}
		if a.Body == nil {
			return a, nil
		}
		if a.decoded = []byte(*a.Body); a.IsBase64Encoded {
			a.decoded, err = base64.StdEncoding.DecodeString(*a.Body)
		}
		return a, err
	}

	var plain any
	if err := json.Unmarshal(payload, &plain); err != nil {
		return a, err
	}

	ok := http.StatusOK
	a = answer{StatusCode: &ok, Headers: map[string]any{"content-type": "application/json"}, decoded: payload}
	// API Gateway sends a JSON string without its quotes.
	if text, isText := plain.(string); isText {
		a.decoded = []byte(text)
	}

	return a, nil
}

// respond writes the function's response, or a 500 if it is malformed.
func respond(w http.ResponseWriter, method string, payload []byte) {
	a, err := read(payload)
	if err != nil {
		message(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}

	header := w.Header()
	for name, value := range a.Headers {
		name = http.CanonicalHeaderKey(name)
		if hopByHop[name] || name == "Content-Length" {
			continue
		}
		header.Set(name, fmt.Sprint(value))
	}

	for _, cookie := range a.Cookies {
		header.Add("Set-Cookie", cookie)
	}

	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	if *a.StatusCode != http.StatusNoContent && *a.StatusCode != http.StatusNotModified && *a.StatusCode >= 200 {
		header.Set("Content-Length", strconv.Itoa(len(a.decoded)))
	}

	w.WriteHeader(max(*a.StatusCode, 200)) // a 1xx status cannot end a request
	if method != http.MethodHead && len(a.decoded) > 0 {
		_, _ = w.Write(a.decoded)
	}
}
