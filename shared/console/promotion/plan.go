package promotion

import (
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// Wanted is one thing to be carried.
type Wanted struct {
	Ref    `required:"kind,name"`
	Expect string `json:"expect"` // The digest of the comparison; without it whatever is there is carried.
	Options
}

// check looks at a list of things to be carried: errs.Invalid names what is wrong with it.
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
		case seen[w.Ref]:
			return errs.Invalid("items[%d]: %s is given twice", i, w.Ref)
		}
		seen[w.Ref] = true
	}
	return nil
}

// plan says what becomes of each thing before anything is written: steps that failed are not begun.
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

	// What needs a thing that is refused is refused, too.
	for again := true; again; {
		again = false
		for i := range steps {
			if steps[i].Status == Pending && steps[i].fail(p.lacks(items[i], steps)) {
				again = true
			}
		}
	}
	return steps, items
}

// fail notes why a step cannot be done, if there is a reason.
func (s *Step) fail(why string) bool {
	if why != "" {
		s.Status, s.Error = Failed, why
	}
	return why != ""
}

// refuse says why something cannot be carried as it is asked for, "" = it can.
func (p pair) refuse(w Wanted, i Item) string {
	switch {
	case i.Before == nil && i.After == nil:
		return fmt.Sprintf("neither %s nor %s has it", p.from.Name, p.to.Name)
	case w.Expect != "" && w.Expect != i.Digest:
		return p.moved(w.Expect, i.Digest)
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
	if digestOf(i.outcome(w.Options)) == digestOf(i.Before) {
		return fmt.Sprintf("only the columns %s differ, and only %s has them: name those to delete in remove_fields",
			strings.Join(i.OwnFields, ", "), p.to.Name)
	}
	return ""
}

// moved says which side is another one than was compared.
func (p pair) moved(expected, found string) string {
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

// lacks says which thing is missing that an item needs and that is not carried along.
func (p pair) lacks(i Item, steps []Step) string {
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

// outcome is what the target has when the step is done, nil for nothing.
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

// newTables is the rank of tables that come.
const newTables = 0

// rank orders steps: what others name comes first, and goes last.
func (s Step) rank() int {
	puts := map[Kind]int{KindTable: newTables, KindFunction: 2, KindTrigger: 3}
	deletes := map[Kind]int{KindTrigger: 4, KindFunction: 5, KindTable: 6}
	switch {
	case s.Change == Removed:
		return deletes[s.Kind]
	case s.Kind == KindTable && s.Change == Changed:
		return 1 // its pointers may lead into new ones
	}
	return puts[s.Kind]
}

// inOrder are the places of steps in the order they are done.
func inOrder(steps []Step, rank func(Step) int) []int {
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank(steps[a]) - rank(steps[b]) })
	return order
}
