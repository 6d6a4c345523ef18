package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/check"
	"minicloud/shared/app"
	"minicloud/shared/console"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/console/overview"
	"minicloud/shared/console/promotion"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/etag"
	"minicloud/shared/httpapi/paging"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
)

// types derives schemas from the Go types of endpoints.
//
// An exported struct becomes a component with its name, or that in named; every other type's schema is written where
// it is used. The tags enum, minimum, exclusiveMinimum, maximum, default (an integer), minLength, maxLength,
// minItems, maxItems, pattern, format and example constrain or illustrate a value. type names the JSON types of raw
// JSON, schema the component of a field, items that of its list items. nullable marks a list that may be null,
// required a required member of a body. ref names the hand-written component of a parameter. The trailing comment of
// a field becomes its description, and the comment of a type that of its component. Members of a response are
// required unless they are omitted when empty.
type types struct {
	comments map[string]map[string]string // by package and type, then by field; "" is the type itself
	schemas  *object                      // the components
	made     map[string]reflect.Type      // by component
}

// components are the types with a hand-written schema, because their JSON form is not that of a struct.
var components = map[reflect.Type]string{
	reflect.TypeFor[httpapi.ID](): "ID", reflect.TypeFor[id.ID](): "ID", reflect.TypeFor[httpapi.Seconds](): "Seconds",
	reflect.TypeFor[user.ID](): "ID", reflect.TypeFor[user.GroupID](): "ID", reflect.TypeFor[user.SuperGroupID](): "ID",
	reflect.TypeFor[user.Profile](): "User", reflect.TypeFor[user.Info](): "UserInfo", reflect.TypeFor[httpapi.Milliseconds](): "Milliseconds",
	reflect.TypeFor[paging.Meta](): "PageMeta", reflect.TypeFor[httpapi.OK](): "OK",
	reflect.TypeFor[tenant.AppID](): "ID", reflect.TypeFor[console.AccountID](): "ID",
	reflect.TypeFor[console.Role](): "ConsoleRole", reflect.TypeFor[deadletter.Kind](): "DeadLetterKind",
	reflect.TypeFor[promotion.Kind](): "PromotionKind", reflect.TypeFor[promotion.Change](): "PromotionChange",
	reflect.TypeFor[value.Type](): "ColumnType", reflect.TypeFor[app.LoginMethod](): "LoginMethod",
	reflect.TypeFor[trigger.ID](): "ID", reflect.TypeFor[trigger.ActionID](): "ID",
	reflect.TypeFor[trigger.View](): "Trigger",
	reflect.TypeFor[trigger.Type](): "TriggerType", reflect.TypeFor[trigger.ActionType](): "ActionType",
	reflect.TypeFor[trigger.Kind](): "EventKind", reflect.TypeFor[trigger.Change](): "RowEvent",
}

// named are the components whose name differs from that of their type.
var named = map[reflect.Type]string{
	reflect.TypeFor[promotion.Ref](): "PromotionRef", reflect.TypeFor[promotion.Wanted](): "PromotionWanted",
	reflect.TypeFor[deadletter.Held](): "DeadLetterQueue", reflect.TypeFor[deadletter.About](): "DeadLetterSubject",
	reflect.TypeFor[overview.Names](): "ObjectNames", reflect.TypeFor[engine.Map](): "TriggerMap", reflect.TypeFor[engine.Edge](): "TriggerEdge",
	reflect.TypeFor[engine.Link](): "TriggerLink", reflect.TypeFor[manage.Node](): "TraceNode",
	reflect.TypeFor[run.Error]():     "TriggerRunError",
	reflect.TypeFor[draft.Choices](): "TriggerChoices", reflect.TypeFor[draft.Report](): "TriggerCheck",
}

