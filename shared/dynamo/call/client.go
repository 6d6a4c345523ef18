// Package call makes the calls of the SDK's clients cheaper in processor time, of which Lambda gives a program with
// 512 MB less than a third of a processor. See infra/decisions/0164-processor-time-of-calls.md.
package call

import (
	"bytes"
	"io"
	"net/http"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go/middleware"
)

// maxCopy is the size of the largest body that Client copies, in bytes. With larger ones a second packet is little.
const maxCopy = 64 << 10

// Client is an HTTP client for the SDK's clients.
type Client struct{ http.Client }

// NewClient returns a client with the connection pool of the SDK's own client. timeout limits each attempt of a call; 0
// means no limit.
func NewClient(timeout time.Duration) *Client {
	transport := awshttp.NewBuildableClient().GetTransport()
	transport.DisableCompression = true // as the SDK's step that Trim removes: to decompress takes longer than to receive
	return &Client{http.Client{Transport: transport, Timeout: timeout}}
}

// Do sends a request. The SDK wraps bodies in types of its own, and net/http sends the headers of a body of unknown
// type in a packet of their own, because the body may take long. Do gives it a body of a known type.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.ContentLength > 0 && r.ContentLength <= maxCopy {
		body := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return c.Client.Do(r)
}

// unused lists the steps of a call that have no effect on our calls: identification for AWS's statistics, hooks that
// nobody sets, and options that are off.
var unused = struct{ build, finalize, deserialize []string }{
	build: []string{"ClientRequestID", "UserAgent"},
	finalize: []string{
		"DisableAcceptEncodingGzip", "DiscoverEndpoint", "disableHTTPS", "InterceptBeforeRetryLoop", "InterceptAttempt",
		"setLegacyContextSigningOptions",
	},
	deserialize: []string{"AddRawResponseToMetadata", "RequestResponseLogger"},
}

// Trim removes the steps of a call that have no effect. It is an APIOption of the SDK's clients; a client need not have
// every step.
func Trim(s *middleware.Stack) error {
	for _, id := range unused.build {
		_, _ = s.Build.Remove(id)
	}
	for _, id := range unused.finalize {
		_, _ = s.Finalize.Remove(id)
	}
	for _, id := range unused.deserialize {
		_, _ = s.Deserialize.Remove(id)
	}
	return nil
}
