package draft

import (
	"slices"
	"strings"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// known has the schemas that variables are checked against when a trigger is saved.
type known struct {
	rows  value.Schema // columns of the table of a table trigger, with the system columns
	event trigger.Change
	users value.Schema
}

func newKnown(c trigger.Condition, in, users *table.Table) known {
	var n known
	if condition, ok := c.(*trigger.TableCondition); ok && in != nil {
		n.rows, n.event = engine.RuleColumns(*in), condition.Event
	}
	if users != nil {
		n.users = users.Queryable()
	}
	return n
}

// names returns the variables that are known when a trigger is saved.
func (n known) names(v *trigger.Visibility) []string {
	names := slices.Clone(v.Names)
	if v.Row {
		var columns []string
		for _, c := range n.rows {
			columns = append(columns, c.Name)
		}
		names = append(names, columns...)
		// The columns can also follow payload., before. and after.
		for _, side := range n.sides() {
			names = append(names, trigger.Prefixed(side, columns)...)
		}
	}
	if !v.Creator {
		return names
	}

	own := slices.Clone(trigger.UserFields)
	for _, c := range n.users {
		if !slices.Contains(own, c.Name) {
			own = append(own, c.Name)
		}
	}
	return append(names, trigger.Prefixed(trigger.CreatedBy, own)...)
}

// sides returns the prefixes of a row's variables.
func (n known) sides() []string {
	switch n.event {
	case trigger.Create:
		return []string{"payload", "after"}
	case trigger.Update:
		return []string{"payload", "after", "before"}
	}
	return []string{"payload", "before"}
}

// has reports whether a variable can have a value: the name itself, or the object that it reads from, is known.
func (n known) has(name string, v *trigger.Visibility) bool {
	path := strings.Split(name, ".")
	if v.Open {
		return v.Member(path[0])
	}
	if v.Row {
		if c, ok := n.column(path); ok {
			return reaches(c, path)
		}
	}

	if v.NamesCreator(name) { // also behind payload., before. or after.
		path = path[slices.Index(path, trigger.CreatedBy):]
	}
	names := n.names(v)
	for i := range path {
		if slices.Contains(names, strings.Join(path[:i+1], ".")) && n.holds(path[:i+1], path[i+1:]) {
			return true
		}
	}

	return false
}

// holds reports whether the value at path can have the members in rest.
func (n known) holds(path, rest []string) bool {
	last := path[len(path)-1]
	if len(rest) == 0 || last == "merchandise_snapshot" || last == "reference" {
		return true
	}
	c, ok := n.users.Column(last)
	return ok && len(path) > 1 && path[0] == trigger.CreatedBy && reaches(c, append(path, rest...))
}

// column returns the column that a variable of a row names.
func (n known) column(path []string) (value.Column, bool) {
	if len(path) > 1 && slices.Contains(n.sides(), path[0]) {
		path = path[1:]
	}
	if path[0] == trigger.CreatedBy && len(path) > 1 {
		return value.Column{}, false
	}
	return n.rows.Column(path[0])
}

// reaches reports whether a column can have a value under the rest of a path.
func reaches(c value.Column, path []string) bool {
	last := path[len(path)-1]
	inside := last != c.Name
	switch c.Type {
	case value.Object, value.File:
		return true
	case value.Pointer:
		return !inside || last == "id" || last == "_table"
	}
	return !inside
}
