package httpapi

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency"
	"minicloud/shared/idempotency/writetoken"
)

// replay calls the handler once per Idempotency-Key (D8).
func (d *dispatcher) replay(w http.ResponseWriter, r *http.Request, route Route) error {
	// Join repeated headers to one key, as the gateway does.
	key := strings.Join(r.Header.Values("Idempotency-Key"), ",")
	if key == "" || d.api.Replay == nil || route.Access == Public || route.Fresh || !repeatable(r.Method) {
		return route.Handle(w, r)
	}

	body, err := Body(r)
	if err != nil {
		return err
	}

	owner := ""
	switch caller := From(r.Context()); {
	case route.Access == Session: // the keys of each account are separate
		key = strconv.FormatInt(int64(caller.Session.Account), 10) + " " + key
	case caller.User != nil && caller.Administrator != nil: // who acts as the user has keys of their own
		owner = fmt.Sprintf("administrator %d as user %d", caller.Administrator.ID, caller.User.User)
	case caller.User != nil: // the keys of each end user are separate (C39)
		owner = "user " + strconv.FormatInt(caller.User.User, 10)
	// Callers without a session cannot be told apart, so one would get the response of another.
	case route.Access == Client && !caller.Trusted:
		return route.Handle(w, r)
	}
	claim, first, err := d.api.Replay.Begin(
		r.Context(), Scope(r.Context()), owner, key, []byte(r.Method), []byte(r.URL.RequestURI()), body,
	)
	if err != nil {
		return err
	}
	if first != nil {
		return again(w, *first)
	}

	return d.first(w, r, route, claim)
}

// repeatable reports whether a method uses a key; GET and DELETE are idempotent by themselves.
func repeatable(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

func again(w http.ResponseWriter, answer idempotency.Answer) error {
	for name, value := range answer.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Idempotency-Replayed", "true")
	w.WriteHeader(answer.Status)
	w.Write(answer.Body)
	return nil
}

// first serves the request and stores its response. It does not store a response with a retryable error: a repeated
// request tries again under the same claim.
func (d *dispatcher) first(w http.ResponseWriter, r *http.Request, route Route, claim idempotency.Claim) error {
	record := &recorder{header: http.Header{}}
	ctx := writetoken.NewContext(r.Context(), d.api.Replay.Request(claim))
	err := route.Handle(record, r.WithContext(ctx))
	if errs.Is(err, errs.KindConflict) {
		// The conflict may be with another try of the same request.
		if other := d.api.Replay.Await(r.Context(), claim); other != nil {
			return again(w, *other)
		}
	}

	if err != nil && !final(Status(err)) {
		return err
	}
	if err != nil {
		writeError(record, r, d.log, err)
	}

	if final(record.status) && !record.unsettled {
		other, err := d.keep(r, claim, record.answer())
		if err != nil {
			// A repetition may get another response, so this one must not be sent.
			return err
		}
		if other != nil {
			return again(w, *other)
		}
	}

	record.send(w)

	return nil
}

// keep stores a response and retries while the store is busy. It returns the response of another try that was stored
// first, and an error if none could be stored: a repeated request then finds the completed work and responds by itself.
func (d *dispatcher) keep(
	r *http.Request, claim idempotency.Claim, answer idempotency.Answer,
) (other *idempotency.Answer, err error) {
	ctx, cancel := afterwards(r)
	defer cancel()
	for range keepTries {
		other, err = d.api.Replay.Store.Answer(ctx, claim, answer)
		if !errs.Is(err, errs.KindUnavailable) {
			break
		}
	}
	return other, err
}

// keepTries is the maximum number of tries to store a response in a busy store. Each try also includes the retries of
// the store's client.
const keepTries = 3

// afterwards returns a context to settle a claim after its handler, however long the handler took and even if the
// caller has disconnected. It ends early enough to send the response.
func afterwards(r *http.Request) (context.Context, context.CancelFunc) {
	end := time.Now().Add(5 * time.Second)
	if over, limited := r.Context().Deadline(); limited && over.Add(Margin*3/4).Before(end) {
		end = over.Add(Margin * 3 / 4)
	}
	return context.WithDeadline(context.WithoutCancel(r.Context()), end)
}

// final reports whether a response with this status is the same when the request is repeated.
func final(status int) bool {
	return status < http.StatusInternalServerError && status != http.StatusTooManyRequests &&
		status != http.StatusConflict && status != statuses[errs.KindUnauthenticated]
}

// Unsettled reports an error in a part of the response, such as one row of many. If the error is retryable, the
// response is not stored: a repeated request with the same Idempotency-Key tries the failed parts again and finds the
// others done.
func Unsettled(w http.ResponseWriter, err error) {
	if record, keyed := w.(*recorder); keyed && err != nil && !final(Status(err)) {
		record.unsettled = true
	}
}

// NotKept prevents a response from being stored because it contains a secret. A repeated request runs again with the
// ids of the first try, so it creates its objects only once.
func NotKept(w http.ResponseWriter) {
	if record, keyed := w.(*recorder); keyed {
		record.unsettled = true
	}
}

// recorder buffers a response until it is known to be the first.
type recorder struct {
	header    http.Header
	status    int
	body      []byte
	unsettled bool
}

// Header returns the headers of the response.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader sets the status, once.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write appends to the body.
func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body = append(w.body, b...)
	return len(b), nil
}

// answer returns the part of the response that is stored.
func (w *recorder) answer() idempotency.Answer {
	answer := idempotency.Answer{Status: w.status, Header: map[string]string{}, Body: w.body}
	for _, name := range []string{"Content-Type", "ETag"} {
		if value := w.header.Get(name); value != "" {
			answer.Header[name] = value
		}
	}
	return answer
}

func (w *recorder) send(out http.ResponseWriter) {
	maps.Copy(out.Header(), w.header)
	out.WriteHeader(max(w.status, http.StatusOK))
	out.Write(w.body)
}
