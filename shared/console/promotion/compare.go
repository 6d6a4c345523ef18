package promotion

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	tablemanage "minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/user"
)

// Service compares environments and promotes.
type Service struct {
	// Functions has no Runner: the code was checked when it was saved in the source.
	Functions *cloudfunction.Service
	Variables *cloudfunction.Variables
	Tables    *tablemanage.Service
	Triggers  *manage.Service
	Groups    Groups
	Store     Store
	Clock     clock.Clock
	IDs       *id.Source
}

// Groups lists groups of users.
type Groups interface {
	// ListGroups returns all groups of an environment.
	ListGroups(ctx context.Context, scope tenant.Scope) ([]user.Group, error)
}

// Item is the comparison of one object.
type Item struct {
	Ref
	Change Change
	// Before is the definition in the target, After the one in the source; nil = the object does not exist there.
	Before, After *Definition
	// Digest identifies both definitions; Wanted.Expect contains it.
	Digest string
	// Needs are objects that the source's definition refers to and the target lacks.
	Needs []Ref
	// OwnFields are columns that only the target's table has. They are kept unless the caller removes them.
	OwnFields []string
	// Problem is why the object cannot be promoted, "" = it can.
	Problem  string
	Warnings []string
}

// Compare returns a page of the objects of both environments, sorted by kind and name.
func (s *Service) Compare(ctx context.Context, from, to Environment, req page.Request) (page.Page[Item], error) {
	source, target, err := s.readBoth(ctx, from, to)
	if err != nil {
		return page.Page[Item]{}, err
	}
	p := pair{source, target}
	all := p.refs()
	start := min(req.Offset, len(all))
	if req.After != "" {
		if start = slices.IndexFunc(all, func(r Ref) bool { return r.cursor() > req.After }); start < 0 {
			start = len(all)
		}
	}

	var items []Item
	for _, ref := range all[start:min(start+req.Limit+1, len(all))] {
		items = append(items, p.item(ref, Options{}))
	}
	// Definitions can be long, so a page ends before the response exceeds its limit.
	got := page.Cut(items, req.Limit, Item.wire, func(i Item) page.Cursor { return i.cursor() })
	got.Total = len(all)
	for i := range got.Objects {
		if err := s.warnOfVariables(ctx, p, &got.Objects[i]); err != nil {
			return got, err
		}
	}
	return got, nil
}

// readBoth reads both environments. It returns errs.Invalid if they are the same.
func (s *Service) readBoth(ctx context.Context, from, to Environment) (source, target *snapshot, err error) {
	if from.Scope == to.Scope {
		return nil, nil, errs.Invalid("from and to must be two environments")
	}
	if source, err = s.read(ctx, from); err == nil {
		target, err = s.read(ctx, to)
	}
	return source, target, err
}

// cursor is the position of an object in a comparison.
func (r Ref) cursor() page.Cursor {
	return page.Cursor(fmt.Sprintf("%d/%s", slices.Index(kinds, r.Kind), r.Name))
}

// String returns the kind and the quoted name, such as trigger "paid".
func (r Ref) String() string { return fmt.Sprintf("%s %q", r.Kind, r.Name) }

// wire returns the maximum size of an item in a response, in bytes.
func (i Item) wire() int {
	size := 2000 + page.Wire(i.Problem) + page.Wire(i.Name)
	for _, d := range []*Definition{i.Before, i.After} {
		if d != nil {
			size += len(d.text())
		}
	}
	for _, text := range slices.Concat(i.Warnings, i.OwnFields) {
		size += page.Wire(text) + 1
	}
	for _, need := range i.Needs {
		size += page.Wire(need.Name) + 40
	}
	return size
}

// pair is the source and the target.
type pair struct{ from, to *snapshot }

// refs returns the objects of both, sorted by kind and name.
func (p pair) refs() (all []Ref) {
	for _, k := range kinds {
		for _, name := range slices.Concat(p.from.names(k), p.to.names(k)) {
			all = append(all, Ref{k, name})
		}
	}
	slices.SortFunc(all, func(a, b Ref) int { return cmp.Compare(a.cursor(), b.cursor()) })
	return slices.Compact(all)
}

