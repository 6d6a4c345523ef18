package gateway

import (
	"slices"
	"strings"

	"minicloud/infra/local/template"
)

// target is a route, split into segments, with its function.
type target struct {
	template.Route
	function string
	alias    string   // of the version that answers, "" = the latest code
	segments []string // path segments; the last is "" after a trailing slash
	// slash makes {proxy+} match an empty rest after the slash. It is set if the function also has the route without
	// {proxy+}: it then serves the path with a slash whether or not API Gateway ignores the slash (decision 2).
	slash bool
}

// match returns the path parameters, and whether the target serves the path.
func (t *target) match(segments []string) (map[string]string, bool) {
	params := map[string]string{}
	for i, want := range t.segments {
		name, variable := strings.CutPrefix(want, "{")
		name = strings.TrimSuffix(name, "}")
		// A greedy variable is always the last segment and matches the rest of the path.
		if greedy, ok := strings.CutSuffix(name, "+"); variable && ok {
			rest := strings.Join(segments[min(i, len(segments)):], "/")
			params[greedy] = rest
			return params, rest != "" || t.slash && i < len(segments)
		}

		if i >= len(segments) || (variable && segments[i] == "") || (!variable && segments[i] != want) {
			return nil, false
		}
		if variable {
			params[name] = segments[i]
		}
	}

	return params, len(segments) == len(t.segments)
}

// rank orders targets by how specific they are. In each segment, a literal precedes a variable and a variable a greedy
// one; in the end, a method precedes ANY.
func (t *target) rank() string {
	if t.Path == "$default" {
		return "4" // after all others, however short
	}
	var b strings.Builder
	for _, segment := range t.segments {
		switch {
		case strings.HasSuffix(segment, "+}"):
			b.WriteByte('3')
		case strings.HasPrefix(segment, "{"):
			b.WriteByte('2')
		default:
			b.WriteByte('1')
		}
	}

	if t.Method == "ANY" {
		b.WriteByte('9')
	}

	return b.String()
}

// targets returns all routes of the template, the most specific first.
func targets(functions []*template.Function) []*target {
	var out []*target
	for _, f := range functions {
		for _, r := range f.Routes {
			slash := slices.ContainsFunc(f.Routes, func(exact template.Route) bool {
				return exact.Method == r.Method && exact.Path+"/{proxy+}" == r.Path
			})
			out = append(out, &target{Route: r, function: f.Name, alias: f.Alias, segments: split(r.Path), slash: slash})
		}
	}
	slices.SortStableFunc(out, func(a, b *target) int { return strings.Compare(a.rank(), b.rank()) })
	return out
}

func split(path string) []string {
	return strings.Split(strings.TrimPrefix(path, "/"), "/")
}

// find returns the target of a request and its path parameters, or nil if no route matches.
func find(all []*target, method, path string) (*target, map[string]string) {
	segments := split(path)
	for _, t := range all {
		if t.Method != "ANY" && t.Method != method {
			continue
		}
		if t.Path == "$default" {
			return t, nil
		}
		if params, ok := t.match(segments); ok {
			return t, params
		}
	}
	return nil, nil
}
