package httpapi

import (
	"cmp"
	"context"
)

// BaseURL returns the scheme and host that the caller used. On AWS the host is the domain name of the gateway, which
// serves no other: a caller cannot make it one of theirs.
func BaseURL(ctx context.Context) string {
	_, r := Exchange(ctx)
	// Only the gateways of the local cloud and of sam local send http. Sam local sets the host to "localhost" without
	// the port; the caller's Host header has both.
	if r.Header.Get("X-Forwarded-Proto") == "http" {
		return "http://" + cmp.Or(r.Header.Get("Host"), r.Host)
	}
	return "https://" + r.Host
}
