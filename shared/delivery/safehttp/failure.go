package safehttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"syscall"

	"minicloud/shared/errs"
)

// failure returns the error for the caller. It drops errors of the transport: they contain resolved addresses,
// which would let a user map our network.
func (c *Client) failure(caller, limited context.Context, target *url.URL, err error) error {
	if caller.Err() != nil {
		return caller.Err()
	}
	// Errors of this package's checks already have a message for the caller.
	if r, ok := errors.AsType[*reasoned](err); ok {
		return r
	}
	if e, ok := errors.AsType[*errs.Error](err); ok {
		return e
	}

	host := target.Hostname()
	var wait interface{ Timeout() bool }
	switch {
	case limited.Err() != nil, errors.As(err, &wait) && wait.Timeout():
		return errs.Timeout("%s did not answer within %v", host, c.options.Timeout)
	case isNotFound(err):
		return because(ReasonNotFound, errs.Unavailable(0, "host %q was not found", host))
	case errors.Is(err, syscall.ECONNREFUSED):
		return because(ReasonRefused, errs.Unavailable(0, "%s refused the connection", host))
	case isCertificate(err):
		return errs.Unavailable(0, "%s has no valid certificate", host)
	}

	return errs.Unavailable(0, "%s did not give a complete HTTP answer", host)
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

func isCertificate(err error) bool {
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	return verification || authority
}
