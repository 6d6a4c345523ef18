package openapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"minicloud/infra/check"
	"minicloud/infra/openapi/routes"
)

// derive adds the schemas of the endpoints' Go types to the operations of a document.
func derive(document *object, tree *check.Tree, all []routes.Route) error {
	t := newTypes(tree, document.object("components").object("schemas"))
	paths := document.object("paths")
	for _, route := range all {
		if route.Call == nil {
			continue
		}
		i := slices.IndexFunc(paths.names, func(p string) bool { return routes.Shape(p) == routes.Shape(route.Path) })
		if i < 0 {
			return fmt.Errorf("%s %s is not described", route.Method, route.Path)
		}
		item := paths.object(paths.names[i])
		// complete copies these operations later.
		if item.has("x-same-as") {
			continue
		}
		operation := item.object(strings.ToLower(route.Method))
		if err := t.describe(operation, route.Call, cmp.Or(route.Status, http.StatusOK)); err != nil {
			return fmt.Errorf("%s %s: %w", route.Method, route.Path, err)
		}
	}
	return nil
}