// newTypes collects the comments of the structs in the tree.
func newTypes(tree *check.Tree, schemas *object) *types {
	t := &types{comments: map[string]map[string]string{}, schemas: schemas, made: map[string]reflect.Type{}}
	for _, source := range tree.Go {
		// A type of a test may have the same name as a type of the package.
		if source.Test {
			continue
		}
		ast.Inspect(source.Syntax, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || len(d.Specs) != 1 {
				return true
			}
			if spec, ok := d.Specs[0].(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					texts := fieldComments(s)
					texts[""] = description(spec.Name.Name, d.Doc)
					t.comments[check.Module+"/"+source.Dir+"."+spec.Name.Name] = texts
				}
			}
			return true
		})
	}
	return t
}

// fieldComments returns the comment of each field: the trailing one, otherwise the one above.
func fieldComments(s *ast.StructType) map[string]string {
	texts := map[string]string{}
	for _, field := range s.Fields.List {
		for _, name := range field.Names {
			texts[name.Name] = cmp.Or(description("", field.Comment), description(name.Name, field.Doc))
		}
	}
	return texts
}

// citation matches a parenthesis that cites decisions.
var citation = regexp.MustCompile(` \([^()]*\b[CDFG][0-9]+\b[^()]*\)`)

// description returns a comment without citations and without the Go name at its beginning.
func description(name string, comment *ast.CommentGroup) string {
	text := citation.ReplaceAllString(strings.Join(strings.Fields(comment.Text()), " "), "")
	rest, named := strings.CutPrefix(text, name+" ")
	if !named || name == "" {
		return text
	}
	for _, verb := range []string{"is ", "are "} {
		rest = strings.TrimPrefix(rest, verb)
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}

// describe adds the parameters, the body and the response of an endpoint to an operation.
func (t *types) describe(operation *object, e httpapi.Endpoint, status int) error {
	var parameters []any
	var body *object
	if err := t.parameters(e.In(), e.In(), &parameters, &body); err != nil {
		return err
	}
	if _, posted := e.(interface{ PostsQuery() }); posted {
		parameters = slices.DeleteFunc(parameters, func(p any) bool { return p.(*object).text("in") != "path" })
		parameters, body = append(parameters, pageParameters()...), component("schemas", "ListQuery")
	}
	written, _ := operation.take("parameters").([]any)
	if parameters = append(parameters, written...); len(parameters) > 0 {
		operation.set("parameters", parameters)
	}

	if body != nil {
		request := operation.object("requestBody").copied()
		operation.set("requestBody", request)
		if !slices.ContainsFunc(reflect.VisibleFields(e.In()), optionalBody) {
			request.set("required", true)
		}
		request.object("content").object("application/json").set("schema", body) // beside hand-written examples
	}

	responses := operation.object("responses").copied() // an anchor can share them among operations
	operation.take("responses")
	operation.set("responses", responses) // last, as in hand-written operations

	forms := []reflect.Type{e.Out()}
	if either, ok := reflect.Zero(e.Out()).Interface().(interface{ Forms() []reflect.Type }); ok {
		forms = either.Forms()
	}
	for _, form := range forms {
		if err := t.answer(responses, status, form); err != nil {
			return err
		}
	}
	return nil
}

func optionalBody(f reflect.StructField) bool {
	return f.Tag.Get("body") != "" && f.Type.Kind() == reflect.Pointer
}

// answer adds one form of the response; forms with the same status become alternatives.
func (t *types) answer(responses *object, status int, form reflect.Type) error {
	if form == reflect.TypeFor[httpapi.None]() {
		status = http.StatusNoContent
	} else if own, ok := reflect.Zero(form).Interface().(interface{ Status() int }); ok {
		status = own.Status()
	}
	code := strconv.Itoa(status)
	if _, named := responses.values[code].(string); named { // a hand-written response
		return nil
	}
	answer := responses.object(code)
	if !answer.has("description") {
		answer.set("description", "Done.")
	}
	if status == http.StatusNoContent || form.Kind() == reflect.Interface { // several forms, hand-written
		return nil
	}
	if form.Kind() == reflect.Pointer { // a response is never null
		form = form.Elem()
	}
	schema, err := t.schema(form, "", true)
	if err != nil {
		return err
	}
	content := answer.object("content").object("application/json")
	if content.has("schema") {
		schema = objectOf("anyOf", []any{content.object("schema"), schema})
	}
	content.set("schema", schema)
	return nil
}

// parameters adds the parameters of an input and of its embedded structs, and sets body to the schema of the body.
func (t *types) parameters(whole, in reflect.Type, to *[]any, body **object) error {
	for i := range in.NumField() {
		f := in.Field(i)
		path, query := f.Tag.Get("path"), f.Tag.Get("query")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			if err := t.parameters(whole, f.Type, to, body); err != nil {
				return err
			}
		case f.Tag.Get("json") != "":
			schema, err := t.schema(whole, "", false)
			if err != nil {
				return err
			}
			*body = schema
		case f.Tag.Get("body") != "":
			schema, err := t.body(f.Type, f.Tag)
			if err != nil {
				return err
			}
			*body = schema
		case f.Tag.Get("ref") != "":
			*to = append(*to, component("parameters", f.Tag.Get("ref")))
		case f.Type == reflect.TypeFor[page.Request]():
			*to = append(*to, pageParameters()...)
		case f.Type == reflect.TypeFor[etag.Match]():
			*to = append(*to, component("parameters", "ifMatch"))
		case path != "" || query != "" && query != "*":
			p := objectOf("name", path+query, "in", "query")
			if path != "" {
				p.set("in", "path")
				p.set("required", true)
			}
			if f.Tag.Get("required") == "true" {
				p.set("required", true)
			}
			if text := t.comments[typeName(in)][f.Name]; text != "" {
				p.set("description", text)
			}
			plain := f.Type
			if plain.Kind() == reflect.Pointer {
				plain = plain.Elem()
			}
			schema, err := t.schema(plain, f.Tag, false)
			if err != nil {
				return fmt.Errorf("%s.%s: %w", in, f.Name, err)
			}
			if schema.text("type") == "boolean" {
				schema = component("schemas", "Flag")
			}
			if schema.text("type") == "integer" && !schema.has("maximum") {
				schema.set("maximum", json.Number("9007199254740991"))
			}
			if f.Type != plain { // then the empty value is valid too
				if words, ok := schema.values["enum"].([]any); ok {
					schema.set("enum", append(words, ""))
				}
			}
			p.set("schema", schema)
			*to = append(*to, p)
		}
	}
	return nil
}

