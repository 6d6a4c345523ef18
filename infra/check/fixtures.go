package check

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/template"
)

// fixtureName is "04-run-function.json".
var fixtureName = regexp.MustCompile(`^(\d\d)-[a-z0-9]+(-[a-z0-9]+)*\.json$`)

// unnumbered are the fixtures of endpoints that the contract does not number: what payment vendors send, one for each
// form, what an owner writes before webhooks, mails, SMS and template messages go out, verification codes, and what the
// console's page asks for.
var unnumbered = func() map[string]endpoint {
	all := map[string]endpoint{}
	for _, form := range []string{"chat-v2", "chat-v2-refund", "chat-v3", "alt", "tpay"} {
		all["pay-notify-"+form] = endpoint{
			method: http.MethodPost, path: "/hserve/v1/pay/notify/{vendor}/{client_id}", program: "paymentnotify",
		}
	}
	all["put-mail-setting"] = endpoint{method: http.MethodPut, path: "/oserve/v3/mail-setting", program: "trigger"}
	all["put-sms-setting"] = endpoint{method: http.MethodPut, path: "/oserve/v3/sms-setting", program: "trigger"}
	all["put-message-setting"] = endpoint{
		method: http.MethodPut, path: "/oserve/v3/message-setting/{vendor}", program: "trigger",
	}
	all["add-form-id"] = endpoint{method: http.MethodPost, path: "/oserve/v3/user/{user}/form-id", program: "trigger"}
	all["add-subscription"] = endpoint{
		method: http.MethodPost, path: "/oserve/v3/user/{user}/subscription", program: "trigger",
	}
	all["send-sms-code"] = endpoint{
		method: http.MethodPost, path: "/oserve/v2.1/sms-verification-code", program: "trigger",
	}
	all["verify-sms-code"] = endpoint{
		method: http.MethodPost, path: "/oserve/v1.8/sms-verification-code/verify", program: "trigger",
	}
	for _, name := range []string{"sign-in", "sign-in-wrong-password"} {
		all[name] = endpoint{method: http.MethodPost, path: "/console/api/session", program: "console"}
	}
	all["read-session"] = endpoint{method: http.MethodGet, path: "/console/api/session", program: "console"}
	all["create-console-token"] = endpoint{method: http.MethodPost, path: "/console/api/token", program: "console"}
	all["create-application-from-another-site"] = endpoint{
		method: http.MethodPost, path: "/console/api/application", program: "console",
	}
	all["create-trigger-webhook"] = endpoint{method: http.MethodPost, path: "/oserve/v3/trigger", program: "trigger"}

	files := map[string]endpoint{}
	for name, e := range all {
		files["events/apigateway/"+name+".json"] = e
	}
	return files
}()

