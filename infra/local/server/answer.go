package server

import (
	"encoding/json"
	"net/http"
	"strings"
)

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
