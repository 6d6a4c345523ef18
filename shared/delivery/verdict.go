package delivery

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"minicloud/shared/errs"
)

// Delays are the delays before each retry. They add up to more than three days, so a receiver can be down for that long
// (D37).
var Delays = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// maxRetryAfter caps the Retry-After of a receiver at the longest of Delays.
const maxRetryAfter = 24 * time.Hour

// Failure is the reason why a message was not delivered.
type Failure struct {
	Type    string        // status, timeout, unreachable, TypeTarget or TypeGone
	Message string        // shown to the owner of the application
	After   time.Duration // minimum delay of the next attempt; 0 = Delays only
	Final   bool          // retrying cannot succeed
}

// Types of failures.
const (
	TypeTarget = "target" // forbidden URL
	TypeGone   = "gone"   // status 410: the receiver asks to stop
)

func (f *Failure) Error() string { return f.Message }

// Judge returns nil if the receiver accepted the message and a *Failure if it did not. Any other error is a failure of
// the platform, not of the receiver.
func Judge(r Request, a Answer, err error) error {
	host := r.URL
	if u, err := url.Parse(r.URL); err == nil {
		host = u.Hostname()
	}
	// There is no response. Only a forbidden URL is final; a receiver that is down may recover.
	switch errs.KindOf(err) {
	case errs.KindInvalid:
		return &Failure{Type: TypeTarget, Message: errs.Message(err), Final: true}
	case errs.KindTimeout:
		return &Failure{Type: "timeout", Message: errs.Message(err)}
	case errs.KindUnavailable:
		return &Failure{Type: "unreachable", Message: errs.Message(err)}
	}
	switch {
	case err != nil, a.Status >= 200 && a.Status <= 299:
		return err
	case a.Status == 410:
		return &Failure{Type: TypeGone, Message: host + " answered 410: it wants no more of this", Final: true}
	}

	message := fmt.Sprintf("%s answered %d", host, a.Status)
	if a.Status >= 300 && a.Status <= 399 {
		message += ", and redirects are not followed"
	}
	return &Failure{Type: "status", Message: message, After: min(a.RetryAfter, maxRetryAfter)}
}

// AsFailure returns the *Failure in an error of Judge, nil if there is none.
func AsFailure(err error) *Failure {
	failure, _ := errors.AsType[*Failure](err)
	return failure
}
