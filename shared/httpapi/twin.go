package httpapi

import "strings"

// The prefixes of the open API and of the dashboard API, under which a route with Twin is served alike (C35).
const (
	openPrefix      = "/oserve/"
	dashboardPrefix = "/userve/"
)

// Served returns the route, and its twin if it has one. The twin differs in its path only.
func (r Route) Served() []Route {
	if !r.Twin {
		return []Route{r}
	}
	twin := r
	twin.Path = twinOf(r.Path)
	return []Route{r, twin}
}

func twinOf(path string) string {
	if rest, ok := strings.CutPrefix(path, openPrefix); ok {
		return dashboardPrefix + rest
	}
	if rest, ok := strings.CutPrefix(path, dashboardPrefix); ok {
		return openPrefix + rest
	}
	panic("httpapi: " + path + " has a twin but no prefix that can be exchanged")
}
