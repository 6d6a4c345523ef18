package safehttp

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"minicloud/shared/errs"
	"minicloud/shared/trace/depth"
)

// steering lists headers that a user may not set: they control the connection, the message framing, or the host.
var steering = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Http2-Settings",
	"Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
	depth.Header, // set from the context: the depth of the request in a chain of triggers
}

// Check returns errs.Invalid for a URL that can never be requested; settings are checked with it before they store
// a URL. It does not resolve the host, so the host's addresses may still be refused later.
func (c *Client) Check(target *url.URL) error {
	if target == nil || (target.Scheme != "http" && target.Scheme != "https") {
		return errs.Invalid("url must start with http:// or https://")
	}
	if target.Opaque != "" || target.Hostname() == "" {
		return errs.Invalid("url must name a host")
	}
	if target.User != nil {
		return errs.Invalid("url must not hold a user name or password")
	}
	if strings.Contains(target.Hostname(), "%") {
		return errs.Invalid("host %q must not have a zone", target.Hostname())
	}
	if port := effectivePort(target); c.options.Ports != nil && !slices.Contains(c.options.Ports, port) {
		return because(ReasonBlocked, errs.Invalid("port %d is not allowed, only %s", port, portList(c.options.Ports)))
	}

	_, _, err := c.literal(target.Hostname())
	return err
}

// literal parses a host that is an address; ok is false for a name. It refuses numeric notations that some
// resolvers accept as an address (2130706433, 0177.0.0.1, 0x7f.1, 127.1).
func (c *Client) literal(host string) (addr netip.Addr, ok bool, err error) {
	plain := strings.TrimSuffix(host, ".")
	if addr, err := netip.ParseAddr(plain); err == nil {
		if rule := refusal(addr); rule != "" && !c.options.AllowPrivate {
			return addr, true, because(ReasonBlocked, errs.Invalid("host %q is a forbidden address (%s)", host, rule))
		}
		return addr, true, nil
	}
	last := plain[strings.LastIndexByte(plain, '.')+1:]
	if last == "" || isNumber(last) {
		return addr, false, because(ReasonBlocked, errs.Invalid("host %q is neither a name nor a plain address", host))
	}
	return addr, false, nil
}

// isNumber follows the URL standard: a host whose last label is digits or 0x… is an address, never a name.
func isNumber(label string) bool {
	if digits, hex := strings.CutPrefix(strings.ToLower(label), "0x"); hex {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

func effectivePort(target *url.URL) int {
	if text := target.Port(); text != "" {
		port, err := strconv.Atoi(text)
		if err != nil {
			return -1
		}
		return port
	}
	if target.Scheme == "https" {
		return 443
	}
	return 80
}

func portList(ports []int) string {
	texts := make([]string, len(ports))
	for i, port := range ports {
		texts[i] = strconv.Itoa(port)
	}
	return strings.Join(texts, ", ")
}

// clean returns a copy of the request without the parts that a user may not set.
func (c *Client) clean(request *http.Request) (*http.Request, error) {
	if err := c.Check(request.URL); err != nil {
		return nil, err
	}

	switch method := strings.ToUpper(request.Method); {
	case method == "CONNECT" || method == "TRACE" || method == "TRACK":
		return nil, errs.Invalid("method %s is not allowed", method)
	case method != "" && !httpguts.ValidHeaderFieldName(method):
		return nil, errs.Invalid("method %q is not valid", request.Method)
	}

	header := make(http.Header, len(request.Header))
	for name, values := range request.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, errs.Invalid("header name %q is not valid", name)
		}
		// A line break would start another header or another request.
		if slices.ContainsFunc(values, func(v string) bool { return !httpguts.ValidHeaderFieldValue(v) }) {
			return nil, errs.Invalid("header %q holds a control character", name)
		}
		if canonical := http.CanonicalHeaderKey(name); !slices.Contains(steering, canonical) {
			header[canonical] = append(header[canonical], values...)
		}
	}

	clean := *request
	clean.Header = header
	// The Host header must be the host of the checked URL.
	clean.Host = ""
	clean.Trailer, clean.TransferEncoding, clean.Close = nil, nil, false
	clean.RequestURI = ""

	return &clean, nil
}
