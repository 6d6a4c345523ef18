package openapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	function "minicloud/functions/cloudfunction/api"
	console "minicloud/functions/console/api"
	message "minicloud/functions/message/api"
	order "minicloud/functions/order/api"
	refund "minicloud/functions/paymentrefund/api"
	table "minicloud/functions/table/api"
	trigger "minicloud/functions/trigger/api"
	user "minicloud/functions/user/api"
	"minicloud/infra/check"
	"minicloud/shared/httpapi"
	users "minicloud/shared/user"
)

// typed returns the routes of the programs whose endpoints say what they take and answer by types.
func typed() []httpapi.Route {
	return slices.Concat(
		(&console.Group{}).Routes(),
		(&function.Group{}).Routes(),
		(&message.Group{}).Routes(),
		(&order.Group{}).Routes(),
		(&refund.Group{}).Routes(),
		(&table.Group{}).Routes(),
		(&trigger.Group{}).Routes(),
		(&user.Group{Users: &users.Service{}}).Routes(),
	)
}

// derive adds to the operations of a document what the types of their endpoints say.
func derive(document *object, tree *check.Tree) error {
	t := newTypes(tree, document.object("components").object("schemas"))
	paths := document.object("paths")
	for _, route := range typed() {
		if route.Call == nil {
			continue
		}
		i := slices.IndexFunc(paths.names, func(p string) bool { return Shape(p) == Shape(route.Path) })
		if i < 0 {
			return fmt.Errorf("%s %s is not described", route.Method, route.Path)
		}
		item := paths.object(paths.names[i])
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
