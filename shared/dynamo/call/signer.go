package call

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/encoding/httpbinding"
)

const (
	algorithm = "AWS4-HMAC-SHA256"
	dayFormat = "20060102"
	// timeFormat begins with dayFormat.
	timeFormat = "20060102T150405Z"
)

// Signer signs requests with Signature Version 4. It signs what AWS requires (host, content-type and x-amz-*) and the
// content's length, and leaves other headers out; the SDK's signer takes three times as long. A Signer keeps the key of
// the day. It may be used concurrently, but not for S3, whose paths are encoded once, nor for a query that gives a name
// twice.
type Signer struct {
	mu   sync.Mutex
	last signingKey
}

// signingKey is the key that a secret gives for one day, region and service.
type signingKey struct{ secret, day, region, service, key string }

// SignHTTP implements HTTPSignerV4 of the SDK's clients. It sets the headers X-Amz-Date, X-Amz-Security-Token and
// Authorization.
func (s *Signer) SignHTTP(
	_ context.Context, keys aws.Credentials, r *http.Request, bodyHash, service, region string, at time.Time,
	_ ...func(*v4.SignerOptions),
) error {
	now := at.UTC().Format(timeFormat)
	r.Header.Set("X-Amz-Date", now)
	if keys.SessionToken != "" {
		r.Header.Set("X-Amz-Security-Token", keys.SessionToken)
	}
	day := now[:len(dayFormat)]
	scope := day + "/" + region + "/" + service + "/aws4_request"
	names, headers := signedHeaders(r)

	path := r.URL.EscapedPath()
	if path == "" {
		path = "/"
	}
	canonical := r.Method + "\n" + httpbinding.EscapePath(path, false) + "\n" +
		strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20") + "\n" + headers + "\n" + names + "\n" + bodyHash
	digest := sha256.Sum256([]byte(canonical))
	text := algorithm + "\n" + now + "\n" + scope + "\n" + hex.EncodeToString(digest[:])
	signature := hash(s.keyOf(signingKey{secret: keys.SecretAccessKey, day: day, region: region, service: service}), text)
	r.Header.Set("Authorization", algorithm+" Credential="+keys.AccessKeyID+"/"+scope+", SignedHeaders="+names+
		", Signature="+hex.EncodeToString([]byte(signature)))
	return nil
}

// signedHeaders returns the names of the headers to sign, and the headers in canonical form, a line each.
func signedHeaders(r *http.Request) (names, lines string) {
	type header struct{ name, value string }
	all := make([]header, 0, 8)
	all = append(all, header{"host", cmp.Or(r.Host, r.URL.Host)})
	if r.ContentLength > 0 {
		all = append(all, header{"content-length", strconv.FormatInt(r.ContentLength, 10)})
	}
	for name, values := range r.Header {
		if name == "Content-Type" || strings.HasPrefix(name, "X-Amz-") {
			all = append(all, header{strings.ToLower(name), collapse(values)})
		}
	}
	slices.SortFunc(all, func(a, b header) int { return strings.Compare(a.name, b.name) })

	var list, text strings.Builder
	for i, h := range all {
		if i > 0 {
			list.WriteByte(';')
		}
		list.WriteString(h.name)
		text.WriteString(h.name)
		text.WriteByte(':')
		text.WriteString(h.value)
		text.WriteByte('\n')
	}
	return list.String(), text.String()
}

// collapse joins the values of a header; spaces around a value are left out, and several within it count as one.
func collapse(values []string) string {
	if len(values) == 1 && !strings.Contains(values[0], "  ") {
		return strings.TrimSpace(values[0])
	}
	var cleaned []string
	for _, v := range values {
		cleaned = append(cleaned, strings.Join(strings.FieldsFunc(v, func(r rune) bool { return r == ' ' }), " "))
	}
	return strings.Join(cleaned, ",")
}

// keyOf derives a key, or returns the one that it derived last.
func (s *Signer) keyOf(k signingKey) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.key = s.last.key; k != s.last {
		k.key = hash(hash(hash(hash("AWS4"+k.secret, k.day), k.region), k.service), "aws4_request")
		s.last = k
	}
	return k.key
}

func hash(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return string(mac.Sum(nil))
}
