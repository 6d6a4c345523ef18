// Package distribution is the CloudFront of the local cloud: a distribution of the template, in front of its bucket.
//
// It sends on what its policies send on (no query, no cookies, conditions and ranges, what a preflight asks), signs with
// its own name, and removes and adds the headers of its response headers policy. It has no cache: each answer is a miss.
package distribution

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"minicloud/infra/local/template"
)

// Distribution serves the files of a bucket.
type Distribution struct {
	Of     *template.Distribution
	Bucket http.Handler // S3 by paths
}

// forwarded are the headers of a viewer that the bucket gets.
var forwarded = []string{
	"Range", "If-Range", "If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since",
	"Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers",
}

// ServeHTTP serves a file.
func (d *Distribution) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &answer{ResponseWriter: w, policy: d.Of.Headers, origin: r.Header.Get("Origin")}
	if !slices.Contains(d.Of.Methods, r.Method) {
		http.Error(out, "This distribution is not configured to allow the HTTP request method that was used.", http.StatusForbidden)
		return
	}

	key := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), d.Of.RootObject)
	ask := (&http.Request{
		Method: r.Method, URL: &url.URL{Path: "/" + d.Of.Bucket + "/" + key}, Header: http.Header{}, Body: http.NoBody,
		RemoteAddr: r.RemoteAddr,
	}).WithContext(r.Context())
	for _, name := range forwarded {
		if values := r.Header.Values(name); len(values) > 0 {
			ask.Header[name] = values
		}
	}
	// The bucket's policy grants by this name. A page's origin would be refused in a request with a signature.
	ask.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+d.Of.ID+"/local/s3/aws4_request")
	if r.Method != http.MethodOptions {
		ask.Header.Del("Origin")
	}
	d.Bucket.ServeHTTP(out, ask)
}

// answer applies the policy to an answer of the bucket.
type answer struct {
	http.ResponseWriter
	policy *template.HeadersPolicy
	origin string
	begun  bool
}

// WriteHeader writes the status and all headers.
func (a *answer) WriteHeader(status int) {
	if !a.begun {
		a.begun = true
		a.change(a.Header())
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write writes the body.
func (a *answer) Write(p []byte) (int, error) {
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(p)
}

func (a *answer) change(header http.Header) {
	header.Set("X-Cache", "Miss from cloudfront")
	if a.policy == nil {
		return
	}
	for _, name := range a.policy.Removed {
		header.Del(name)
		delete(header, strings.ToLower(name)) // S3 writes names of metadata like this
	}
	if a.policy.NoSniff {
		header.Set("X-Content-Type-Options", "nosniff")
	}

	cors := a.policy.CORS
	known := slices.Contains(cors.Origins, "*") || slices.Contains(cors.Origins, a.origin)
	if a.origin == "" || !known || header.Get("Access-Control-Allow-Origin") != "" && !cors.Override {
		return
	}
	header.Set("Access-Control-Allow-Origin", a.origin)
	if slices.Contains(cors.Origins, "*") {
		header.Set("Access-Control-Allow-Origin", "*")
	}
	header.Set("Access-Control-Expose-Headers", strings.Join(cors.Exposed, ","))
}
