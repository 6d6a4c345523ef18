// Package samlocal_test simulates `sam local start-api` between HTTP requests and the built programs, without
// containers. It sends the programs the events that sam sends; record.py recorded them from sam itself.
package samlocal_test

import (
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/compile"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/template"
)

// sam simulates sam local: a gateway, and programs behind a Runtime API.
type sam struct {
	url       string
	functions []*template.Function
	host      *lambdahost.Host
}

// start starts the simulated sam local for a local cloud, whose sam-env.json it reads.
func start(t *testing.T, c *cloud.Cloud, bin string) *sam {
	t.Helper()
	// As in the cloud, sam knows only the names of the variables, not their values.
	deployed, err := template.ReadFile(filepath.Join(c.Root(), "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(c.DataDir(), cloud.SAMFile))
	if err != nil {
		t.Fatal(err)
	}
	// Containers use another host name for this machine.
	text = []byte(strings.ReplaceAll(string(text), "host.docker.internal", "127.0.0.1"))
	var overrides map[string]map[string]string
	if err := json.Unmarshal(text, &overrides); err != nil {
		t.Fatal(err)
	}

	s := &sam{functions: deployed.Functions}
	var hosted []lambdahost.Function
	for _, f := range deployed.Functions {
		if len(f.Routes) == 0 {
			continue
		}
		hosted = append(hosted, lambdahost.Function{
			Name: f.Name, Bootstrap: compile.Bootstrap(bin, f.Program), Timeout: f.Timeout, MemoryMB: f.MemoryMB,
			Reserved: f.Reserved, Environment: declared(f.Environment, overrides[f.ID]),
		})
	}
	s.host, err = lambdahost.New(lambdahost.Config{
		Functions: hosted, Region: ddb.Region, LogDir: t.TempDir(), Terminal: os.Stderr,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.host.Close)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// declared returns the environment as sam builds it: it silently drops overrides of variables that the template does
// not declare.
func declared(environment, overrides map[string]string) map[string]string {
	out := maps.Clone(environment)
	out["AWS_SAM_LOCAL"] = "true"
	for name, value := range overrides {
		if _, known := environment[name]; known {
			out[name] = value
		}
	}
	return out
}

// ServeHTTP is sam's gateway.
func (s *sam) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	function, event, err := s.event(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	payload, _ := json.Marshal(event) // a map of JSON values always encodes
	result, err := s.host.Invoke(r.Context(), lambdahost.Request{Function: function, Payload: payload})
	if err != nil || result.FunctionError != "" {
		http.Error(w, string(result.Payload), http.StatusBadGateway)
		return
	}

	var answer struct {
		StatusCode int
		Headers    map[string]string
		Cookies    []string
		Body       string
	}
	if err := json.Unmarshal(result.Payload, &answer); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	for _, cookie := range answer.Cookies {
		w.Header().Add("Set-Cookie", cookie)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.WriteString(w, answer.Body)
}

// route returns the function of a path as sam selects it: a route without a wildcard wins, with or without a slash at the
// end of the path, then the longest one.
func (s *sam) route(path string) (function, route, proxy string) {
	longest := -1
	for _, f := range s.functions {
		for _, r := range f.Routes {
			prefix, greedy := strings.CutSuffix(r.Path, "{proxy+}")
			switch {
			case r.Path == "$default" && longest < 0:
				longest, function, route, proxy = 0, f.Name, r.Path, ""
			case !greedy && strings.TrimSuffix(path, "/") == prefix:
				return f.Name, r.Path, ""
			case greedy && len(prefix) > longest && strings.HasPrefix(path, prefix):
				longest, function, route, proxy = len(prefix), f.Name, r.Path, path[len(prefix):]
			}
		}
	}
	return function, route, proxy
}

// event returns the event that sam creates for a request (samcli.local.apigw, format 2.0). It differs from AWS:
// headers keep their case, cookies appear twice, the route key contains the method of the request, and the domain is
// not the caller's.
func (s *sam) event(r *http.Request) (function string, event map[string]any, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", nil, err
	}
	function, route, proxy := s.route(r.URL.Path)
	key, parameters := r.Method+" "+route, map[string]string{"proxy": proxy}
	switch {
	case route == "$default":
		key, parameters = route, map[string]string{"any_path": strings.TrimPrefix(r.URL.Path, "/")}
	case !strings.HasSuffix(route, "{proxy+}"):
		parameters = map[string]string{}
	}

	headers := map[string]string{"Host": r.Host, "X-Forwarded-Proto": "http"}
	_, headers["X-Forwarded-Port"], _ = net.SplitHostPort(r.Host)
	for name, values := range r.Header {
		headers[name] = strings.Join(values, ",")
	}
	if len(body) > 0 {
		headers["Content-Length"] = strconv.Itoa(len(body))
	}
	cookies := []string{}
	for _, c := range r.Cookies() {
		cookies = append(cookies, c.Name+"="+c.Value)
	}

	event = map[string]any{
		"version": "2.0", "routeKey": key, "rawPath": r.URL.Path, "rawQueryString": r.URL.RawQuery,
		"cookies": cookies, "headers": headers, "pathParameters": parameters, "stageVariables": nil,
		"body": string(body), "isBase64Encoded": false,
		"requestContext": map[string]any{
			"accountId": "123456789012", "apiId": "1234567890", "domainName": "localhost", "domainPrefix": "localhost",
			"requestId": "request", "routeKey": key, "stage": "$default", "time": "time", "timeEpoch": 0,
			"http": map[string]string{"method": r.Method, "path": r.URL.Path, "protocol": "HTTP/1.1",
				"sourceIp": "127.0.0.1", "userAgent": "Custom User Agent String"},
		},
	}
	if query := joined(r.URL.Query()); len(query) > 0 {
		event["queryStringParameters"] = query
	}
	return function, event, nil
}

func joined(query url.Values) map[string]string {
	out := map[string]string{}
	for name, values := range query {
		out[name] = strings.Join(values, ",")
	}
	return out
}

// run starts a local cloud and a simulated sam local for it.
func run(t *testing.T) (*cloud.Cloud, *sam) {
	t.Helper()
	bin := ""
	c := cloudtest.Start(t, func(cfg *cloud.Config) { bin = cfg.BinDir })
	return c, start(t, c, bin)
}
