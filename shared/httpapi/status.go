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
	errs.KindStale:           http.StatusConflict,
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

// WriteError answers with the status and sentence of err. What went wrong on our
// side goes to the log; the caller of an internal error gets only the request id.
func WriteError(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
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

// LogFailure logs why a request is answered with status where that is not its
// caller's doing: an error for 500, which is our mistake, a warning for what is
// busy, down or late (503, 504).
func LogFailure(r *http.Request, log *slog.Logger, status int, err error) {
	if status < http.StatusInternalServerError {
		return
	}
	level := slog.LevelWarn
	if status == http.StatusInternalServerError {
		level = slog.LevelError
	}
	log.Log(r.Context(), level, "request failed", "status", status, "error", err.Error())
}
