package api

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/language/value"
	"minicloud/shared/trace"
	"minicloud/shared/trace/depth"
	"minicloud/shared/trigger/hook"
)

// call serves endpoint 13; status 200 means that the call is stored.
func (g *Group) call(w http.ResponseWriter, r *http.Request) error {
	body, unread := httpapi.Body(r)
	in := hook.Incoming{
		Hook: r.PathValue("hook"), Method: r.Method, RemoteAddress: r.RemoteAddr, Size: len(body),
		Headers: hook.Headers(slices.Sorted(maps.Keys(r.Header)), headerOf(r)), Trace: link(r),
		// The header names the application that signed it, which can differ from the hook's; reading it costs a call.
		Depth: func(ctx context.Context) (int, error) { return g.Depths.VerifyDepth(ctx, r.Header.Get(depth.Header)) },
	}
	// If the body was not read, its size is the Content-Length.
	if unread != nil {
		in.Size = int(max(r.ContentLength, 0))
	}

	in.Read = func() (any, error) {
		// Every fault of the body is 400 here (D40), also one that other endpoints answer with 413.
		if unread != nil {
			return nil, errs.Invalid("%s", errs.Message(unread))
		}
		if err := checkHeaders(r, in.Headers); err != nil {
			return nil, err
		}
		return payload(body)
	}
	if err := g.Receiver.Receive(r.Context(), in); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// payload decodes the JSON of a body; an empty body is an empty object.
func payload(body []byte) (any, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return map[string]any{}, nil
	}
	return value.Decode("the request body", body)
}

// headerOf returns a reader of headers; net/http keeps Host outside the header map.
func headerOf(r *http.Request) func(name string) string {
	return func(name string) string {
		if name == "Host" {
			return r.Host
		}
		return r.Header.Get(name)
	}
}

// traceHeader and actionHeader are headers of the platform's own webhooks that say where a call comes from.
const (
	traceHeader  = "X-Service-Trace-Id"
	actionHeader = "X-Service-Webhook-Action-Id"
)

// link returns the trace of a call: for a webhook of this platform, the trace of its event. A forged header can only
// add the caller's own call to another trace of that application.
func link(r *http.Request) trace.Link {
	id, cause := r.Header.Get(traceHeader), r.Header.Get(actionHeader)
	if !trace.Valid(id) {
		return httpapi.Link(r.Context())
	}
	if !trace.Valid(cause) {
		cause = ""
	}
	return trace.Link{ID: id, Cause: cause}
}

// maxHeaders and maxHeader limit the headers in a call's record.
const (
	maxHeaders = 50
	maxHeader  = 8 << 10 // total bytes
)

// checkHeaders returns errs.Invalid for headers that a correct client never sends: two with the same name in the
// record, names or values that are not plain text, and headers over the limits.
func checkHeaders(r *http.Request, kept map[string]string) error {
	seen := map[string]bool{}
	for name := range r.Header {
		converted := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if _, there := kept[converted]; !there {
			continue
		}
		// Two spellings of a name would overwrite each other in the record.
		if seen[converted] {
			return errs.Invalid("the header %s is given twice, with hyphens and with underscores", converted)
		}
		seen[converted] = true
	}

	size := 0
	for name, text := range kept {
		if strings.ContainsFunc(name, notInName) {
			return errs.Invalid("the name of the header %q must have letters, digits, hyphens and underscores only", clip.Text(name, clip.Name))
		}
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return errs.Invalid("the header %s has characters that are no text", clip.Text(name, clip.Name))
		}
		size += len(name) + len(text)
	}
	if len(kept) > maxHeaders || size > maxHeader {
		return errs.Invalid("a call has at most %d X-Service headers, of %d KB in all", maxHeaders, maxHeader>>10)
	}
	return nil
}

func notInName(c rune) bool {
	return c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
}
