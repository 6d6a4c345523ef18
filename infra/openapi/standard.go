package openapi

import (
	"fmt"
	"slices"
	"strings"

	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
)

// access describes an httpapi.Access in terms of the document.
type access struct {
	security []string // names of security schemes, all of them required
	changing []string // further schemes that all methods except GET require
	instead  string   // an alternative scheme, "" for none
	env      bool     // the header X-Service-Env-ID applies
	keyed    bool     // the header Idempotency-Key applies
	roles    bool     // administrators may call; x-role has the lowest role
	optional []string // schemes of security that a route which needs no session can do without
	errors   []string // statuses of this access
}

// accesses describes each access of a route.
var accesses = map[httpapi.Access]access{
	httpapi.Public: {},
	httpapi.Bearer: {
		security: []string{"bearer"}, instead: "console", env: true, keyed: true, roles: true,
		errors: []string{"401", "403", "409"},
	},
	httpapi.ServiceR1: {
		security: []string{"serviceR1", "clientID"}, instead: "console", env: true, keyed: true,
		errors: []string{"401", "403", "409"},
	},
	httpapi.Client: {
		security: []string{"clientID", "endUser"}, optional: []string{"endUser"}, env: true, keyed: true,
		errors: []string{"401", "403", "409", "429"},
	},
	httpapi.RunToken: {security: []string{"run"}, keyed: true, errors: []string{"404", "409"}},
	httpapi.Session: {
		security: []string{"session"}, changing: []string{"csrf"}, keyed: true, roles: true,
		errors: []string{"401", "403", "409"},
	},
}

// errorNames maps statuses to components of shared/httpapi/openapi/common.yaml.
var errorNames = map[string]string{
	"400": "BadRequest", "401": "Unauthorized", "403": "Forbidden", "404": "NotFound", "409": "Conflict",
	"405": "SwitchedOff", "413": "TooLarge", "415": "NotJSON", "422": "KeyReused", "429": "TooMany", "500": "InternalError",
	"503": "Unavailable", "504": "TimedOut",
}

// everywhere are the error statuses of all operations.
var everywhere = []string{"400", "500", "503", "504"}

// standard adds the parts of an operation that follow from its route: security, headers, and the errors of all
// operations of its kind. It keeps the parts that the piece describes.
func standard(operation *object, method, path string, all []routes.Route) error {
	i := slices.IndexFunc(all, func(r routes.Route) bool { return r.Is(method, path) })
	if i < 0 {
		return fmt.Errorf("%s %s is described and in no route list", strings.ToUpper(method), path)
	}
	how, known := accesses[all[i].Access]
	// A new kind of access must be described; it must not be documented as public by default.
	if !known {
		return fmt.Errorf("%s %s: say in infra/openapi/standard.go what access %d means", method, path, all[i].Access)
	}

	security := how.needs(method, all[i].Needs)
	if all[i].AccessTokens {
		security = append(security, accesses[httpapi.ServiceR1].needs(method, httpapi.Anyone)...)
	}
	if all[i].Acts && all[i].Access == httpapi.Client && !all[i].AccessTokens {
		security = append(security, objectOf("console", []any{})) // with the token of an administrator who acts as a user
	}
	operation.set("security", security)
	if how.roles {
		operation.set("x-role", string(all[i].Role))
	}

	writes := (method == "post" || method == "put" || method == "patch") && !all[i].Fresh
	if how.env {
		addParameter(operation, "env")
	}
	if how.keyed && writes {
		addParameter(operation, "idempotencyKey")
	}

	statuses := slices.Concat(everywhere, how.errors)
	if strings.Contains(path, "{") {
		statuses = append(statuses, "404")
	}
	if operation.has("requestBody") {
		statuses = append(statuses, "413", "415")
	}
	if how.keyed && writes {
		statuses = append(statuses, "422")
	}
	if all[i].Enters {
		statuses = append(statuses, "405", "429")
	}
	slices.Sort(statuses)
	addErrors(operation.object("responses"), slices.Compact(statuses))
	return nil
}

// needs returns the alternative security requirements of a method. A request must meet one of them, with all of its
// schemes.
func (a access) needs(method string, standing httpapi.Standing) []any {
	ways := []any{}
	// Schemes in one object are all required; objects in the list are alternatives.
	add := func(schemes []string) {
		way := newObject()
		for _, scheme := range schemes {
			way.set(scheme, []any{})
		}
		ways = append(ways, way)
	}
	all := a.security
	if method != "get" {
		all = slices.Concat(a.security, a.changing)
	}
	if len(a.optional) > 0 && standing == httpapi.Anyone {
		optional := func(scheme string) bool { return slices.Contains(a.optional, scheme) }
		add(slices.DeleteFunc(slices.Clone(a.security), optional))
	}
	if len(a.security) > 0 {
		add(all)
	}
	if a.instead != "" {
		ways = append(ways, objectOf(a.instead, []any{}))
	}
	return ways
}

func addParameter(operation *object, name string) {
	given, _ := operation.values["parameters"].([]any)
	operation.set("parameters", append(slices.Clone(given), component("parameters", name)))
}

// addErrors adds error statuses in ascending order, after those of success.
func addErrors(responses *object, statuses []string) {
	for _, status := range responses.names {
		// "403: Forbidden" in a piece is short for a reference to that component.
		if name, short := responses.values[status].(string); short {
			responses.set(status, component("responses", name))
		}
		if !slices.Contains(statuses, status) {
			statuses = append(statuses, status)
		}
	}
	slices.Sort(statuses)
	ordered := newObject()
	for _, status := range statuses {
		if v, said := responses.values[status]; said {
			ordered.set(status, v)
		} else {
			ordered.set(status, component("responses", errorNames[status]))
		}
	}
	*responses = *ordered
}