// item compares one object and adds warnings about the effects of its options.
func (p pair) item(ref Ref, o Options) Item {
	i := Item{Ref: ref, Before: p.to.definition(ref), After: p.from.definition(ref)}
	from, to := digestOf(i.After), digestOf(i.Before)
	i.Digest = cmp.Or(from, "-") + "." + cmp.Or(to, "-")
	switch {
	case to == "":
		i.Change = Added
	case from == "":
		i.Change = Removed
	case from == to:
		i.Change = Same
	default:
		i.Change = Changed
	}

	if i.After != nil {
		for _, need := range i.After.needs() {
			// A table may have a pointer to itself.
			if need != ref && p.to.definition(need) == nil {
				i.Needs = append(i.Needs, need)
			}
		}
	}
	switch ref.Kind {
	case KindTable:
		p.tableItem(&i, o)
	case KindTrigger:
		p.triggerItem(&i, o)
	}
	if i.Change == Removed {
		p.warnOfUsers(&i)
	}
	return i
}

func (i *Item) warn(format string, args ...any) {
	i.Warnings = append(i.Warnings, fmt.Sprintf(format, args...))
}

// problem stores why an item cannot be promoted. It keeps an earlier reason.
func (i *Item) problem(format string, args ...any) {
	if i.Problem == "" {
		i.Problem = fmt.Sprintf(format, args...)
	}
}

// tableItem compares the columns of a table.
func (p pair) tableItem(i *Item, o Options) {
	if i.After == nil {
		return
	}
	p.warnOfPermissions(i)
	before := &TableDefinition{}
	if i.Before != nil {
		before = i.Before.Table
	}

	after := i.After.Table
	for _, f := range before.Fields {
		wanted, there := after.field(f.Name)
		switch {
		case !there:
			i.OwnFields = append(i.OwnFields, f.Name)
		case f.converts(wanted):
			i.problem("column %q is %s in %s and %s in %s, so its values would be lost: remove the column there first",
				f.Name, f.kind(), p.to.Name, wanted.kind(), p.from.Name)
		}
	}
	if len(o.RemoveFields) > 0 {
		i.warn("the columns %s are deleted with their values; this can't be undone", strings.Join(o.RemoveFields, ", "))
	}
	// Columns are deleted only on request: a column that the source lacks may be in use in the target.
	stays := func(name string) bool { return !slices.Contains(o.RemoveFields, name) }
	if slices.ContainsFunc(i.OwnFields, stays) {
		i.warn("columns that only %s has are kept unless you choose to delete them: %s",
			p.to.Name, strings.Join(i.OwnFields, ", "))
	}
	for _, x := range before.lost(after, o.RemoveFields) {
		i.warn("index %s of %s is deleted", x.name(), p.to.Name)
	}
	for _, x := range after.Indexes {
		if i.Change == Changed && x.Unique && !before.hasIndex(x) {
			i.warn("unique index %s is refused if rows in %s have the same values", x.name(), p.to.Name)
		}
	}
	for _, f := range after.Fields {
		if _, there := before.field(f.Name); i.Change == Changed && !there && f.Required && f.Default == nil {
			i.warn("new column %q is required, but existing rows in %s have no value in it", f.Name, p.to.Name)
		}
	}
}

// warnOfPermissions warns about IDs in permissions: in another environment, the same ID is another user or group.
func (p pair) warnOfPermissions(i *Item) {
	d := i.After.Table
	if i.Change == Same {
		return
	}
	for _, who := range slices.Concat(d.WritePerm, d.DefaultRowPerm.Read, d.DefaultRowPerm.Write) {
		if strings.ContainsAny(who, "123456789") {
			i.warn("permission %q is promoted unchanged, but may refer to another user or group in %s", who, p.to.Name)
		}
	}
}

