package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi/etag"
	"minicloud/shared/httpapi/paging"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Endpoint serves a route with a function from one struct to another. The struct tags of both describe the request and
// the response, so the OpenAPI document is generated from them as well.
//
//	Page   page.Request                    limit, offset and cursor
//	Vendor payment.Vendor `path:"vendor"`  a path parameter
//	Status order.Status   `query:"status" enum:"pending,success"`
//	Newer  bool           `query:"newer"`  0 or 1, false or true
//	After  int64          `query:"after" minimum:"1"`
//	Hours  int            `query:"hours" default:"24"`
//	Owner  *string        `query:"owner"`  nil if the parameter is absent, but not if it is empty
//	Fires  *bool          `query:"fires"`  nil if the parameter is absent or empty
//	Match  etag.Match                      the header If-Match
//	Filter url.Values     `query:"*"`      all parameters, unparsed
//	Name   string         `json:"name"`    a member of the body, decoded by Decode
//	Body   Object          `body:"Row"`    the whole body; Row is its OpenAPI component
//	Body   *Event          `body:"Event"`  nil if the request has no body
//
// An empty query parameter counts as not given (D43). A type can parse its own text with a method ReadText(string)
// error, and its own member of a body with ReadMember(field string, json []byte) error. The error is the response.
// (encoding.TextUnmarshaler would prevent such types from being numbers in JSON.)
type Endpoint interface {
	// In and Out are the types of the request struct and of the response.
	In() reflect.Type
	Out() reflect.Type
	// serve serves a request; status is the default status of the response.
	serve(status int, w http.ResponseWriter, r *http.Request) error
}

// None is the empty response, 204, of an endpoint, and the input of an endpoint without one.
type None struct{}

// Call returns an Endpoint for a function. It panics if In has a field that cannot be read.
func Call[In, Out any](do func(ctx context.Context, in In) (Out, error)) Endpoint {
	fields, body := inputs(reflect.TypeFor[In](), nil)
	return &call[In, Out]{do: do, fields: fields, body: body}
}

type call[In, Out any] struct {
	do     func(context.Context, In) (Out, error)
	fields []input
	body   bool // fields with a json tag are members of the body
}

func (*call[In, Out]) In() reflect.Type  { return reflect.TypeFor[In]() }
func (*call[In, Out]) Out() reflect.Type { return reflect.TypeFor[Out]() }

func (c *call[In, Out]) serve(status int, w http.ResponseWriter, r *http.Request) error {
	var in In
	asked := reflect.ValueOf(&in).Elem()
	query := r.URL.Query()
	for _, f := range c.fields {
		if err := f.read(r, query, asked.FieldByIndex(f.index)); err != nil {
			return err
		}
	}
	// Decode the body last, so that an invalid parameter is reported before an invalid body.
	if c.body {
		if err := Decode(r, &in); err != nil {
			return err
		}
	}

	state := stateOf(r)
	state.writer, state.request = w, r
	answer, err := c.do(r.Context(), in)
	if err != nil {
		return err
	}

	write(w, status, answer)
	return nil
}

func write(w http.ResponseWriter, status int, answer any) {
	if either, ok := answer.(interface{ form() any }); ok {
		answer = either.form()
	}
	if own, ok := answer.(interface{ Status() int }); ok {
		status = own.Status()
	}
	if _, none := answer.(None); none {
		NoContent(w)
		return
	}
	Write(w, status, answer)
}

// input is a field that is read from outside the body.
type input struct {
	index []int
	read  func(r *http.Request, query url.Values, to reflect.Value) error
}

type textReader interface{ ReadText(text string) error }

var textType = reflect.TypeFor[textReader]()

// inputs returns the fields of a struct and its embedded structs, and whether the struct has members of the body.
func inputs(t reflect.Type, at []int) (fields []input, body bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		in := input{index: append(slices.Clone(at), i)}
		switch {
		// Endpoints share path parameters by embedding a struct.
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			inner, members := inputs(f.Type, in.index)
			fields, body = append(fields, inner...), body || members
			continue
		// Members of the body are decoded together.
		case f.Tag.Get("json") != "":
			body = true
			continue
		case f.Type == reflect.TypeFor[page.Request]():
			in.read = into(func(r *http.Request) (page.Request, error) { return paging.Read(r.URL.Query()) })
		case f.Tag.Get("body") != "":
			in.read = whole(f)
		case f.Type == reflect.TypeFor[etag.Match]():
			in.read = into(etag.IfMatch)
		case f.Tag.Get("query") == "*":
			in.read = into(func(r *http.Request) (url.Values, error) { return r.URL.Query(), nil })
		case f.Tag.Get("path") != "":
			in.read = segment(f)
		case f.Tag.Get("query") != "":
			in.read = parameter(f)
		default:
			panic(fmt.Sprintf("httpapi: %s.%s has no tag that says where it comes from", t, f.Name))
		}
		fields = append(fields, in)
	}
	return fields, body
}

// into returns a reader that sets a field to the result of get.
func into[T any](get func(r *http.Request) (T, error)) func(*http.Request, url.Values, reflect.Value) error {
	return func(r *http.Request, _ url.Values, to reflect.Value) error {
		v, err := get(r)
		to.Set(reflect.ValueOf(v))
		return err
	}
}

