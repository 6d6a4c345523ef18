package trigger

import (
	"maps"
	"slices"

	"minicloud/shared/table"
)

// Listening is the change in the number of triggers that listen to each kind of row change of a table.
type Listening struct {
	Table table.ID
	By    map[Change]int
}

// Listeners returns the changes in the listener counts of tables when next replaces old; nil means no trigger. It has
// an entry for every table of a changed table trigger, even if no count changes, because the write also raises the
// revision of the table and so invalidates cached matchers.
func Listeners(old, next *Trigger) []Listening {
	tables := map[table.ID]map[Change]int{}
	add := func(t *Trigger, by int) {
		if t == nil || t.Type != TypeTable {
			return
		}
		c := t.Condition.(*TableCondition)
		in := t.TableID(c.Table)
		if tables[in] == nil {
			tables[in] = map[Change]int{}
		}
		if t.Enabled {
			tables[in][c.Event] += by
		}
	}
	add(old, -1)
	add(next, 1)

	var all []Listening
	for _, in := range slices.Sorted(maps.Keys(tables)) {
		maps.DeleteFunc(tables[in], func(_ Change, n int) bool { return n == 0 })
		all = append(all, Listening{Table: in, By: tables[in]})
	}
	return all
}
