package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency"
)

// replay calls the handler, once per Idempotency-Key (D8).
func (d *dispatcher) replay(w http.ResponseWriter, r *http.Request, route Route) error {
	// One sent twice is one key, as the gateway joins them.
	key := strings.Join(r.Header.Values("Idempotency-Key"), ",")
	if key == "" || d.api.Replay == nil || route.Access == Public || route.Reads || !repeatable(r.Method) {
		return route.Handle(w, r)
	}
	body, err := Body(r)
	if err != nil {
		return err
	}
	claim, first, err := d.api.Replay.Begin(r.Context(), ScopeOf(r), key, []byte(r.Method), []byte(r.URL.RequestURI()), body)
	if err != nil {
		return err
	}
	if first != nil {
		return again(w, *first)
	}
	return d.first(w, r, route, claim)
}

// repeatable says which methods carry a key; GET and DELETE are idempotent by themselves.
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

// first serves the request and remembers its answer. An answer that says "not
// now" or "our fault" is not kept: the caller's retry should get another try.
func (d *dispatcher) first(w http.ResponseWriter, r *http.Request, route Route, claim idempotency.Claim) (err error) {
	record := &recorder{ResponseWriter: w}
	kept := false
	defer func() {
		if !kept {
			d.release(r, claim)
		}
	}()
	if err := route.Handle(record, r); err != nil {
		if !final(Status(err)) {
			return err
		}
		WriteError(record, r, d.log, err)
	}
	if !final(record.status) {
		return nil
	}
	answer := idempotency.Answer{Status: record.status, Header: map[string]string{}, Body: record.body}
	if kind := w.Header().Get("Content-Type"); kind != "" {
		answer.Header["Content-Type"] = kind
	}
	kept = true
	d.keep(r, claim, answer)
	return nil
}

// keep remembers an answer, again while the store is busy. Where that fails a
// repetition is refused until the lease ends, and happens again after it.
func (d *dispatcher) keep(r *http.Request, claim idempotency.Claim, answer idempotency.Answer) {
	ctx, cancel := afterwards(r)
	defer cancel()
	for range keepTries {
		err := d.api.Replay.Store.Answer(ctx, claim, answer)
		if err == nil {
			return
		}
		d.log.ErrorContext(ctx, "idempotent answer was not kept", "error", err.Error())
		if !errs.Is(err, errs.KindUnavailable) {
			return
		}
	}
}

// keepTries is how often an answer is offered to a store that is busy. Each is as
// patient as the store's client.
const keepTries = 3

// release frees the key of a request that came to nothing.
func (d *dispatcher) release(r *http.Request, claim idempotency.Claim) {
	ctx, cancel := afterwards(r)
	defer cancel()
	if cause := d.api.Replay.Store.Release(ctx, claim); cause != nil {
		d.log.WarnContext(ctx, "idempotency claim stays until its lease ends", "error", cause.Error())
	}
}

// afterwards is the time to settle a claim once its handler is done, however
// long that took and whether or not the caller still listens. It ends while
// there is time to answer.
func afterwards(r *http.Request) (context.Context, context.CancelFunc) {
	end := time.Now().Add(5 * time.Second)
	if over, limited := r.Context().Deadline(); limited && over.Add(Margin*3/4).Before(end) {
		end = over.Add(Margin * 3 / 4)
	}
	return context.WithDeadline(context.WithoutCancel(r.Context()), end)
}

// final says whether an answer of that status would be the same next time.
func final(status int) bool {
	return status < http.StatusInternalServerError && status != http.StatusTooManyRequests &&
		status != http.StatusConflict && status != statuses[errs.KindUnauthenticated]
}

// recorder keeps a copy of the answer on its way out.
type recorder struct {
	http.ResponseWriter
	status int
	body   []byte
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.body = append(w.body, b...)
	return w.ResponseWriter.Write(b)
}
