package api

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/tenant"
)

// JobCallback is the delivery of the callback of a job.
type JobCallback struct {
	URL         string          `json:"url"`
	Status      callback.Status `json:"status" enum:"pending,delivered,failed"`
	Attempts    int             `json:"attempts" minimum:"0"`
	StatusCode  *int            `json:"status_code"` // The HTTP status of the last response.
	Error       *string         `json:"error"`
	NextAttempt *int64          `json:"next_attempt_at"` // Unix seconds.
}

// showCallback adds the state of its callback to a job, if the job has one.
func (g *Group) showCallback(ctx context.Context, scope tenant.Scope, r job.Record, to *Job) error {
	if r.Callback == "" {
		return nil
	}
	v := &JobCallback{URL: r.Callback, Status: callback.Pending}
	if !r.Status.Terminal() {
		to.Callback = v
		return nil
	}
	c, err := g.Callbacks.Callback(ctx, scope, r.Function, r.ID)
	if errs.Is(err, errs.KindNotFound) { // a callback expires before its job
		return nil
	}
	if err != nil {
		return err
	}
	to.Callback = v
	v.Status, v.Attempts = c.Status, c.Attempts
	v.StatusCode, v.Error = httpapi.OrNull(c.StatusCode), httpapi.OrNull(c.Error)
	if next := c.Next.Unix(); c.Status == callback.Pending && c.Attempts > 0 {
		v.NextAttempt = &next
	}
	return nil
}

type callbackKey struct {
	Key    string          `json:"key"`
	MadeAt httpapi.Seconds `json:"made_at"`
}

// makeCallbackKey serves POST /oserve/v1.3/callback-key/: it creates a key and returns it, this one time. The old key
// also signs for another day.
func (g *Group) makeCallbackKey(ctx context.Context, _ httpapi.None) (callbackKey, error) {
	key, at, err := g.CallbackKeys.Make(ctx, httpapi.Scope(ctx))
	return callbackKey{key, httpapi.Seconds(at.Unix())}, err
}
