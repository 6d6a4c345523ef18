// Package openapi assembles one OpenAPI 3.1 document from the pieces beside the routes, and compares the programs'
// responses with it.
//
// A piece is functions/<program>/api/openapi*.yaml with tags, paths and components in the form of OpenAPI.
// shared/httpapi/openapi/common.yaml has the shared parts. Parts that follow from the route list are generated:
//
//	security    of an operation, from the route's access
//	parameters  X-Service-Env-ID and Idempotency-Key, if they apply
//	responses   the errors that every operation of its kind has (standard.go)
//	parameters, requestBody, the schema of the answer
//	            of an httpapi.Endpoint, from its types (types.go)
//
// Two shorthands keep pieces short:
//
//	discriminator         as a schema without oneOf: its mapping names the schemas that oneOf lists
//	x-same-as: /a/path/   as a path: the operations of another path, each named <operationId>Twin, or
//	                      <operationId>V22 if /hserve/v2.2/ is another version of the same path
//
// `make openapi` writes the result to shared/httpapi/openapi/openapi.json. The programs serve it, and clients are
// generated from it.
package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"minicloud/infra/check"
	"minicloud/infra/openapi/routes"
)

// Document is the path of the result, relative to the root of the repository.
const Document = "shared/httpapi/openapi/openapi.json"

// common is the file with the shared parts; pieces matches the files of the programs.
const (
	common = "shared/httpapi/openapi/common.yaml"
	pieces = "functions/*/api/openapi*.yaml"
)

// methods are the methods of operations, as OpenAPI spells them.
var methods = []string{"get", "post", "put", "patch", "delete"}

// Assemble returns the document of the repository at root.
func Assemble(root string, tree *check.Tree, all []routes.Route) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, common))
	if err != nil {
		return nil, err
	}
	document, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", common, err)
	}

	files, err := filepath.Glob(filepath.Join(root, pieces))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name, _ := filepath.Rel(root, file)
		piece, err := parse(text)
		if err == nil {
			err = add(document, piece)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.ToSlash(name), err)
		}
	}

	addTwins(document.object("paths"), all)
	// derive must precede complete, which copies the operations of twins with all that derive adds.
	if err := derive(document, tree, all); err != nil {
		return nil, err
	}
	if err := complete(document, all); err != nil {
		return nil, err
	}
	// With one member per line, a diff shows the changed members.
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	err = encoder.Encode(document)
	return out.Bytes(), err
}

// add merges a piece into the document.
func add(document, piece *object) error {
	for _, name := range piece.names {
		list, isList := piece.values[name].([]any)
		inner, isObject := piece.values[name].(*object)
		switch {
		case isList && name == "tags":
			tags, _ := document.values[name].([]any)
			document.set(name, append(tags, list...))
		case isObject && strings.HasPrefix(name, "x-"): // YAML anchors
		case isObject && (name == "paths" || name == "components"):
			if err := merge(document.object(name), inner, name); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s does not belong into a piece", name)
		}
	}
	return nil
}

// addTwins describes the twins of routes (C35), which no piece describes, as their originals.
func addTwins(paths *object, all []routes.Route) {
	for _, r := range all {
		if r.TwinOf == "" {
			continue
		}
		original := slices.IndexFunc(paths.names, func(p string) bool { return routes.Shape(p) == routes.Shape(r.TwinOf) })
		// A route without a description is reported with its original.
		if original >= 0 {
			paths.set(r.Path+"/", objectOf("x-same-as", paths.names[original]))
		}
	}
}

// merge adds members. Only objects of components, such as schemas, may exist in both.
func merge(to, from *object, path string) error {
	for _, name := range from.names {
		here := path + "." + name
		if !to.has(name) {
			to.set(name, from.values[name])
			continue
		}
		inner, ok := from.values[name].(*object)
		// Two pieces may both add to a kind of component, but never to the same path or schema.
		if !ok || path != "components" {
			return fmt.Errorf("%s is there already", here)
		}
		if err := merge(to.object(name), inner, here); err != nil {
			return err
		}
	}
	return nil
}

