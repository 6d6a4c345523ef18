package value

import (
	"fmt"
	"strconv"
)

// usersTable is the only table whose rows have integer ids.
const usersTable = "_userprofile"

// convertPointer converts {"_table","id"}. If the column has a target table, the id alone is sufficient, also in an
// object with other keys of the record (C21).
func (c Column) convertPointer(v any) (any, string) {
	object, isObject := v.(map[string]any)
	if c.Target == "" {
		if !isObject {
			return nil, "the field names no table that an id alone could be of"
		}
		table, id := identifier(object["_table"]), identifier(object["id"])
		// Other keys are refused: without a target, the pointer is stored as given.
		if table == nil || id == nil || len(object) != 2 {
			return nil, ""
		}
		return map[string]any{"_table": table, "id": id}, ""
	}

	if isObject {
		if table := object["_table"]; table != nil && !c.leadsInto(table) {
			return nil, fmt.Sprintf("it leads into table %q", c.Target)
		}
		v = object["id"]
	}
	id := identifier(v)
	// User ids are stored as integers, but JSON clients often send strings.
	if text, isText := id.(string); isText && c.Target == usersTable {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 || n > MaxInteger {
			return nil, "the id of a user is an integer"
		}
		id = n
	}
	if _, isNumber := id.(int64); isNumber && c.Target != usersTable {
		return nil, "the id of a row is a string"
	}
	if id == nil {
		return nil, ""
	}
	return map[string]any{"_table": c.Target, "id": id}, ""
}

// leadsInto reports whether table is the name or id of the column's target table.
func (c Column) leadsInto(table any) bool {
	number := strconv.FormatInt(c.TargetID, 10)
	switch table := identifier(table).(type) {
	case string:
		return table == c.Target || table == number
	case int64:
		return table == c.TargetID
	}
	return false
}
