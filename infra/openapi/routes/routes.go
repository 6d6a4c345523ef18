// Package routes lists the routes of all programs, for tools and tests that visit every endpoint.
package routes

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"

	cloudfunction "minicloud/functions/cloudfunction/api"
	consoleapi "minicloud/functions/console/api"
	file "minicloud/functions/file/api"
	incomingwebhook "minicloud/functions/incomingwebhook/api"
	message "minicloud/functions/message/api"
	oauth "minicloud/functions/oauth/api"
	order "minicloud/functions/order/api"
	paymentnotify "minicloud/functions/paymentnotify/api"
	paymentrefund "minicloud/functions/paymentrefund/api"
	sessionapi "minicloud/functions/session/api"
	table "minicloud/functions/table/api"
	trigger "minicloud/functions/trigger/api"
	userapi "minicloud/functions/user/api"
	"minicloud/shared/console"
	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

// Route is one line of a program's route list. Its path has no trailing slash, and its Role is never "".
type Route struct {
	httpapi.Route
	Program string // the folder below functions/
	TwinOf  string // the path of the route whose twin this is (C35), "" for a route of its own
}

// All returns the routes of all programs.
func All() []Route {
	var all []Route
	for _, group := range []struct {
		program string
		routes  []httpapi.Route
	}{
		{"console", (&consoleapi.Group{}).Routes()},
		{"cloudfunction", (&cloudfunction.Group{}).Routes()},
		{"file", (&file.Group{}).Routes()},
		{"incomingwebhook", (&incomingwebhook.Group{}).Routes()},
		{"message", (&message.Group{}).Routes()},
		{"oauth", (&oauth.Group{}).Routes()},
		{"order", (&order.Group{}).Routes()},
		{"paymentnotify", (&paymentnotify.Group{}).Routes()},
		{"paymentrefund", (&paymentrefund.Group{}).Routes()},
		{"session", (&sessionapi.Group{}).Routes()},
		{"table", (&table.Group{}).Routes()},
		{"trigger", (&trigger.Group{}).Routes()},
		{"user", (&userapi.Group{Users: &user.Service{}}).Routes()},
	} {
		for _, r := range group.routes {
			r.Path = strings.TrimSuffix(r.Path, "/")
			// The default role for writes is the developer, so that a forgotten role does not let viewers write.
			least := console.Developer
			if r.Method == http.MethodGet || r.Reads {
				least = console.Viewer
			}
			r.Role = cmp.Or(r.Role, least)
			for i, served := range r.Served() {
				route := Route{Route: served, Program: group.program}
				if i > 0 {
					route.TwinOf = r.Path
				}
				all = append(all, route)
			}
		}
	}
	return all
}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// Shape returns a path without the names of its wildcards and without a trailing slash.
func Shape(path string) string { return strings.TrimSuffix(wildcard.ReplaceAllString(path, "{}"), "/") }

// Match reports whether a path fits a pattern, and how many of its segments the pattern names. A wildcard stands for
// one segment that is not empty; a trailing slash does not count.
func Match(pattern, path string) (named int, ok bool) {
	want, have := strings.Split(strings.TrimSuffix(pattern, "/"), "/"), strings.Split(strings.TrimSuffix(path, "/"), "/")
	if len(want) != len(have) {
		return 0, false
	}
	for i, segment := range want {
		switch {
		case segment == have[i]:
			named++
		case !strings.HasPrefix(segment, "{") || have[i] == "":
			return 0, false
		}
	}
	return named, true
}

// Is reports whether a route has a method and a path; the names of wildcards do not matter.
func (r Route) Is(method, path string) bool {
	return strings.EqualFold(r.Method, method) && Shape(r.Path) == Shape(path)
}
