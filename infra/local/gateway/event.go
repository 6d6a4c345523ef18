package gateway

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/server"
	"minicloud/infra/local/template"
)

// decodedPath returns the path as API Gateway passes it on: decoded, and cut at a decoded question mark.
func decodedPath(r *http.Request) string {
	path, _, _ := strings.Cut(r.URL.Path, "?")
	if path == "" {
		return "/"
	}
	return path
}

// event returns the payload of format 2.0. It reads the body.
func event(r *http.Request, t *target, params map[string]string, id, root string, now time.Time) ([]byte, error) {
	path := decodedPath(r)
	source, _, _ := net.SplitHostPort(r.RemoteAddr) // of net/http, which writes both
	e := events.APIGatewayV2HTTPRequest{
		Version:               "2.0",
		RouteKey:              t.Key(),
		RawPath:               path,
		RawQueryString:        r.URL.RawQuery,
		Cookies:               cookies(r.Header),
		Headers:               headers(r, source, root),
		QueryStringParameters: query(r.URL.RawQuery),
		PathParameters:        params,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: t.Key(), AccountID: template.Account, Stage: "$default", RequestID: id, APIID: "local",
			DomainName: r.Host, DomainPrefix: "local",
			Time: now.UTC().Format("02/Jan/2006:15:04:05 -0700"), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: path, Protocol: r.Proto, SourceIP: source, UserAgent: r.UserAgent(),
			},
		},
	}
	// A body whose type alone says that it is no text is encoded while it arrives.
	if r.ContentLength > 0 && !isTextType(r.Header.Get("Content-Type")) {
		e.IsBase64Encoded = true
		return withBase64(encode(e), r.Body, r.ContentLength)
	}

	body, err := server.ReadBody(r, maxBody)
	if err != nil {
		return nil, err
	}
	if e.IsBase64Encoded = !isText(r.Header.Get("Content-Type"), body); e.IsBase64Encoded {
		return withBase64(encode(e), bytes.NewReader(body), int64(len(body)))
	}
	e.Body = string(body)
	return encode(e), nil
}

func encode(e events.APIGatewayV2HTTPRequest) []byte {
	var payload bytes.Buffer
	encoder := json.NewEncoder(&payload)
	encoder.SetEscapeHTML(false) // as on AWS: a body of "<" must not grow to six times its size
	_ = encoder.Encode(e)        // strings and numbers always encode
	return payload.Bytes()
}

// withBase64 adds a body of size bytes to the JSON of an event. The encoder would scan it twice more, byte by byte.
func withBase64(event []byte, body io.Reader, size int64) ([]byte, error) {
	event = bytes.TrimSuffix(event, []byte("}\n"))
	var out bytes.Buffer
	out.Grow(len(event) + len(`,"body":""}`) + base64.StdEncoding.EncodedLen(int(min(size, maxBody))))
	out.Write(event)
	out.WriteString(`,"body":"`)
	text := base64.NewEncoder(base64.StdEncoding, &out)
	if _, err := io.Copy(text, body); err != nil {
		return nil, err
	}
	_ = text.Close() // a buffer takes all
	out.WriteString(`"}`)
	return out.Bytes(), nil
}

// hopByHop lists the headers that the gateway does not pass on.
var hopByHop = map[string]bool{
	"Connection": true, "Keep-Alive": true, "Proxy-Connection": true, "Te": true, "Trailer": true,
	"Transfer-Encoding": true, "Upgrade": true, "Cookie": true, // cookies have their own field
}

func headers(r *http.Request, source, root string) map[string]string {
	out := make(map[string]string, len(r.Header)+5)
	for name, values := range r.Header {
		if !hopByHop[name] {
			out[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	_, port, _ := net.SplitHostPort(r.Host)
	// net/http moves Host out of the headers; the gateway adds the X-Forwarded headers.
	out["host"] = r.Host
	out["x-amzn-trace-id"] = "Root=" + root
	out["x-forwarded-proto"] = "http"
	out["x-forwarded-port"] = port
	if before := out["x-forwarded-for"]; before != "" {
		source = before + ", " + source
	}
	out["x-forwarded-for"] = source
	return out
}

func cookies(h http.Header) []string {
	var out []string
	for _, line := range h["Cookie"] {
		for cookie := range strings.SplitSeq(line, ";") {
			if cookie = strings.TrimSpace(cookie); cookie != "" {
				out = append(out, cookie)
			}
		}
	}
	return out
}

// query decodes the query string and joins the values of a repeated key with commas, in order.
func query(raw string) map[string]string {
	var out map[string]string
	for pair := range strings.SplitSeq(raw, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if key, value = unescape(key), unescape(value); key == "" {
			continue
		}
		// Without a query, the event has no queryStringParameters at all.
		if out == nil {
			out = map[string]string{}
		}
		if before, twice := out[key]; twice {
			value = before + "," + value
		}
		out[key] = value
	}
	return out
}

func unescape(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	return s
}

// isText reports whether the event contains the body as text instead of base64.
func isText(contentType string, body []byte) bool {
	return len(body) == 0 || utf8.Valid(body) && isTextType(contentType)
}

// isTextType reports whether a content type is of text. API Gateway decides by it only; it treats forms and unknown types
// as binary.
func isTextType(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil && contentType != "" {
		return false
	}
	return kind == "" || strings.HasPrefix(kind, "text/") ||
		kind == "application/json" || kind == "application/javascript" || kind == "application/xml"
}

// requestID returns a random ID in API Gateway's format.
func requestID() string {
	b := make([]byte, 11)
	_, _ = rand.Read(b) // never fails
	return base64.URLEncoding.EncodeToString(b)
}
