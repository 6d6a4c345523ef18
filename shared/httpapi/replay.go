package httpapi

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency"
	"minicloud/shared/idempotency/writetoken"
)

// replay calls the handler, once per Idempotency-Key (D8).
func (d *dispatcher) replay(w http.ResponseWriter, r *http.Request, route Route) error {
	// A repeated header is one key, as the gateway joins both.
	key := strings.Join(r.Header.Values("Idempotency-Key"), ",")
	if key == "" || d.api.Replay == nil || route.Access == Public || route.Fresh || !repeatable(r.Method) {
		return route.Handle(w, r)
	}

	body, err := Body(r)
	if err != nil {
		return err
	}

	if route.Access == Session { // keys are an account's own
		key = strconv.FormatInt(int64(From(r.Context()).Session.Account), 10) + " " + key
	}
	claim, first, err := d.api.Replay.Begin(
		r.Context(), Scope(r.Context()), key, []byte(r.Method), []byte(r.URL.RequestURI()), body,
	)
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
// now" or "our fault" is not kept: a repetition tries again, under the same claim.
func (d *dispatcher) first(w http.ResponseWriter, r *http.Request, route Route, claim idempotency.Claim) error {
	record := &recorder{header: http.Header{}}
	ctx := writetoken.NewContext(r.Context(), d.api.Replay.Request(claim))
	err := route.Handle(record, r.WithContext(ctx))
	if errs.Is(err, errs.KindConflict) {
		// Perhaps it was another try of this request that we met.
		if other := d.api.Replay.Await(r.Context(), claim); other != nil {
			return again(w, *other)
		}
	}

	if err != nil && !final(Status(err)) {
		return err
	}
	if err != nil {
		WriteError(record, r, d.log, err)
	}

	if final(record.status) && !record.unsettled {
		if other := d.keep(r, claim, record.answer()); other != nil {
			return again(w, *other)
		}
	}

	record.send(w)

	return nil
}

// keep remembers an answer, again while the store is busy. Where that fails a
// repetition finds what was done and answers for itself. It returns the answer of
// another try that was faster.
func (d *dispatcher) keep(r *http.Request, claim idempotency.Claim, answer idempotency.Answer) *idempotency.Answer {
	ctx, cancel := afterwards(r)
	defer cancel()
	for range keepTries {
		other, err := d.api.Replay.Store.Answer(ctx, claim, answer)
		if err == nil {
			return other
		}
		d.log.ErrorContext(ctx, "idempotent answer was not kept", "error", err.Error())
		if !errs.Is(err, errs.KindUnavailable) {
			break
		}
	}
	return nil
}

// keepTries is how often an answer is offered to a store that is busy. Each is as
// patient as the store's client.
const keepTries = 3

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

// Unsettled tells of an error of a part of the answer, a row of many. One that a repetition may not meet keeps the
// answer from being remembered: under the same Idempotency-Key what is missing is tried again, and what is done found.
func Unsettled(w http.ResponseWriter, err error) {
	if record, keyed := w.(*recorder); keyed && err != nil && !final(Status(err)) {
		record.unsettled = true
	}
}

// NotKept keeps an answer from being remembered, because there is a secret in it. A repetition does it again with the
// ids of the first try: what it makes is made once.
func NotKept(w http.ResponseWriter) {
	if record, keyed := w.(*recorder); keyed {
		record.unsettled = true
	}
}

// recorder holds an answer back until it is known to be the first.
type recorder struct {
	header    http.Header
	status    int
	body      []byte
	unsettled bool
}

// Header returns the headers of the answer.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader sets the status, once.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write adds to the body.
func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body = append(w.body, b...)
	return len(b), nil
}

// answer is what of it is remembered.
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
