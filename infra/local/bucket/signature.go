package bucket

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/local/iam"
)

// algorithm is the only kind of signature that is served.
const algorithm = "AWS4-HMAC-SHA256"

// signatureTime is the form of X-Amz-Date.
const signatureTime = "20060102T150405Z"

var errSignature = failure(http.StatusForbidden, "SignatureDoesNotMatch",
	"The request signature we calculated does not match the signature you provided. Check your key and signing method.")

// sign returns the signature of a text for a credential: key/date/region/service/aws4_request.
func sign(credential, text string) (string, error) {
	scope := strings.Split(credential, "/")
	if len(scope) < 5 || scope[len(scope)-2] != "s3" || scope[len(scope)-1] != "aws4_request" {
		return "", invalid("AuthorizationQueryParametersError", "The credential must be of the form key/date/region/s3/aws4_request.")
	}
	key := []byte("AWS4" + iam.Secret)
	for _, part := range scope[len(scope)-4:] {
		key = mac(key, part)
	}
	return hex.EncodeToString(mac(key, text)), nil
}

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	_, _ = m.Write([]byte(text)) // a hash has no errors
	return m.Sum(nil)
}

// presigned reports whether a request is signed in its query.
func presigned(r *http.Request) bool { return r.URL.Query().Has("X-Amz-Signature") }

// maxExpires is the maximum validity of a presigned request in seconds.
const maxExpires = 7 * 24 * 60 * 60

// verify checks a presigned request and moves what stands in its query for headers into the headers.
func (c *call) verify(now time.Time) error {
	q := c.query
	at, err := time.Parse(signatureTime, q.Get("X-Amz-Date"))
	expires, wrong := strconv.Atoi(q.Get("X-Amz-Expires"))
	switch {
	case q.Get("X-Amz-Algorithm") != algorithm:
		return invalid("AuthorizationQueryParametersError", "X-Amz-Algorithm only supports "+algorithm)
	case err != nil:
		return invalid("AuthorizationQueryParametersError", "X-Amz-Date must be in the ISO8601 Long Format")
	case wrong != nil || expires < 1 || expires > maxExpires:
		return invalid("AuthorizationQueryParametersError", "X-Amz-Expires must be from 1 to 604800")
	case at.After(now.Add(15 * time.Minute)):
		return denied("Request is not yet valid")
	case now.After(at.Add(time.Duration(expires) * time.Second)):
		return denied("Request has expired")
	}

	credential := q.Get("X-Amz-Credential")
	signed := strings.Split(q.Get("X-Amz-SignedHeaders"), ";")
	if !slices.Contains(signed, "host") {
		return invalid("AuthorizationQueryParametersError", "X-Amz-SignedHeaders must contain host")
	}
	for name := range c.r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") && !slices.Contains(signed, name) {
			return denied("There were headers present in the request which were not signed: " + name)
		}
	}
	_, scope, _ := strings.Cut(credential, "/")
	sum := sha256.Sum256([]byte(canonical(c.r, signed)))
	want, err := sign(credential, strings.Join([]string{algorithm, q.Get("X-Amz-Date"), scope, hex.EncodeToString(sum[:])}, "\n"))
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(want), []byte(q.Get("X-Amz-Signature"))) {
		return errSignature
	}

	c.signer = "Credential=" + credential
	c.hoist()
	return nil
}

// hoist moves parameters of the query that stand for headers into the headers, without those of the signature.
func (c *call) hoist() {
	for name := range c.query {
		if !strings.HasPrefix(strings.ToLower(name), "x-amz-") {
			continue
		}
		switch name {
		case "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
			"X-Amz-Security-Token":
		default:
			c.r.Header.Set(name, c.query.Get(name))
		}
		c.query.Del(name)
	}
}

// canonical returns the text of a request that is signed:
// docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
func canonical(r *http.Request, signed []string) string {
	query := r.URL.Query()
	query.Del("X-Amz-Signature")
	var headers strings.Builder
	for _, name := range signed {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		headers.WriteString(name + ":" + strings.Join(strings.Fields(value), " ") + "\n")
	}
	payload := cmp.Or(query.Get("X-Amz-Content-Sha256"), r.Header.Get("X-Amz-Content-Sha256"), "UNSIGNED-PAYLOAD")
	return strings.Join([]string{
		r.Method, encoded(r.URL.Path), strings.ReplaceAll(query.Encode(), "+", "%20"),
		headers.String(), strings.Join(signed, ";"), payload,
	}, "\n")
}

// encoded escapes all but unreserved characters and slashes, as signatures of version 4 do.
func encoded(text string) string {
	return strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(text))
}
