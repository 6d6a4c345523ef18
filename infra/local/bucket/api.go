// Package bucket is the S3 of the local cloud: the operations of S3 that programs, tools and browsers ask for, on the
// buckets of the template. Package objects keeps them.
package bucket

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"minicloud/infra/local/bucket/objects"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
)

// API serves S3 by paths (/bucket/key), which is what the SDK asks for where the endpoint is an IP address.
//
// A signature in a header tells the access key and is not verified, as with the other services: programs send it.
// Browsers send signatures in the query or in a form; these are verified.
type API struct {
	Store  *objects.Store
	Count  func(operation string) // called for every request; not nil
	CORS   map[string][]template.CORSRule
	Unkind *unkind.Switches // answers some requests with SlowDown; nil none
	// Allow returns an error if the signer may not perform an IAM action on a resource; nil allows all. authorization has
	// the credential of the signature.
	Allow func(authorization, action, resource string) error
}

// Serves reports whether a request is signed for S3, or names a bucket.
func (a *API) Serves(r *http.Request) bool {
	bucket, _ := split(r)
	return strings.Contains(r.Header.Get("Authorization"), "/s3/aws4_request") || presigned(r) || a.Store.Has(bucket)
}

func split(r *http.Request) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return bucket, key
}

// operation is an operation of S3.
type operation struct {
	name    string // as it is counted
	method  string
	object  bool     // of an object, not of a bucket
	by      string   // the parameter of the query that chooses it; "" for none
	copies  bool     // chosen by the header of a copy
	queries []string // further parameters that it knows
	headers []string // x-amz-… that it knows beside common ones; "…*" is a prefix
	action  string   // of IAM; "" where the operation asks itself
	serve   func(*API, *call) error
}

// operations are all that are served. The first whose method, kind and parameter fit is taken.
var operations = []operation{
	{
		name: "ListObjectsV2", method: http.MethodGet, by: "list-type", action: "s3:ListBucket", serve: (*API).list,
		queries: []string{"prefix", "max-keys", "continuation-token", "start-after", "delimiter", "encoding-type", "fetch-owner"},
	},
	{
		name: "DeleteObjects", method: http.MethodPost, by: "delete", headers: []string{"checksum-*", "sdk-checksum-algorithm"},
		serve: (*API).deleteAll,
	},
	{
		name: "CreateMultipartUpload", method: http.MethodPost, object: true, by: "uploads", action: "s3:PutObject",
		headers: []string{"meta-*", "checksum-algorithm", "checksum-type"}, serve: (*API).create,
	},
	{
		name: "UploadPart", method: http.MethodPut, object: true, by: "uploadId", queries: []string{"partNumber"}, headers: written,
		action: "s3:PutObject", serve: (*API).part,
	},
	{
		name: "CompleteMultipartUpload", method: http.MethodPost, object: true, by: "uploadId", headers: []string{"checksum-type"},
		action: "s3:PutObject", serve: (*API).complete,
	},
	{
		name: "ListParts", method: http.MethodGet, object: true, by: "uploadId", queries: []string{"max-parts", "part-number-marker"},
		action: "s3:ListMultipartUploadParts", serve: (*API).parts,
	},
	{
		name: "AbortMultipartUpload", method: http.MethodDelete, object: true, by: "uploadId", action: "s3:AbortMultipartUpload",
		serve: (*API).abort,
	},
	{
		name: "CopyObject", method: http.MethodPut, object: true, copies: true, action: "s3:PutObject", serve: (*API).copy,
		headers: []string{"meta-*", "copy-source", "metadata-directive"},
	},
	{name: "HeadBucket", method: http.MethodHead, action: "s3:ListBucket", serve: (*API).headBucket},
	{
		name: "PutObject", method: http.MethodPut, object: true, headers: written, action: "s3:PutObject", serve: (*API).put,
	},
	{
		name: "GetObject", method: http.MethodGet, object: true, queries: overrides, headers: []string{"checksum-mode"},
		action: "s3:GetObject", serve: (*API).get,
	},
	{
		name: "HeadObject", method: http.MethodHead, object: true, queries: overrides, headers: []string{"checksum-mode"},
		action: "s3:GetObject", serve: (*API).get,
	},
	{name: "DeleteObject", method: http.MethodDelete, object: true, action: "s3:DeleteObject", serve: (*API).delete},
}

// common are the x-amz-… headers of every request.
var common = []string{"date", "content-sha256", "security-token", "user-agent"}

// written are those of writes.
var written = []string{"meta-*", "checksum-*", "sdk-checksum-algorithm", "trailer", "decoded-content-length"}

