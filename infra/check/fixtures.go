package check

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/template"
	"minicloud/infra/openapi/routes"
)

// expectation is the response that infra/replay expects for a fixture.
type expectation struct {
	Status   int    `json:"status"`
	Contains string `json:"contains"`
}

// Fixtures reports endpoints of the contract without a fixture in events/apigateway, and fixtures that no route
// serves or that API Gateway would not send to the route's program.
func Fixtures(t *Tree, tmpl *template.Template, served []routes.Route, list []endpoint) (problems findings) {
	have := map[string]bool{}
	for _, name := range t.Files {
		if path.Dir(name) != "events/apigateway" {
			continue
		}
		route, wrong := fixture(t, name, served, tmpl)
		for _, why := range wrong {
			problems = append(problems, name+": "+why)
		}
		have[route.Method+" "+routes.Shape(route.Path)] = true
	}

	for _, e := range list {
		if !have[e.method+" "+routes.Shape(e.path)] {
			problems.add("endpoint %d has no fixture in events/apigateway", e.number)
		}
	}
	return problems
}

// fixture returns the route that serves a fixture, and the fixture's problems.
func fixture(
	t *Tree, name string, all []routes.Route, tmpl *template.Template,
) (served routes.Route, problems findings) {
	source, err := t.Text(name)
	if err != nil {
		return served, findings{err.Error()}
	}

	var event struct {
		events.APIGatewayV2HTTPRequest
		Expect expectation `json:"expect"`
	}
	decoder := json.NewDecoder(bytes.NewBufferString(source))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&event); err != nil {
		return served, findings{err.Error()}
	}
	problems = consistent(event.APIGatewayV2HTTPRequest)
	if event.Expect.Status == 0 {
		problems = append(problems, "says no expect.status")
	}

	call := event.RequestContext.HTTP
	i := slices.IndexFunc(all, func(r routes.Route) bool {
		_, fits := routes.Match(r.Path, event.RawPath)
		return fits && r.Method == call.Method
	})
	if i < 0 {
		return served, append(problems, fmt.Sprintf("nobody serves %s %s", call.Method, event.RawPath))
	}
	served = all[i]

	for _, f := range tmpl.Functions {
		for _, r := range f.Routes {
			if r.Key() == event.RouteKey {
				// The gateway chooses the most specific route, which may belong to another program than the endpoint.
				if f.Program != served.Program {
					problems.add("its route leads to functions/%s, the endpoint is served by functions/%s", f.Program, served.Program)
				}
				return served, problems
			}
		}
	}
	return served, append(problems, fmt.Sprintf("template.yaml has no route %q", event.RouteKey))
}

// consistent reports contradictions in a payload 2.0 event, which contains several values twice.
func consistent(event events.APIGatewayV2HTTPRequest) (problems findings) {
	check := func(ok bool, format string, a ...any) {
		if !ok {
			problems.add(format, a...)
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
	for name, value := range event.PathParameters {
		prefix = strings.Replace(prefix, "{"+name+"}", value, 1)
	}
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
