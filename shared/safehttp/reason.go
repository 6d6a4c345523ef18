package safehttp

import "errors"

// Reason says more exactly than its kind why a request got no answer.
type Reason int

// The reasons; an error that has none of them has 0.
const (
	ReasonBlocked   Reason = iota + 1 // the address or the port is not to be called
	ReasonRedirects                   // there were too many
	ReasonNotFound                    // the name has no address
	ReasonRefused                     // nobody listens there
)

// reasoned is an error with its reason.
type reasoned struct {
	error
	reason Reason
}

// Unwrap gives the error that has a kind.
func (r *reasoned) Unwrap() error { return r.error }

// ReasonOf returns the reason of an error of Do or Check.
func ReasonOf(err error) Reason {
	if r, ok := errors.AsType[*reasoned](err); ok {
		return r.reason
	}
	return 0
}

// because gives an error its reason.
func because(reason Reason, err error) error { return &reasoned{error: err, reason: reason} }