// call is a request.
type call struct {
	w           http.ResponseWriter
	r           *http.Request
	bucket, key string
	query       url.Values
	signer      string // has the credential of the signature, as an Authorization header has it
}

// object returns the resource of IAM that an object is.
func (c *call) object() string { return "arn:aws:s3:::" + c.bucket + "/" + c.key }

// ServeHTTP serves one operation.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(requestID, queue.NewID())
	if err := a.serve(w, r); err != nil {
		fail(w, r, err)
	}
}

func (a *API) serve(w http.ResponseWriter, r *http.Request) error {
	c := &call{w: w, r: r, query: r.URL.Query(), signer: r.Header.Get("Authorization")}
	c.bucket, c.key = split(r)
	if !a.Store.Has(c.bucket) {
		return objects.ErrNoBucket
	}
	if r.Method == http.MethodOptions {
		a.Count("Preflight")
		return a.preflight(w, r, c.bucket)
	}
	a.cors(w, r, c.bucket)

	if err := a.identify(c); err != nil {
		return err
	}
	op, err := c.operation()
	if err != nil {
		return err
	}
	a.Count(op.name)
	if err := checkKey(c.key); err != nil {
		return err
	}
	if a.Unkind.Strikes(unkind.SlowDown) {
		return failure(http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
	}
	if op.action != "" {
		if err := a.allowed(c, op.action); err != nil {
			return err
		}
	}
	return op.serve(a, c)
}

// identify finds who signed a request. A form is signed inside.
func (a *API) identify(c *call) error {
	switch {
	case presigned(c.r):
		return c.verify(a.Store.Clock())
	case c.isForm():
		return nil
	case c.query.Has("AWSAccessKeyId"):
		return invalid("InvalidRequest", "The authorization mechanism you have provided is not supported. Please use "+algorithm+".")
	case c.signer == "":
		return denied("Access Denied")
	case c.r.Header.Get("Origin") != "":
		// A page cannot know a secret, but the signature is not verified.
		return denied("only programs may sign in a header")
	}
	return nil
}

// isForm reports whether a request is a POST form.
func (c *call) isForm() bool {
	return c.r.Method == http.MethodPost && c.key == "" && strings.HasPrefix(c.r.Header.Get("Content-Type"), "multipart/form-data")
}

// checkKey refuses a key that S3 refuses.
func checkKey(key string) error {
	switch {
	case len(key) > maxKey:
		return invalid("KeyTooLongError", "Your key is too long")
	case !utf8.ValidString(key):
		return invalid("InvalidURI", "Couldn't parse the specified URI.")
	}
	return nil
}

// maxKey is the maximum length of a key in bytes.
const maxKey = 1024

// allowed checks a permission on the object, or on the bucket where the request names none.
func (a *API) allowed(c *call, action string) error {
	resource := "arn:aws:s3:::" + c.bucket
	if c.key != "" {
		resource = c.object()
	}
	return a.may(c, action, resource)
}

// may checks a permission on a resource.
func (a *API) may(c *call, action, resource string) error {
	if a.Allow == nil {
		return nil
	}
	if err := a.Allow(c.signer, action, resource); err != nil {
		return denied(err.Error())
	}
	return nil
}

// postForm is the operation of a form, which is told by its content type.
var postForm = operation{name: "PostObject", serve: (*API).post}

// operation finds the operation of a request and refuses what it does not know.
func (c *call) operation() (*operation, error) {
	if c.isForm() {
		return &postForm, c.known(&postForm)
	}
	for i := range operations {
		op := &operations[i]
		chosen := (op.by == "" || c.query.Has(op.by)) && (!op.copies || c.r.Header.Get(copySource) != "")
		if chosen && op.method == c.r.Method && op.object == (c.key != "") {
			return op, c.known(op)
		}
	}
	return nil, notServed(c.r.Method + " of " + c.r.URL.RequestURI())
}

// known refuses parameters and headers that an operation does not know: S3 would obey them.
func (c *call) known(op *operation) error {
	for name := range c.query {
		if name != op.by && name != "x-id" && !slices.Contains(op.queries, name) {
			return notServed("the parameter " + name + " of " + op.name)
		}
	}
	for name := range c.r.Header {
		name, ours := strings.CutPrefix(strings.ToLower(name), "x-amz-")
		knows := func(pattern string) bool {
			prefix, wild := strings.CutSuffix(pattern, "*")
			return name == pattern || wild && strings.HasPrefix(name, prefix)
		}
		if ours && !slices.ContainsFunc(common, knows) && !slices.ContainsFunc(op.headers, knows) {
			return notServed("the header x-amz-" + name + " of " + op.name)
		}
	}
	return nil
}
