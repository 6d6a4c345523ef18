package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// ReadBody reads a body of at most one byte more than most, into memory of its size: io.ReadAll would copy it several
// times while it grows.
func ReadBody(r *http.Request, most int64) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0), most)) + bytes.MinRead)
	_, err := body.ReadFrom(io.LimitReader(r.Body, most+1))
	return body.Bytes(), err
}

// JSON answers with the JSON of a value.
func JSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}

// Refuse answers with an error of AWS. The SDK reads its type from the header or from the body.
func Refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.Header().Set("X-Amzn-Errortype", kind)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": kind, "message": message})
}

// Operation returns the operation of a request in AWS's JSON protocol: "Encrypt" for "TrentService.Encrypt".
func Operation(r *http.Request) string {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return operation
}
