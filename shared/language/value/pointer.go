package value

import (
	"fmt"
	"strconv"
)

// usersTable is the one table whose rows have integer ids.
const usersTable = "_userprofile"

// convertPointer reads {"_table","id"}. Where the column says which table it leads into, the id is enough, alone or in
// an object with whatever else the record has (C21).
func (c Column) convertPointer(v any) (any, string) {
	object, isObject := v.(map[string]any)
	if c.Target == "" {
		if !isObject {
			return nil, "the field names no table that an id alone could be of"
		}
		table, id := identifier(object["_table"]), identifier(object["id"])
		// Further keys are refused: a pointer without a target is stored as it is given.
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
	// User ids are integers in storage, but JSON clients often send them as strings.
	if text, isText := id.(string); isText && c.Target == usersTable {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 || n > MaxInteger {
			return nil, "the id of a user is an integer"
		}
		id = n
	}
	if id == nil {
		return nil, ""
	}
	return map[string]any{"_table": c.Target, "id": id}, ""
}

// leadsInto reports whether a table is the column's, by its name or its id.
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
