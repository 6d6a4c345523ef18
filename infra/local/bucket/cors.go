package bucket

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"minicloud/infra/local/template"
)

// cors adds the headers that let a page read an answer, if a rule of the bucket allows it.
func (a *API) cors(w http.ResponseWriter, r *http.Request, bucket string) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	if rule := a.rule(bucket, origin, r.Method, nil); rule != nil {
		allow(rule, w.Header(), origin)
	}
}

// preflight answers the question of a browser before a request.
func (a *API) preflight(w http.ResponseWriter, r *http.Request, bucket string) error {
	origin, method := r.Header.Get("Origin"), r.Header.Get("Access-Control-Request-Method")
	if origin == "" || method == "" {
		return invalid("BadRequest", "Insufficient information. Origin request header needed.")
	}
	var headers []string
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			headers = append(headers, name)
		}
	}
	rule := a.rule(bucket, origin, method, headers)
	if rule == nil {
		return failure(http.StatusForbidden, "AccessForbidden", "CORSResponse: This CORS request is not allowed.")
	}

	allow(rule, w.Header(), origin)
	if len(headers) > 0 {
		w.Header().Set("Access-Control-Allow-Headers", strings.Join(headers, ", "))
	}
	if rule.MaxAge > 0 {
		w.Header().Set("Access-Control-Max-Age", strconv.Itoa(rule.MaxAge))
	}
	return nil
}

// rule returns the first rule of a bucket that allows a request, nil for none.
func (a *API) rule(bucket, origin, method string, headers []string) *template.CORSRule {
	for _, rule := range a.CORS[bucket] {
		forbids := func(header string) bool { return !template.Match(rule.Headers, header, strings.ToLower) }
		if template.Match(rule.Origins, origin, strings.ToLower) && slices.Contains(rule.Methods, method) &&
			!slices.ContainsFunc(headers, forbids) {
			return &rule
		}
	}
	return nil
}

// allow adds the headers of a rule that fits a request.
func allow(rule *template.CORSRule, header http.Header, origin string) {
	if slices.Contains(rule.Origins, "*") {
		origin = "*"
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Allow-Methods", strings.Join(rule.Methods, ", "))
	if len(rule.Exposed) > 0 {
		header.Set("Access-Control-Expose-Headers", strings.Join(rule.Exposed, ", "))
	}
	header.Set("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method")
}
