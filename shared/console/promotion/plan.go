package promotion

import (
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// Wanted is one object to promote.
type Wanted struct {
	Ref    `required:"kind,name"`
	Expect string `json:"expect"` // Digest of the comparison. Without it, the current state is promoted.
	Options
}

// check checks a list of objects to promote. It returns errs.Invalid for the first mistake.
func check(wanted []Wanted) error {
	if n := len(wanted); n == 0 || n > MaxItems {
		return errs.Invalid("items must be a list of 1 to %d", MaxItems)
	}
	seen := map[Ref]bool{}
	for i, w := range wanted {
		switch {
		case !slices.Contains(kinds, w.Kind):
			return errs.Invalid("items[%d].kind must be function, table or trigger", i)
		case w.Name == "":
			return errs.Invalid("items[%d].name is required", i)
		// Two steps for one object would have two previous states.
		case seen[w.Ref]:
			return errs.Invalid("items[%d]: %s is given twice", i, w.Ref)
		}
		seen[w.Ref] = true
	}
	return nil
}

// plan returns a step for each object before anything is written. A refused step is Failed from the start.
func (p pair) plan(wanted []Wanted) ([]Step, []Item) {
	steps, items := make([]Step, len(wanted)), make([]Item, len(wanted))
	for i, w := range wanted {
		item := p.item(w.Ref, w.Options)
		became := item.outcome(w.Options)
		items[i] = item
		steps[i] = Step{
			Ref: w.Ref, Change: item.Change, Status: Pending, Options: w.Options, Was: digestOf(item.Before),
			Became: digestOf(became), Warnings: item.Warnings,
		}
		if w.Kind == KindFunction {
			steps[i].Version = p.to.functions[w.Name].Version
		}
		steps[i].fail(p.refuse(w, item))
	}

	// A step that depends on a refused step is refused as well, and so are its dependents.
	for again := true; again; {
		again = false
		for i := range steps {
			if steps[i].Status == Pending && steps[i].fail(p.missing(items[i], steps)) {
				again = true
			}
		}
	}
	return steps, items
}

// fail marks a step as failed if there is a reason, and reports whether there is.
func (s *Step) fail(why string) bool {
	if why != "" {
		s.Status, s.Error = Failed, why
	}
	return why != ""
}

// refuse returns why an object cannot be promoted as requested, "" if it can.
func (p pair) refuse(w Wanted, i Item) string {
	switch {
	case i.Before == nil && i.After == nil:
		return fmt.Sprintf("neither %s nor %s has it", p.from.Name, p.to.Name)
	case w.Expect != "" && w.Expect != i.Digest:
		return p.stale(w.Expect, i.Digest)
	case i.Problem != "":
		return i.Problem
	case i.Change == Same:
		return fmt.Sprintf("nothing to promote: it is the same in %s and %s", p.from.Name, p.to.Name)
	case i.Change == Removed && !w.Remove:
		return fmt.Sprintf(`only %s has it: it is deleted there where you ask for it with "remove": true`, p.to.Name)
	case i.Change != Removed && w.Remove:
		return fmt.Sprintf("%s has it, so it is not deleted in %s", p.from.Name, p.to.Name)
	}
	for _, name := range w.RemoveFields {
		if !slices.Contains(i.OwnFields, name) {
			return fmt.Sprintf("remove_fields: %q is not a column that only %s has", name, p.to.Name)
		}
	}
	// Columns that only the target has are kept by default, so the step would change nothing.
	if digestOf(i.outcome(w.Options)) == digestOf(i.Before) {
		return fmt.Sprintf("only the columns %s differ, and only %s has them: name those to delete in remove_fields",
			strings.Join(i.OwnFields, ", "), p.to.Name)
	}
	return ""
}

// stale returns which side has changed since the comparison.
func (p pair) stale(expected, found string) string {
	from, to, _ := strings.Cut(expected, ".")
	fromNow, toNow, _ := strings.Cut(found, ".")
	switch {
	case to != toNow:
		return changedSince(p.to.Name)
	case from != fromNow:
		return changedSince(p.from.Name)
	}
	return "expect is not a digest from a comparison"
}

func changedSince(where string) string {
	return fmt.Sprintf("it was changed in %s after the comparison: compare again", where)
}

// missing returns an error text if an item needs an object that is neither in the target nor promoted with it.
func (p pair) missing(i Item, steps []Step) string {
	if i.Change == Removed {
		return ""
	}
	for _, need := range i.Needs {
		carried := slices.ContainsFunc(steps, func(s Step) bool {
			return s.Ref == need && s.Status == Pending && s.Change == Added
		})
		if !carried {
			return fmt.Sprintf("it needs the %s, which %s does not have: promote it too", need, p.to.Name)
		}
	}
	return ""
}

// outcome returns the definition in the target after the step, nil = deleted.
func (i Item) outcome(o Options) *Definition {
	if i.After == nil || i.After.Table == nil || i.Before == nil {
		return i.After
	}
	merged := *i.After.Table
	for _, f := range i.Before.Table.Fields {
		if _, carried := merged.field(f.Name); !carried && !slices.Contains(o.RemoveFields, f.Name) {
			merged.Fields = append(slices.Clone(merged.Fields), f)
		}
	}
	slices.SortFunc(merged.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return &Definition{Table: &merged}
}

// newTables is the rank of new tables.
const newTables = 0

// rank returns the position of a step in the order: dependencies are created first and deleted last.
func (s Step) rank() int {
	puts := map[Kind]int{KindTable: newTables, KindFunction: 2, KindTrigger: 3}
	deletes := map[Kind]int{KindTrigger: 4, KindFunction: 5, KindTable: 6}
	switch {
	case s.Change == Removed:
		return deletes[s.Kind]
	case s.Kind == KindTable && s.Change == Changed:
		return 1 // its pointers may refer to new tables
	}
	return puts[s.Kind]
}

// ordered returns the indexes of the steps in the order of their ranks.
func ordered(steps []Step, rank func(Step) int) []int {
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank(steps[a]) - rank(steps[b]) })
	return order
}
