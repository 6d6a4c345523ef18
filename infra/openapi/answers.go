package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"minicloud/infra/openapi/routes"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Answers compares requests and responses with an OpenAPI document.
type Answers struct {
	document map[string]any
	// open has the schemas unchanged, for requests: unknown members are ignored. closed allows only described
	// members, so that an undescribed member of a response is an error.
	open, closed *jsonschema.Compiler

	paths []string // of the document, sorted

	mutex    sync.Mutex // guards the fields below
	compiled map[string]*jsonschema.Schema
	seen     map[string]bool // ids of operations with a successful response
}

// Exchange is a request and its response.
type Exchange struct {
	Method, Path string // without the query string
	Sent         []byte // the request body
	Status       int
	Header       http.Header // of the response
	Body         []byte
}

// NewAnswers parses a document.
func NewAnswers(document []byte) (*Answers, error) {
	a := &Answers{compiled: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	for _, compiler := range []**jsonschema.Compiler{&a.open, &a.closed} {
		// Parse it twice, because closeObjects changes the document that the open schemas use.
		whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
		if err != nil {
			return nil, err
		}
		if compiler == &a.closed {
			closeObjects(whole)
		}
		a.document, _ = whole.(map[string]any)

		*compiler = jsonschema.NewCompiler()
		(*compiler).DefaultDraft(jsonschema.Draft2020)
		if err := (*compiler).AddResource(resource, whole); err != nil {
			return nil, err
		}
	}

	paths, _ := a.document["paths"].(map[string]any)
	a.paths = slices.Sorted(maps.Keys(paths))
	return a, nil
}

// resource is the URL of the document in the compilers.
const resource = "https://minicloud.example/openapi.json"

// closeObjects forbids undescribed members in all objects that do not set additionalProperties.
func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		_, described := v["properties"].(map[string]any)
		// Otherwise the validator would accept members that the document does not describe.
		if _, said := v["additionalProperties"]; described && !said {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range v {
			closeObjects(inner)
		}
	}
}

// Check returns an error if the document does not describe an exchange. The document may omit paths that answer 404
// or 405, preflights, HEAD, the gateway's response to large headers (431), and paths of the local cloud.
func (a *Answers) Check(x Exchange) error {
	path, item := a.item(x.Path)
	operation, ok := item[strings.ToLower(x.Method)].(map[string]any)
	if !ok {
		if x.Status < 300 && slices.Contains(methods, strings.ToLower(x.Method)) && !strings.HasPrefix(x.Path, "/_local/") {
			return fmt.Errorf("%s %s is not described", x.Method, x.Path)
		}
		return nil
	}

	if x.Status == http.StatusRequestHeaderFieldsTooLarge {
		return nil
	}

	where := pointer("paths", path, strings.ToLower(x.Method))
	status := strconv.Itoa(x.Status)
	response, at, ok := a.follow(operation["responses"].(map[string]any)[status], where+pointer("responses", status))
	if !ok {
		return fmt.Errorf("the status %d is not described: %.300s", x.Status, x.Body)
	}
	if err := a.checkBody(response, at, x); err != nil {
		return err
	}
	if err := checkHeaders(response, x.Header); err != nil {
		return err
	}
	// Only successes count as seen; a refused request need not match its schema.
	if x.Status >= 400 {
		return nil
	}

	a.mutex.Lock()
	a.seen[operation["operationId"].(string)] = true
	a.mutex.Unlock()
	return a.checkSent(operation, where, x)
}

// CheckAnswer checks a response and the redirects that led to it. sent is the body of the first request.
func (a *Answers) CheckAnswer(answer *http.Response, sent, body []byte) error {
	for answer != nil {
		before := answer.Request.Response
		x := Exchange{
			Method: answer.Request.Method, Path: answer.Request.URL.Path, Status: answer.StatusCode, Header: answer.Header,
			Body: body,
		}
		if before == nil {
			x.Sent = sent
		}
		if err := a.Check(x); err != nil {
			return fmt.Errorf("%s %s: %w", x.Method, x.Path, err)
		}
		answer, body = before, nil // its body is closed already
	}
	return nil
}

