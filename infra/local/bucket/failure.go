package bucket

import (
	"encoding/xml"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"minicloud/infra/local/bucket/objects"
)

func failure(status int, code, message string) *objects.Failure {
	return &objects.Failure{Status: status, Code: code, Message: message}
}

func invalid(code, message string) *objects.Failure { return objects.Invalid(code, message) }

func denied(message string) *objects.Failure {
	return failure(http.StatusForbidden, "AccessDenied", message)
}

func notServed(what string) *objects.Failure {
	return failure(http.StatusNotImplemented, "NotImplemented", "the local cloud does not serve "+what)
}

// failureOf returns an error as S3 says it.
func failureOf(err error) *objects.Failure {
	if f, ok := errors.AsType[*objects.Failure](err); ok {
		return f
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failure(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return invalid("RequestTimeout", "Your socket connection to the server was not read from or written to within the timeout period.")
	}
	return failure(http.StatusInternalServerError, "InternalError", err.Error())
}

// fail writes an error as XML, without a body to a HEAD.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	f := failureOf(err)
	for name := range w.Header() { // what was set for the object
		if name != requestID && name != "Vary" && !strings.HasPrefix(name, "Access-Control-") {
			delete(w.Header(), name)
		}
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(f.Status)
	if r.Method == http.MethodHead {
		return
	}
	_ = writeXML(w, struct {
		XMLName           xml.Name `xml:"Error"`
		Code, Message     string
		Resource          string
		RequestId, HostId string
	}{Code: f.Code, Message: f.Message, Resource: r.URL.Path, RequestId: w.Header().Get(requestID), HostId: "local"})
}

// answer writes a result as XML.
func answer(w http.ResponseWriter, result any) error {
	w.Header().Set("Content-Type", "application/xml")
	return writeXML(w, result)
}

func writeXML(w http.ResponseWriter, result any) error {
	if _, err := w.Write([]byte(xml.Header)); err != nil {
		return err
	}
	return xml.NewEncoder(w).Encode(result)
}

// requestID is the header that names a request.
const requestID = "X-Amz-Request-Id"