// pageParameters returns the parameters that select a page of a list.
func pageParameters() []any {
	return []any{component("parameters", "limit"), component("parameters", "offset"), component("parameters", "cursor")}
}

// body returns the schema of a field that holds a whole body; a pointer means an optional body.
func (t *types) body(of reflect.Type, tag reflect.StructTag) (*object, error) {
	if of == reflect.TypeFor[json.RawMessage]() || of == reflect.TypeFor[httpapi.Object]() {
		return component("schemas", tag.Get("body")), nil
	}
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return t.schema(of, tag, false)
}

func typeName(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

func component(kind, name string) *object {
	return objectOf("$ref", "#/components/"+kind+"/"+name)
}

// envelope is the type name that all instances of httpapi.Envelope share.
var envelope = strings.TrimSuffix(reflect.TypeFor[httpapi.Envelope[int]]().Name(), "[int]")

// schema returns the schema of a type where it is used, with the constraints in the field's tag.
func (t *types) schema(of reflect.Type, tag reflect.StructTag, answer bool) (*object, error) {
	if name := tag.Get("schema"); name != "" {
		return component("schemas", name), nil
	}
	if name := components[of]; name != "" {
		return component("schemas", name), nil
	}
	if of.Kind() == reflect.Pointer {
		return t.orNull(of.Elem(), tag, answer)
	}
	if n, ok := reflect.Zero(of).Interface().(interface{ Inner() reflect.Type }); ok {
		return t.orNull(n.Inner(), tag, answer)
	}

	s := newObject()
	switch {
	case of == reflect.TypeFor[json.RawMessage]() || of.Kind() == reflect.Interface || tag.Get("type") != "":
		setKinds(s, tag.Get("type"))
	case of == reflect.TypeFor[json.Number]() || of.Kind() == reflect.Float64:
		s.set("type", "number")
	case of.Kind() == reflect.String:
		s.set("type", "string")
	case of.Kind() == reflect.Bool:
		s.set("type", "boolean")
	case of.Kind() >= reflect.Int && of.Kind() <= reflect.Uint64:
		s.set("type", "integer")
	case of.Kind() == reflect.Slice:
		s.set("type", "array")
		if tag.Get("nullable") == "true" {
			s.set("type", []any{"array", "null"})
		}
		item := of.Elem()
		if item.Kind() == reflect.Pointer {
			item = item.Elem()
		}
		items, err := t.schema(item, itemTag(tag), answer)
		if err != nil {
			return nil, err
		}
		s.set("items", items)
		return s, limit(s, tag, "minItems", "maxItems")
	case of.Kind() == reflect.Map && strings.HasSuffix(of.PkgPath(), "/api") && ast.IsExported(of.Name()):
		return component("schemas", of.Name()), nil // its members are not fields, so it is hand-written
	case of.Kind() == reflect.Map:
		if of.Elem().Kind() == reflect.Interface {
			return objectOf("type", "object", "additionalProperties", true), nil
		}
		values, err := t.schema(of.Elem(), itemTag(tag), answer)
		return objectOf("type", "object", "additionalProperties", values), err
	case of == reflect.TypeFor[time.Time]():
		s.set("type", "string")
		s.set("format", "date-time")
	case of.Kind() == reflect.Struct:
		return t.structure(of, answer)
	default:
		return nil, fmt.Errorf("the type %s has no schema", of)
	}
	if words := tag.Get("enum"); words != "" {
		var list []any
		for word := range strings.SplitSeq(words, ",") {
			if s.text("type") == "integer" {
				list = append(list, json.Number(word))
			} else {
				list = append(list, word)
			}
		}
		s.set("enum", list)
	}
	return s, limit(s, tag, "minimum", "exclusiveMinimum", "maximum", "default", "minLength", "maxLength", "pattern", "format",
		"example")
}

// setKinds sets the JSON types of a value, separated by commas; "" allows any. Several types become anyOf, because
// client generators support no type lists except those with null.
func setKinds(s *object, kinds string) {
	list := []any{}
	for kind := range strings.SplitSeq(kinds, ",") {
		list = append(list, kind)
	}
	switch {
	case kinds == "":
		return
	case len(list) == 1:
		s.set("type", kinds)
	// OpenAPI 3.1 writes a nullable type as a list.
	case len(list) == 2 && list[1] == "null":
		s.set("type", list)
	default:
		for i, kind := range list {
			list[i] = objectOf("type", kind)
		}
		s.set("anyOf", list)
		return
	}
	if list[0] == "object" {
		s.set("additionalProperties", true)
	}
}

// itemTag returns the part of a list field's tag that applies to the items.
func itemTag(tag reflect.StructTag) reflect.StructTag {
	if name := tag.Get("items"); name != "" {
		return reflect.StructTag("schema:" + strconv.Quote(name))
	}
	var kept []string
	for _, name := range []string{"enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "format"} {
		if v, ok := tag.Lookup(name); ok {
			kept = append(kept, name+":"+strconv.Quote(v))
		}
	}
	return reflect.StructTag(strings.Join(kept, " "))
}

// limit copies the tags that constrain a value into its schema.
func limit(s *object, tag reflect.StructTag, names ...string) error {
	for _, name := range names {
		text, ok := tag.Lookup(name)
		if !ok {
			continue
		}
		switch name {
		case "pattern", "format":
			s.set(name, text)
			continue
		case "example":
			s.set("examples", []any{text})
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("the tag %s is no integer", name)
		}
		s.set(name, json.Number(strconv.FormatInt(n, 10)))
	}
	return nil
}

// orNull returns the schema of a nullable type.
func (t *types) orNull(of reflect.Type, tag reflect.StructTag, answer bool) (*object, error) {
	s, err := t.schema(of, tag, answer)
	if err != nil || !answer && of.Kind() != reflect.Struct && tag.Get("query") != "" {
		return s, err
	}
	kind, plain := s.values["type"].(string)
	if !plain {
		return objectOf("anyOf", []any{s, objectOf("type", "null")}), nil
	}
	s.set("type", []any{kind, "null"})
	if words, ok := s.values["enum"].([]any); ok {
		s.set("enum", append(words, nil))
	}
	return s, nil
}

// structure returns a reference to the component of an exported struct, and the schema itself for any other.
func (t *types) structure(of reflect.Type, answer bool) (*object, error) {
	if strings.HasPrefix(of.Name(), envelope+"[") {
		record := of.Field(1).Type.Elem()
		if _, err := t.schema(record, "", answer); err != nil {
			return nil, err
		}
		name := cmp.Or(components[record], named[record], record.Name())
		if !t.schemas.has(name + "Page") {
			t.schemas.set(name+"Page", pageOf(name))
		}
		return component("schemas", name+"Page"), nil
	}

	name := cmp.Or(named[of], of.Name())
	if name == "" || !ast.IsExported(name) {
		return t.members(of, answer)
	}
	if other := t.made[name]; other != nil && other != of {
		return nil, fmt.Errorf("%s and %s are both the component %s", other, of, name)
	}
	if t.made[name] == nil {
		if t.schemas.has(name) {
			return nil, fmt.Errorf("the component %s is written by hand, and %s is one", name, of)
		}
		t.made[name] = of
		t.schemas.set(name, nil) // a struct may contain itself
		s, err := t.members(of, answer)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of, err)
		}
		if text := t.comments[typeName(of)][""]; text != "" {
			s.set("description", text)
		}
		t.schemas.set(name, s)
	}
	return component("schemas", name), nil
}

