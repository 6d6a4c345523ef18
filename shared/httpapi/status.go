package httpapi

import (
	"log/slog"
	"net/http"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/logging"
)

// statuses is the one table from kind to HTTP status (contract, Errors; D2).
var statuses = map[errs.Kind]int{
	errs.KindInvalid:         http.StatusBadRequest,
	errs.KindDuplicate:       http.StatusBadRequest,
	errs.KindUnauthenticated: http.StatusUnauthorized,
	errs.KindForbidden:       http.StatusForbidden,
	errs.KindNotFound:        http.StatusNotFound,
	errs.KindConflict:        http.StatusConflict,
	errs.KindTooLarge:        http.StatusRequestEntityTooLarge,
	errs.KindMediaType:       http.StatusUnsupportedMediaType,
	errs.KindMismatch:        http.StatusUnprocessableEntity,
	errs.KindTooMany:         http.StatusTooManyRequests,
	errs.KindInternal:        http.StatusInternalServerError,
	errs.KindUnavailable:     http.StatusServiceUnavailable,
	errs.KindTimeout:         http.StatusGatewayTimeout,
}

// Status returns the HTTP status of an error.
func Status(err error) int { return statuses[errs.KindOf(err)] }

// errorBody is every error answer outside the token endpoint (D1).
type errorBody struct {
	Status  string `json:"status"`
	Message string `json:"error_msg"`
}

// WriteError answers with the status and sentence of err. The cause of an
// internal error goes to the log, its caller gets only the request id.
func WriteError(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	status := Status(err)
	message := errs.Message(err)
	if status == http.StatusInternalServerError {
		log.ErrorContext(r.Context(), "request failed", "error", err.Error())
		message = "internal error, request id " + logging.RequestID(r.Context())
	}
	if after := errs.RetryAfter(err); after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(after))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	Write(w, status, errorBody{Status: "error", Message: message})
}