// complete expands the shorthands and adds the standard parts of its route to each operation. A route without a
// description and a description without a route are errors.
func complete(document *object, all []routes.Route) error {
	schemas := document.object("components").object("schemas")
	for _, name := range schemas.names {
		if schema, ok := schemas.values[name].(*object); ok && schema.has("discriminator") && !schema.has("oneOf") {
			addOneOf(schema)
		}
	}

	var wrong []error
	paths := document.object("paths")
	// Twins come first: the standard errors and headers depend on each path's own route, so they must not be copied.
	for _, path := range paths.names {
		item := paths.object(path)
		if other := item.text("x-same-as"); other != "" {
			original, ok := paths.values[other].(*object)
			if !ok || original.has("x-same-as") {
				wrong = append(wrong, fmt.Errorf("%s: there is no path %s", path, other))
				continue
			}
			paths.set(path, twin(original, other, path))
		}
	}
	described, named := map[string]bool{}, map[string]string{}
	for _, path := range paths.names {
		item := paths.object(path)
		for _, method := range item.names {
			if !slices.Contains(methods, method) {
				continue
			}
			operation, here := item.object(method), strings.ToUpper(method)+" "+routes.Shape(path)
			described[here] = true
			name := operation.text("operationId")
			if name == "" || operation.text("summary") == "" {
				wrong = append(wrong, fmt.Errorf("%s has no operationId or no summary", here))
			}
			if other, twice := named[name]; twice {
				wrong = append(wrong, fmt.Errorf("%s and %s are both called %s", here, other, name))
			}
			named[name] = here
			if err := standard(operation, method, path, all); err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	for _, r := range all {
		if !described[r.Method+" "+routes.Shape(r.Path)] {
			wrong = append(wrong, fmt.Errorf("functions/%s/api/openapi.yaml describes no %s %s", r.Program, r.Method, r.Path))
		}
	}
	return errors.Join(wrong...)
}

// pageOf returns the schema of a list of objects with that schema.
func pageOf(name string) *object {
	return objectOf(
		"type", "object", "description", "A page of a list; meta.next leads to the next one.",
		"required", []any{"meta", "objects"},
		"properties", objectOf(
			"meta", component("schemas", "PageMeta"),
			"objects", objectOf("type", "array", "items", component("schemas", name)),
		),
	)
}

// addOneOf adds oneOf with the schemas in the mapping of a discriminator.
func addOneOf(schema *object) {
	discriminator := schema.object("discriminator").copied() // an anchor can share it among schemas
	mapping := discriminator.object("mapping")
	var all []any
	for _, value := range mapping.names {
		reference := component("schemas", mapping.text(value))
		mapping.set(value, reference.text("$ref"))
		all = append(all, reference)
	}
	schema.take("discriminator")
	schema.set("oneOf", all)
	schema.set("discriminator", discriminator)
}

// version matches the version of a client's path.
var version = regexp.MustCompile(`^/hserve/v(\d+)(?:\.(\d+))?/`)

// suffix returns what the operations of a twin add to the names of its original: the version, if clients may call a path
// under several versions.
func suffix(path, of string) string {
	if m := version.FindStringSubmatch(path); m != nil && version.MatchString(of) {
		return "V" + m[1] + m[2]
	}
	return "Twin"
}

// twin copies the operations of another path.
func twin(original *object, of, path string) *object {
	copy := original.copied()
	for _, name := range copy.names {
		operation, ok := copy.values[name].(*object)
		if !ok || !slices.Contains(methods, name) {
			continue
		}
		// operationId must be unique, because client generators name methods after it.
		operation.set("operationId", operation.text("operationId")+suffix(path, of))
		operation.set("description", "The same as "+strings.ToUpper(name)+" "+of+".")
	}
	return copy
}
