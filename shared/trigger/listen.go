package trigger

import (
	"maps"
	"slices"

	"minicloud/shared/table"
)

// Listening is how many triggers more, or fewer, wait for a change of a table's rows.
type Listening struct {
	Table table.ID
	By    map[Change]int
}

// Listeners is what becomes different for tables when next takes the place of old; nil is no trigger. Every change of
// a table trigger is told, also one that leaves the numbers as they are: its table must know that something is new.
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