// triggerItem adds the problems and warnings of a trigger.
func (p pair) triggerItem(i *Item, o Options) {
	for _, e := range []*snapshot{p.from, p.to} {
		if n := len(e.triggers[i.Name]); n > 1 {
			i.problem("%s has %d triggers with this name: rename them first", e.Name, n)
		}
	}
	if i.After == nil {
		return
	}
	if i.Before != nil && i.Before.Trigger["type"] != i.After.Trigger["type"] {
		i.problem("its type is %v in %s and %v in %s, and a type can't be changed: delete it in %s first",
			i.Before.Trigger["type"], p.to.Name, i.After.Trigger["type"], p.from.Name, p.to.Name)
	}
	// Groups are found by name in the target, and names need not be unique.
	if _, err := p.to.located(i.After.Trigger); err != nil {
		i.problem("%s", errs.Message(err))
	}
	if i.Change != Added {
		return
	}

	if !o.Enable {
		i.warn("it is disabled after the promotion unless you choose to enable it")
	}
	if i.After.Trigger.kind().Definition().Called {
		i.warn("it gets a new URL in %s", p.to.Name)
	}
	if i.After.Trigger.hasWebhook() {
		i.warn("its webhook gets a new key in %s: create another key there to see it", p.to.Name)
	}
}

// kind returns the type of the trigger.
func (d TriggerDefinition) kind() trigger.Type {
	text, _ := d["type"].(string)
	return trigger.Type(text)
}

// hasWebhook reports whether one of the actions is a webhook.
func (d TriggerDefinition) hasWebhook() bool {
	return slices.ContainsFunc(d.actions(), func(action map[string]any) bool {
		kind, _ := action["type"].(string)
		return trigger.ActionType(kind).Definition().Delivers
	})
}

// warnOfUsers warns about triggers of the target that use a deleted object, and about parts that a revert cannot
// restore.
func (p pair) warnOfUsers(i *Item) {
	if users := p.to.users()[i.Ref]; len(users) > 0 {
		i.warn("triggers in %s use it: %s", p.to.Name, strings.Join(users, ", "))
	}

	switch {
	case i.Kind == KindFunction && p.to.functions[i.Name].VariablesVersion > 0:
		i.warn("its variables are deleted with it; this can't be undone")
	case i.Before.Trigger.kind().Definition().Called:
		i.warn("its URL is deleted with it; this can't be undone")
	case i.Before.Trigger.hasWebhook():
		i.warn("the key of its webhook is deleted with it; this can't be undone")
	}
}

// warnOfVariables warns about variables of a function that the target lacks.
func (s *Service) warnOfVariables(ctx context.Context, p pair, i *Item) error {
	if i.Kind != KindFunction || i.Change == Same || p.from.functions[i.Name].VariablesVersion == 0 {
		return nil
	}
	known := map[string]bool{}
	if p.to.functions[i.Name].VariablesVersion > 0 {
		there, err := s.Variables.List(ctx, p.to.Scope, i.Name)
		if err != nil && !errs.Is(err, errs.KindNotFound) {
			return err
		}
		for _, v := range there {
			known[v.Key] = true
		}
	}

	// Only the keys are compared: values are secrets and differ between environments.
	source, err := s.Variables.List(ctx, p.from.Scope, i.Name)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return err
	}
	var missing []string
	for _, v := range source {
		if !known[v.Key] {
			missing = append(missing, v.Key)
		}
	}
	if len(missing) > 0 {
		i.warn("its variables are not promoted: set %s in %s", strings.Join(missing, ", "), p.to.Name)
	}
	return nil
}

// located returns the definition with group IDs of the environment instead of names.
func (e *snapshot) located(d TriggerDefinition) (TriggerDefinition, error) {
	var failed error
	own := d.clone()
	own.eachGroup(func(ref any) any {
		name, isName := ref.(string)
		if !isName {
			failed = cmp.Or(failed, errs.Invalid("it refers to a user group that does not exist"))
			return ref
		}
		// A name may belong to several groups, and a message must not reach the wrong one.
		var ids []user.GroupID
		for number, other := range e.groupNames {
			if other == name {
				ids = append(ids, number)
			}
		}
		if len(ids) != 1 {
			failed = cmp.Or(failed, errs.Invalid("it refers to the user group %q, but %s has %d groups with this name: "+
				"it must have exactly one", name, e.Name, len(ids)))
			return ref
		}
		return float64(ids[0])
	})
	return own, failed
}
