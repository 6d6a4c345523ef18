// Package client calls the HTTP API of a platform whose processes may be killed at any moment, and tells what is known
// after each request:
//
//	Acknowledged   answered 2xx: it happened, once
//	Refused        answered 4xx: it did not happen
//	Unknown        cut off, or answered 5xx: it may have happened, once at most
//
// A request with an Idempotency-Key is repeated until it is answered (D8: the key makes a repetition safe).
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/tenant"
)

// The states of a request after its last answer.
const (
	Unknown      = promise.May
	Acknowledged = promise.Must
	Refused      = promise.Never
)

// Request is one request to the API.
type Request struct {
	Method, Path string
	Key          string // Idempotency-Key, "" = none
	Body         any    // JSON, or []byte as it is; nil = none
	Type         string // content type of bytes, "" = none
}

// Reply is the answer to a request.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	Err    error // no answer came, or only a part
}

// Effect is a request that has one effect, as its client knows it. The effect carries the mark.
type Effect struct {
	Mark  string
	Known promise.Need
	Said  string // the refusal

	// Of a request that was repeated with its key: the time until it was answered, and a fault of the answers, "" = none.
	Took  time.Duration
	Wrong string
}

// Known is the state of the request.
func (r Reply) Known() promise.Need {
	switch {
	case r.Err != nil || r.Status >= 500:
		return Unknown
	case r.Status >= 400:
		return Refused
	}
	return Acknowledged
}

// Effect is that of a request with one effect.
func (r Reply) Effect(mark string) Effect {
	e := Effect{Mark: mark, Known: r.Known()}
	if e.Known == Refused {
		e.Said = r.Failure().Error()
	}
	return e
}

// Failure is an error for every reply but 2xx.
func (r Reply) Failure() error {
	if r.Err == nil && r.Status/100 != 2 {
		return fmt.Errorf("status %d: %.300s", r.Status, r.Body)
	}
	return r.Err
}

// Decode reads the answer into a value. A reply that is not 2xx is an error.
func (r Reply) Decode(into any) error {
	if err := r.Failure(); err != nil {
		return err
	}
	return json.Unmarshal(r.Body, into)
}

// Send sends a request once. A refused connection, while the platform restarts, is no attempt.
func (a *Application) Send(ctx context.Context, r Request) Reply {
	for begun := time.Now(); ; time.Sleep(RepeatAfter) {
		answer := a.try(ctx, r)
		if !errors.Is(answer.Err, syscall.ECONNREFUSED) || time.Since(begun) > a.repeatFor() {
			return answer
		}
	}
}

