package idp

import (
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// maxCallback is the maximum length of a callback_url, in bytes.
const maxCallback = 2048

// callbackURL returns the address of a page to which a login may redirect. The result is written again from its parts,
// because a browser reads odd addresses in another way than this program: it takes a backslash for a slash, drops line
// feeds and finds a host in "https:///host". It returns errs.Invalid for those and for a host that is not allowed.
func callbackURL(text string, hosts []string) (*url.URL, error) {
	refused := func(why string) (*url.URL, error) { return nil, errs.Invalid("callback_url %s", why) }
	if text == "" || len(text) > maxCallback {
		return refused("must be an address of at most 2048 bytes")
	}
	odd := func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }
	if strings.ContainsFunc(text, odd) {
		return refused("must have no spaces, control characters or backslashes")
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.User != nil || u.Hostname() == "" {
		return refused("must be an address such as https://shop.example.com/login")
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return refused("has a query that is not well-formed")
	}

	host := strings.ToLower(u.Host)
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-:[]") != "" {
		return refused("must have its host in ASCII: write other letters as xn--")
	}
	local := slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, strings.ToLower(u.Hostname()))
	switch {
	case u.Scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	case u.Scheme == "http" && local:
		host = strings.TrimSuffix(host, ":80")
	default:
		return refused("must begin with https://, or http:// on localhost")
	}
	// A host with a port is allowed only as an entry with that port.
	if strings.HasSuffix(host, ":") || !slices.Contains(hosts, host) {
		return refused("has a host that is not in callback_hosts of the application setting")
	}
	u.Host = host
	return u, nil
}

// with returns the address of a page with one more query parameter, which replaces those of the same name.
func with(page, name, value string) string {
	u, err := url.Parse(page)
	if err != nil { // it was stored after it had been parsed
		return page
	}
	query := u.Query()
	for _, ours := range []string{"token", "error"} {
		query.Del(ours)
	}
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}
