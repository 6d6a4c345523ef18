package lambdahost

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// invokePath is the path prefix of the Invoke API in aws-sdk-go-v2.
const invokePath = "/2015-03-31/functions/"

// Serves reports whether the path belongs to the Invoke API.
func Serves(path string) bool { return strings.HasPrefix(path, invokePath) }

// Name returns the function name in a path of the Invoke API.
func Name(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, invokePath), "/")
	return functionName(name)
}

// ServeHTTP serves POST /2015-03-31/functions/{name}/invocations with the InvocationTypes RequestResponse and Event.
// {name} may be an ARN.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, operation, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, invokePath), "/")
	if operation != "invocations" || r.Method != http.MethodPost {
		refuse(w, &Error{
			Status: http.StatusNotFound, Type: "UnknownOperationException",
			Message: "the local cloud serves only Invoke of Lambda's API",
		})
		return
	}

	payload, err := io.ReadAll(io.LimitReader(r.Body, MaxPayload+1))
	if err != nil {
		refuse(w, invalidContent("The request body did not arrive: "+err.Error()))
		return
	}

	req := Request{
		Function: functionName(name), Tenant: r.Header.Get("X-Amz-Tenant-Id"), Payload: payload,
		Trace: r.Header.Get("X-Amzn-Trace-Id"),
	}
	// Without a payload Lambda invokes with {}.
	if len(payload) == 0 {
		req.Payload = []byte("{}")
	}

	if !json.Valid(req.Payload) {
		refuse(w, invalidContent("Could not parse request body into json"))
		return
	}

	h.dispatch(w, r, req)
}

func invalidContent(message string) *Error {
	return &Error{Status: http.StatusBadRequest, Type: "InvalidRequestContentException", Message: message}
}

func (h *Host) dispatch(w http.ResponseWriter, r *http.Request, req Request) {
	switch kind := r.Header.Get("X-Amz-Invocation-Type"); kind {
	case "Event":
		if err := h.InvokeLater(req); err != nil {
			refuse(w, err)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	case "", "RequestResponse":
		result, err := h.Invoke(r.Context(), req)
		if err != nil {
			refuse(w, err)
			return
		}

		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("X-Amz-Executed-Version", latest)
		// The status of a failed function is also 200; only this header shows the failure.
		if result.FunctionError != "" {
			header.Set("X-Amz-Function-Error", result.FunctionError)
		}

		_, _ = w.Write(result.Payload)
	default:
		refuse(w, &Error{
			Status: http.StatusBadRequest, Type: "InvalidParameterValueException",
			Message: "InvocationType " + kind + " is not RequestResponse or Event",
		})
	}
}

// functionName returns the name in "name", "name:$LATEST" or an ARN.
func functionName(given string) string {
	if _, tail, ok := strings.Cut(given, ":function:"); ok {
		given = tail
	}
	name, _, _ := strings.Cut(given, ":")
	return name
}

func refuse(w http.ResponseWriter, err error) {
	refusal, ok := errors.AsType[*Error](err)
	if !ok {
		refusal = &Error{Status: http.StatusInternalServerError, Type: "ServiceException", Message: err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Errortype", refusal.Type)
	w.WriteHeader(refusal.Status)
	_ = json.NewEncoder(w).Encode(struct {
		Type    string `json:"Type"`
		Message string `json:"message"`
		Reason  string `json:"Reason,omitempty"`
	}{"User", refusal.Message, refusal.Reason})
}