// members returns the object schema of a struct.
func (t *types) members(of reflect.Type, answer bool) (*object, error) {
	s, properties := newObject(), newObject()
	var required []any
	if err := t.add(of, answer, nil, properties, &required); err != nil {
		return nil, err
	}
	s.set("type", "object")
	if len(required) > 0 {
		s.set("required", required)
	}
	s.set("properties", properties)
	return s, nil
}

// add adds the members of a struct and of its embedded structs, except those that an outer struct hides.
func (t *types) add(of reflect.Type, answer bool, hidden []string, to *object, required *[]any) error {
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			if err := t.add(f.Type, answer, append(memberNames(of), hidden...), to, required); err != nil {
				return err
			}
			if names := f.Tag.Get("required"); names != "" { // required members of the embedded struct
				for name := range strings.SplitSeq(names, ",") {
					*required = append(*required, name)
				}
			}
			continue
		}
		if name == "" || name == "-" || slices.Contains(hidden, name) {
			continue
		}
		kind := f.Type
		// A pointer with omitempty, and a pointer in a request, is an optional member that is not nullable.
		if kind.Kind() == reflect.Pointer && (!answer || strings.Contains(options, "omit")) {
			kind = kind.Elem()
		}
		member, err := t.schema(kind, f.Tag, answer)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if text := t.comments[typeName(of)][f.Name]; text != "" {
			member.set("description", text)
		}
		to.set(name, member)
		if answer && !strings.Contains(options, "omit") || f.Tag.Get("required") == "true" {
			*required = append(*required, name)
		}
	}
	return nil
}

// memberNames returns the JSON names of a struct's own fields, without those of embedded structs.
func memberNames(of reflect.Type) (names []string) {
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}
