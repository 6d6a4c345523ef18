package safehttp

import "errors"

// Reason says why a request got no response; it is more specific than the kind of the error.
type Reason int

// The reasons; 0 means that the error has none.
const (
	ReasonBlocked   Reason = iota + 1 // the address or the port is forbidden
	ReasonRedirects                   // there were too many redirects
	ReasonNotFound                    // the name has no address
	ReasonRefused                     // the connection was refused
)

// reasoned is an error with its reason.
type reasoned struct {
	error
	reason Reason
}

// Unwrap returns the error that has a kind.
func (r *reasoned) Unwrap() error { return r.error }

// ReasonOf returns the reason of an error of Do or Check, 0 if it has none.
func ReasonOf(err error) Reason {
	if r, ok := errors.AsType[*reasoned](err); ok {
		return r.reason
	}
	return 0
}

// because adds a reason to an error.
func because(reason Reason, err error) error { return &reasoned{error: err, reason: reason} }