// Fixtures reports served endpoints without a fixture in events/apigateway,
// and fixtures that API Gateway would not send to that endpoint's program.
// beside are those of endpoints that the contract does not number.
func Fixtures(t *Tree, tmpl *template.Template, list []endpoint, beside map[string]endpoint) []string {
	var problems []string
	have := map[int]bool{}
	for _, name := range t.Files {
		if path.Dir(name) != "events/apigateway" {
			continue
		}
		if e, ok := beside[name]; ok {
			for _, why := range fixture(t, name, e, tmpl) {
				problems = append(problems, name+": "+why)
			}
			continue
		}

		match := fixtureName.FindStringSubmatch(path.Base(name))
		if match == nil {
			problems = append(problems, name+": the name must be <endpoint, two digits>-<words>.json")
			continue
		}

		number, _ := strconv.Atoi(match[1])
		i := slices.IndexFunc(list, func(e endpoint) bool { return e.number == number })
		if i < 0 || list[i].notYet != "" {
			problems = append(problems, fmt.Sprintf("%s: endpoint %d is not served", name, number))
			continue
		}

		have[number] = true
		for _, why := range fixture(t, name, list[i], tmpl) {
			problems = append(problems, name+": "+why)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(beside)) {
		if !slices.Contains(t.Files, name) {
			problems = append(problems, name+" is missing")
		}
	}
	for _, e := range list {
		if e.notYet == "" && !have[e.number] {
			problems = append(
				problems, fmt.Sprintf("endpoint %d has no fixture events/apigateway/%02d-….json", e.number, e.number),
			)
		}
	}

	return problems
}

// fixture reports what is wrong with one fixture of endpoint e.
func fixture(t *Tree, name string, e endpoint, tmpl *template.Template) []string {
	source, err := t.read(name)
	if err != nil {
		return []string{err.Error()}
	}

	var event events.APIGatewayV2HTTPRequest
	decoder := json.NewDecoder(bytes.NewBufferString(source))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&event); err != nil {
		return []string{err.Error()}
	}

	problems := consistent(event)
	call := event.RequestContext.HTTP
	at := strings.TrimSuffix(event.RawPath, "/")
	byBody := e.method == http.MethodGet && call.Method == http.MethodPost && fits(e.path+"/query", at) // D26
	if !byBody && (call.Method != e.method || !fits(e.path, at)) {
		problems = append(
			problems, fmt.Sprintf("is %s %s, endpoint %d is %s %s/", call.Method, event.RawPath, e.number, e.method, e.path),
		)
	}

	for _, f := range tmpl.Functions {
		for _, r := range f.Routes {
			if r.Key() == event.RouteKey {
				if f.Program != e.program {
					problems = append(
						problems,
						fmt.Sprintf("its route leads to functions/%s, the endpoint is served by functions/%s", f.Program, e.program),
					)
				}
				return problems
			}
		}
	}

	return append(problems, fmt.Sprintf("template.yaml has no route %q", event.RouteKey))
}

// consistent reports where the parts of a payload 2.0 event contradict each
// other: the gateway says several things twice.
func consistent(event events.APIGatewayV2HTTPRequest) []string {
	var problems []string
	check := func(ok bool, format string, a ...any) {
		if !ok {
			problems = append(problems, fmt.Sprintf(format, a...))
		}
	}
	call := event.RequestContext.HTTP
	check(event.Version == "2.0", "version is %q, want 2.0", event.Version)
	check(event.RouteKey == event.RequestContext.RouteKey, "two route keys")
	check(event.RawPath == call.Path, "two paths: %s and %s", event.RawPath, call.Path)
	check(strings.HasSuffix(event.RawPath, "/"), "the path does not end in a slash")
	check(event.RequestContext.RequestID != "", "no request id")
	_, pattern, _ := strings.Cut(event.RouteKey, " ")
	prefix := strings.TrimSuffix(pattern, "{proxy+}")
	check(event.RawPath == prefix+event.PathParameters["proxy"], "pathParameters.proxy is not the rest of the path")
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", event.RequestContext.Time)
	check(err == nil && at.UnixMilli() == event.RequestContext.TimeEpoch, "time and timeEpoch differ")
	query, err := url.ParseQuery(event.RawQueryString)
	check(err == nil && len(query) == len(event.QueryStringParameters), "rawQueryString and queryStringParameters differ")
	for key, value := range event.QueryStringParameters {
		check(strings.Join(query[key], ",") == value, "queryStringParameters.%s is not what rawQueryString says", key)
	}

	for name := range event.Headers {
		check(name == strings.ToLower(name), "header %s is not in lower case", name)
	}

	if event.IsBase64Encoded {
		_, err := base64.StdEncoding.DecodeString(event.Body)
		check(err == nil, "the body is not base64")
	}
	if event.Headers["content-type"] == "application/json" {
		check(json.Valid([]byte(event.Body)), "the body is not JSON")
	}

	check(call.Method == http.MethodGet || call.Method == http.MethodDelete || event.Body != "", "no body")

	return problems
}

// fits tells whether p is a path of the pattern, each {wildcard} one element.
func fits(pattern, p string) bool {
	have, want := strings.Split(p, "/"), strings.Split(pattern, "/")
	if len(have) != len(want) {
		return false
	}
	for i, element := range want {
		if have[i] == "" && i > 0 || !strings.HasPrefix(element, "{") && element != have[i] {
			return false
		}
	}
	return true
}