func (a *Application) try(ctx context.Context, r Request) Reply {
	content, raw := r.Body.([]byte)
	if r.Body != nil && !raw {
		var err error
		if content, err = json.Marshal(r.Body); err != nil {
			return Reply{Err: err}
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, a.base+r.Path, bytes.NewReader(content))
	if err != nil {
		return Reply{Err: err}
	}
	if r.Body != nil && !raw {
		req.Header.Set("Content-Type", "application/json")
	} else if r.Type != "" {
		req.Header.Set("Content-Type", r.Type)
	}
	if a.Token != "" && !raw { // raw bodies come from strangers: payment vendors, callers of hooks
		req.Header.Set("Authorization", cmp.Or(a.scheme, "Bearer")+" "+a.Token)
		req.Header.Set("X-Service-Client-ID", string(a.Credentials.ClientID))
	}
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	if a.Scope.Env != tenant.Production {
		req.Header.Set("X-Service-Env-ID", string(a.Scope.Env))
	}

	maps.Copy(req.Header, a.Header)

	a.slots <- struct{}{}
	defer func() { <-a.slots }()
	resp, err := a.http.Do(req)
	if err != nil {
		return Reply{Err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return Reply{Status: resp.StatusCode, Header: resp.Header, Body: text, Err: err}
}

// Call sends a request that must succeed.
func (a *Application) Call(ctx context.Context, method, path string, body, answer any) error {
	r := a.Send(ctx, Request{Method: method, Path: path, Body: body})
	if err := r.Decode(answer); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// RepeatAfter is the pause between two attempts.
const RepeatAfter = 100 * time.Millisecond

// RepeatFor is how long a request is repeated at most.
func RepeatFor() time.Duration { return Patient(time.Minute) }

// Until repeats a request that has one effect however often it is sent, until it is acknowledged.
func Until(once func() Reply) promise.Need {
	for begun := time.Now(); ; time.Sleep(RepeatAfter) {
		if r := once(); r.Known() == Acknowledged || time.Since(begun) > RepeatFor() {
			return r.Known()
		}
	}
}

// Repeat sends a request with its key until it is answered. One in three is sent once more, and must be answered the
// same. A request without a key is sent once.
func (a *Application) Repeat(random *rand.Rand, r Request) (Reply, Effect) {
	ctx, begun := context.Background(), time.Now()
	answer := a.Send(ctx, r)
	if r.Key == "" {
		return answer, answer.Effect("")
	}
	for again(answer) && time.Since(begun) < a.repeatFor() {
		time.Sleep(RepeatAfter)
		answer = a.Send(ctx, r)
	}
	e := answer.Effect(r.Key)
	e.Took = time.Since(begun)
	if e.Known == Refused {
		e.Wrong = "the repetition was refused: " + e.Said
	}
	if e.Known != Acknowledged || random.IntN(3) > 0 {
		return answer, e
	}

	second := a.Send(ctx, r)
	if !again(second) && (second.Status != answer.Status || !bytes.Equal(second.Body, answer.Body)) {
		e.Wrong = fmt.Sprintf("answered %.200s and then %d %.200s", answer.Body, second.Status, second.Body)
	}
	return answer, e
}

// again reports whether an answer asks its caller to try again, as a whole or for a row of a bulk request.
func again(r Reply) bool {
	if r.Known() == Unknown || retryable(r.Status) {
		return true
	}

	var rows Bulk
	if json.Unmarshal(r.Body, &rows) != nil {
		return false
	}
	return slices.ContainsFunc(rows.Results, func(row BulkRow) bool {
		return row.Error != nil && retryable(row.Error.Code)
	})
}

// retryable reports whether a repetition may get another status.
func retryable(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusConflict ||
		status >= http.StatusInternalServerError
}

// Bulk is the answer to a request that creates or changes several rows.
type Bulk struct {
	Results []BulkRow `json:"operation_result"`
}

// BulkRow is the result of one row.
type BulkRow struct {
	Success *struct {
		ID any `json:"id"`
	} `json:"success"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// Known is the state of row i.
func (b Bulk) Known(i int) promise.Need {
	switch result := b.Results[i]; {
	case result.Success != nil:
		return Acknowledged
	case result.Error != nil && result.Error.Code < 500:
		return Refused
	}
	return Unknown
}

// Told are the rows that a bulk request changed, as its answer says. Of a row that it does not name nobody knows.
func Told(r Reply) map[string]promise.Need {
	told := map[string]promise.Need{}
	var got Bulk
	if r.Decode(&got) == nil {
		for _, result := range got.Results {
			if result.Success != nil {
				told[fmt.Sprint(result.Success.ID)] = Acknowledged
			}
		}
	}
	return told
}

// List calls each for every object of a list, follows its cursors, and returns the total of the first page, -1 where it
// has none. A request that fails is repeated: the list is judged, not whether the platform has recovered yet.
func List[T any](ctx context.Context, a *Application, path string, each func(T) error) (total int, err error) {
	total = -1
	for next := path; next != ""; {
		var answer struct {
			Meta struct {
				Next  *string `json:"next"`
				Total *int    `json:"total_count"`
			} `json:"meta"`
			Objects []T `json:"objects"`
		}
		for try := 0; ; try++ {
			if err = a.Call(ctx, "GET", next, nil, &answer); err == nil || try == 20 {
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
		if err != nil {
			return 0, err
		}

		for _, object := range answer.Objects {
			if err := each(object); err != nil {
				return 0, err
			}
		}
		if total < 0 && answer.Meta.Total != nil {
			total = *answer.Meta.Total
		}

		next = ""
		if answer.Meta.Next != nil {
			page, err := url.Parse(*answer.Meta.Next)
			if err != nil {
				return 0, err
			}
			next = page.RequestURI()
		}
	}
	return total, nil
}