// Unseen returns the names of the operations without a successful exchange.
func (a *Answers) Unseen() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	var unseen []string
	for _, item := range a.document["paths"].(map[string]any) {
		for _, method := range methods {
			if operation, ok := item.(map[string]any)[method].(map[string]any); ok {
				if name := operation["operationId"].(string); !a.seen[name] {
					unseen = append(unseen, name)
				}
			}
		}
	}
	slices.Sort(unseen)
	return unseen
}

// item returns the path item of a path. Patterns that name more segments take precedence.
func (a *Answers) item(path string) (found string, item map[string]any) {
	best := -1
	for _, p := range a.paths {
		if named, ok := routes.Match(p, path); ok && named > best {
			best, found = named, p
		}
	}
	item, _ = a.document["paths"].(map[string]any)[found].(map[string]any)
	return found, item
}

// follow resolves a reference to a component.
func (a *Answers) follow(v any, at string) (map[string]any, string, bool) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, "", false
	}
	ref, is := object["$ref"].(string)
	if !is {
		return object, at, true
	}

	var found any = a.document
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		inner, _ := found.(map[string]any)
		found = inner[part]
	}
	// A component may itself be a reference.
	return a.follow(found, strings.TrimPrefix(ref, "#"))
}

// checkBody validates a body against the schema of its media type.
func (a *Answers) checkBody(response map[string]any, at string, x Exchange) error {
	content, _ := response["content"].(map[string]any)
	if content == nil {
		if len(x.Body) > 0 {
			return fmt.Errorf("%d should have no body: %.300s", x.Status, x.Body)
		}
		return nil
	}

	media, _, _ := mime.ParseMediaType(x.Header.Get("Content-Type"))
	if _, ok := content[media]; !ok {
		return fmt.Errorf("%d with Content-Type %q is not described", x.Status, x.Header.Get("Content-Type"))
	}
	if media != "application/json" {
		return nil
	}
	// The closed schema: a response must not have undescribed members.
	return a.validate(a.closed, at+pointer("content", media, "schema"), "the answer", x.Body)
}

// checkSent validates the body of an accepted request.
func (a *Answers) checkSent(operation map[string]any, where string, x Exchange) error {
	body, at, ok := a.follow(operation["requestBody"], where+pointer("requestBody"))
	if !ok {
		return nil
	}
	if len(bytes.TrimSpace(x.Sent)) == 0 {
		if body["required"] == true {
			return errors.New("a request without a body is accepted, and described as none")
		}
		return nil
	}
	content, _ := body["content"].(map[string]any)
	if _, ok := content["application/json"]; !ok || !json.Valid(x.Sent) {
		return nil
	}
	// The open schema: endpoints ignore unknown members of a request.
	return a.validate(a.open, at+pointer("content", "application/json", "schema"), "the request body", x.Sent)
}

func (a *Answers) validate(by *jsonschema.Compiler, at, what string, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s is no JSON: %w", what, err)
	}
	schema, err := a.schema(by, at)
	if err != nil {
		return err
	}
	if err := schema.Validate(v); err != nil {
		return fmt.Errorf("%s is not as described: %w\n%.600s", what, err, text)
	}
	return nil
}

func (a *Answers) schema(by *jsonschema.Compiler, at string) (*jsonschema.Schema, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	key := fmt.Sprint(by == a.closed, at)
	if s := a.compiled[key]; s != nil {
		return s, nil
	}
	s, err := by.Compile(resource + "#" + at)
	a.compiled[key] = s
	return s, err
}

func checkHeaders(response map[string]any, header http.Header) error {
	described, _ := response["headers"].(map[string]any)
	for name, v := range described {
		if h, ok := v.(map[string]any); ok && h["required"] == true && header.Get(name) == "" {
			return fmt.Errorf("the header %s is missing", name)
		}
	}
	return nil
}

// pointer returns the JSON pointer made of these names.
func pointer(names ...string) string {
	var out strings.Builder
	for _, name := range names {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		// The name becomes the fragment of a URL.
		out.WriteString("/" + strings.NewReplacer("%", "%25", "{", "%7B", "}", "%7D").Replace(name))
	}
	return out.String()
}
