package fault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"time"

	"minicloud/infra/lab/promise"
)

// request is one request to the API.
type request struct {
	method, path string
	key          string // Idempotency-Key, "" = none
	body         any
}

// reply is what came of it.
type reply struct {
	status int
	body   []byte
	err    error // there was no answer, or only a part
}

// known is what the reply tells.
func (r reply) known() promise.Need {
	switch {
	case r.err != nil || r.status >= 500:
		return unknown
	case r.status >= 400:
		return refused
	}
	return acknowledged
}

// effect is that of a request with one effect.
func (r reply) effect(mark string) effect {
	e := effect{mark: mark, known: r.known()}
	if e.known == refused {
		e.said = r.failure().Error()
	}
	return e
}

// failure is an error for every reply but 2xx.
func (r reply) failure() error {
	if r.err == nil && r.status/100 != 2 {
		return fmt.Errorf("status %d: %.300s", r.status, r.body)
	}
	return r.err
}

// decode reads the answer; one that is not what it must be is a failure.
func (r reply) decode(into any) error {
	if err := r.failure(); err != nil {
		return err
	}
	return json.Unmarshal(r.body, into)
}

// send sends a request once. While nobody listens it is not sent.
func (a *Application) send(ctx context.Context, r request) reply {
	for begun := time.Now(); ; time.Sleep(repeatAfter) {
		answer := a.try(ctx, r)
		if !errors.Is(answer.err, syscall.ECONNREFUSED) || time.Since(begun) > repeatFor {
			return answer
		}
	}
}

func (a *Application) try(ctx context.Context, r request) reply {
	var content []byte
	if r.body != nil {
		var err error
		if content, err = json.Marshal(r.body); err != nil {
			return reply{err: err}
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, a.base+r.path, bytes.NewReader(content))
	if err != nil {
		return reply{err: err}
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		req.Header.Set("Authorization", cmp.Or(a.scheme, "Bearer")+" "+a.token)
		req.Header.Set("X-Service-Client-ID", string(a.credentials.ClientID))
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}

	return a.do(req)
}

func (a *Application) do(req *http.Request) reply {
	resp, err := a.http.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{status: resp.StatusCode, body: text, err: err}
}

// call sends a request that has to succeed.
func (a *Application) call(ctx context.Context, method, path string, body, answer any) error {
	r := a.send(ctx, request{method: method, path: path, body: body})
	if err := r.decode(answer); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// How long a keyed request is repeated at most, and how long between two tries.
const (
	repeatFor   = 60 * time.Second
	repeatAfter = 100 * time.Millisecond
)

// repeat sends a request with its key until it is answered, and one in three once
// more, which must be answered the same.
func (a *Application) repeat(random *rand.Rand, r request) (reply, effect) {
	ctx, begun := context.Background(), time.Now()
	answer := a.send(ctx, r)
	for again(answer) && time.Since(begun) < repeatFor {
		time.Sleep(repeatAfter)
		answer = a.send(ctx, r)
	}
	e := answer.effect(r.key)
	e.took = time.Since(begun)
	if e.known == refused {
		e.wrong = "the repetition was refused: " + e.said
	}
	if e.known != acknowledged || random.IntN(3) > 0 {
		return answer, e
	}

	second := a.send(ctx, r)
	if !again(second) && (second.status != answer.status || !bytes.Equal(second.body, answer.body)) {
		e.wrong = fmt.Sprintf("answered %.200s and then %d %.200s", answer.body, second.status, second.body)
	}
	return answer, e
}

// again reports whether an answer asks its caller to try again, as a whole or for a row of many.
func again(r reply) bool {
	if r.known() == unknown || passing(r.status) {
		return true
	}

	var rows made
	if json.Unmarshal(r.body, &rows) != nil {
		return false
	}
	return slices.ContainsFunc(rows.Results, func(row madeRow) bool {
		return row.Error != nil &&
			passing(row.Error.Code)
	})
}

// passing reports whether a repetition may not meet the same status.
func passing(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusConflict ||
		status >= http.StatusInternalServerError
}

// list calls each for every object of a list, following its cursors, and returns
// the total that the first page says. A request that fails is made again: what is
// judged is what the platform remembers, not whether it has recovered yet.
func (a *Application) list(ctx context.Context, path string, each func(json.RawMessage) error) (total int, err error) {
	total = -1
	for next := path; next != ""; {
		var answer struct {
			Meta struct {
				Next  *string `json:"next"`
				Total *int    `json:"total_count"`
			} `json:"meta"`
			Objects []json.RawMessage `json:"objects"`
		}
		for try := 0; ; try++ {
			if err = a.call(ctx, "GET", next, nil, &answer); err == nil || try == 20 {
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
