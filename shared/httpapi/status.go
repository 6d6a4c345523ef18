package httpapi

import (
	"log/slog"
	"net/http"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/logging"
)

// statuses maps the kind of an error to its HTTP status (contract, Errors; D2).
var statuses = map[errs.Kind]int{
	errs.KindInvalid:         http.StatusBadRequest,
	errs.KindDuplicate:       http.StatusBadRequest,
	errs.KindUnauthenticated: http.StatusUnauthorized,
	errs.KindForbidden:       http.StatusForbidden,
	errs.KindNotFound:        http.StatusNotFound,
	errs.KindConflict:        http.StatusConflict,
	errs.KindStale:           http.StatusConflict,
	errs.KindTooLarge:        http.StatusRequestEntityTooLarge,
	errs.KindMediaType:       http.StatusUnsupportedMediaType,
	errs.KindMismatch:        http.StatusUnprocessableEntity,
	errs.KindDisabled:        http.StatusMethodNotAllowed,
	errs.KindTooMany:         http.StatusTooManyRequests,
	errs.KindInternal:        http.StatusInternalServerError,
	errs.KindUnavailable:     http.StatusServiceUnavailable,
	errs.KindTimeout:         http.StatusGatewayTimeout,
}

// Status returns the HTTP status of an error.
func Status(err error) int { return statuses[errs.KindOf(err)] }

// errorBody is the body of every error response outside the token endpoint (D1).
type errorBody struct {
	Status  string `json:"status"`
	Message string `json:"error_msg"`
}

// writeError responds with the status and the message of err. It logs errors of the platform; the caller of an internal
// error gets only the request id.
func writeError(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	status := Status(err)
	message := errs.Message(err)
	LogFailure(r, log, status, err)
	if status == http.StatusInternalServerError {
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

// LogFailure logs the error of a failed request unless the caller caused it: at level error for 500, which is a bug, at
// level warn for an unavailable or slow platform (503, 504). The metric filter TenantFailures of template.yaml counts
// the lines with a bucket.
func LogFailure(r *http.Request, log *slog.Logger, status int, err error) {
	if status < http.StatusInternalServerError {
		return
	}
	level := slog.LevelWarn
	if status == http.StatusInternalServerError {
		level = slog.LevelError
	}
	attributes := []any{"status", status, "error", err.Error()}
	if scope, known := tenant.FromContext(r.Context()); known {
		attributes = append(attributes, "bucket", logging.Bucket(int64(scope.App)))
	}
	log.Log(r.Context(), level, "request failed", attributes...)
}