// whole returns a reader that decodes the body into a field. A pointer is nil for a request without a body.
func whole(f reflect.StructField) func(*http.Request, url.Values, reflect.Value) error {
	optional := f.Type.Kind() == reflect.Pointer
	return func(r *http.Request, _ url.Values, to reflect.Value) error {
		if optional && r.ContentLength == 0 {
			return nil
		}
		return Decode(r, to.Addr().Interface())
	}
}

// segment returns a reader of a path parameter. An invalid value is 404, because no object can have it.
func segment(f reflect.StructField) func(*http.Request, url.Values, reflect.Value) error {
	name, set := f.Tag.Get("path"), setter(f)
	return func(r *http.Request, _ url.Values, to reflect.Value) error {
		err := set(name, r.PathValue(name), to)
		if errs.Is(err, errs.KindInvalid) {
			err = errs.NotFound("there is no %s %q", name, clip.Text(r.PathValue(name), clip.Name))
		}
		return err
	}
}

// parameter returns a reader of a query parameter. A pointer is nil for an absent parameter.
func parameter(f reflect.StructField) func(*http.Request, url.Values, reflect.Value) error {
	name := f.Tag.Get("query")
	optional := f.Type.Kind() == reflect.Pointer
	if optional {
		f.Type = f.Type.Elem()
	}
	empty := optional && f.Type.Kind() == reflect.String
	set := setter(f)
	otherwise := f.Tag.Get("default")
	return func(_ *http.Request, query url.Values, to reflect.Value) error {
		if otherwise != "" && query.Get(name) == "" {
			return set(name, otherwise, to)
		}
		// An empty parameter counts as not given (D43), except for a *string, which distinguishes "" from absent.
		if !query.Has(name) || !empty && query.Get(name) == "" {
			return nil
		}
		if optional {
			to.Set(reflect.New(f.Type))
			to = to.Elem()
		}
		if query.Get(name) == "" {
			return nil
		}
		return set(name, query.Get(name), to)
	}
}

// setter returns a function that parses a text into a field, within the limits of the tags enum, minimum and maximum.
func setter(f reflect.StructField) func(name, text string, to reflect.Value) error {
	switch {
	case reflect.PointerTo(f.Type).Implements(textType):
		return func(_, text string, to reflect.Value) error {
			return to.Addr().Interface().(textReader).ReadText(text)
		}
	case f.Type.Kind() == reflect.String:
		var words []string
		if list := f.Tag.Get("enum"); list != "" {
			words = strings.Split(list, ",")
		}
		return func(name, text string, to reflect.Value) error {
			if words != nil && !slices.Contains(words, text) {
				return errs.Invalid("%s must be %s", name, oneOf(words))
			}
			to.SetString(text)
			return nil
		}
	case f.Type.Kind() == reflect.Bool:
		return func(name, text string, to reflect.Value) error {
			on, err := paging.Flag(name, text)
			to.SetBool(on)
			return err
		}
	case f.Type.Kind() == reflect.Int64 || f.Type.Kind() == reflect.Int:
		// Larger integers are not exact in JavaScript.
		least, most := bound(f, "minimum", -1<<53+1), bound(f, "maximum", 1<<53-1)
		if f.Type == reflect.TypeFor[ID]() {
			least = 1
		}
		return func(name, text string, to reflect.Value) error {
			n, err := paging.Int(name, text)
			if err == nil && (n < least || n > most) {
				err = outOfRange(name, text, least, most)
			}
			to.SetInt(n)
			return err
		}
	}
	panic(fmt.Sprintf("httpapi: a field of type %s cannot be read from a text", f.Type))
}

// oneOf returns the words as "a, b or c".
func oneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func outOfRange(name, text string, least, most int64) error {
	switch {
	case most == 1<<53-1 && least == 1:
		return errs.Invalid("%s must be a positive integer", name)
	case most == 1<<53-1:
		return errs.Invalid("%s must be at least %d, not %s", name, least, clip.Text(text, clip.Name))
	}
	return errs.Invalid("%s must be from %d to %d, not %s", name, least, most, clip.Text(text, clip.Name))
}

// bound returns the value of an integer tag, or otherwise if there is no such tag.
func bound(f reflect.StructField, tag string, otherwise int64) int64 {
	text := f.Tag.Get(tag)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("httpapi: the tag %s of %s is no integer", tag, f.Name))
	}
	return n
}

// Scope returns the scope of a request.
func Scope(ctx context.Context) tenant.Scope { return From(ctx).Scope }

// From returns the caller of a request.
func From(ctx context.Context) Caller { return stateIn(ctx).caller }

// Exchange returns the request and the response writer of an Endpoint, for headers and other uses.
func Exchange(ctx context.Context) (http.ResponseWriter, *http.Request) {
	state := stateIn(ctx)
	return state.writer, state.request
}

func stateIn(ctx context.Context) *requestState {
	state, _ := ctx.Value(stateKey{}).(*requestState)
	if state == nil {
		panic("httpapi: the context is not that of a request")
	}
	return state
}
