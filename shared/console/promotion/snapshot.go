package promotion

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/user"
)

// Environment is an environment of an application, with its name for messages.
type Environment struct {
	Scope tenant.Scope
	Name  string
}

// snapshot is the state of an environment when it was read.
type snapshot struct {
	Environment
	functions  map[string]cloudfunction.Function // without code
	tables     map[string]table.Table
	triggers   map[string][]trigger.Trigger // by name, which need not be unique
	tableNames map[table.ID]string
	groupNames map[user.GroupID]string
	users      func() map[Ref][]string // names of the triggers that use an object, sorted
}

// read reads an environment, with one query per kind of object and megabyte.
func (s *Service) read(ctx context.Context, env Environment) (*snapshot, error) {
	e := &snapshot{
		Environment: env, functions: map[string]cloudfunction.Function{}, tables: map[string]table.Table{},
		triggers: map[string][]trigger.Trigger{}, tableNames: map[table.ID]string{}, groupNames: map[user.GroupID]string{},
	}
	e.users = sync.OnceValue(e.findUsers)
	// The four kinds are independent queries, so run them concurrently.
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.readFunctions(ctx, e) })
	group.Go(func() error {
		all, err := s.Tables.AllTables(ctx, env.Scope, table.TableFilter{})
		for _, t := range all {
			e.add(t)
		}
		return err
	})
	group.Go(func() error {
		all, err := s.Triggers.Store.Triggers(ctx, env.Scope)
		for _, t := range all {
			e.triggers[t.Name] = append(e.triggers[t.Name], t)
		}
		return err
	})
	group.Go(func() error {
		all, err := s.Groups.ListGroups(ctx, env.Scope)
		for _, g := range all {
			e.groupNames[g.ID] = g.Name
		}
		return err
	})
	return e, group.Wait()
}

func (s *Service) readFunctions(ctx context.Context, e *snapshot) error {
	req := page.Request{Limit: page.MaxLimit}
	for {
		got, err := s.Functions.List(ctx, e.Scope, cloudfunction.Filter{NoCode: true}, req)
		if err != nil {
			return err
		}
		for _, f := range got.Objects {
			e.functions[string(f.Name)] = f
		}
		if got.Next == "" {
			return nil
		}
		req.After = got.Next
	}
}

// add adds a table.
func (e *snapshot) add(t table.Table) { e.tables[t.Name], e.tableNames[t.ID] = t, t.Name }

// names returns the names of all objects of a kind.
func (e *snapshot) names(k Kind) []string {
	switch k {
	case KindFunction:
		return slices.Collect(maps.Keys(e.functions))
	case KindTable:
		return slices.Collect(maps.Keys(e.tables))
	}
	return slices.Collect(maps.Keys(e.triggers))
}

// definition returns the definition of an object, nil if it does not exist.
func (e *snapshot) definition(ref Ref) *Definition {
	switch ref.Kind {
	case KindFunction:
		if f, ok := e.functions[ref.Name]; ok {
			return &Definition{Function: ofFunction(f)}
		}
	case KindTable:
		if t, ok := e.tables[ref.Name]; ok {
			return &Definition{Table: e.ofTable(t)}
		}
	case KindTrigger:
		if all := e.triggers[ref.Name]; len(all) > 0 {
			// Use the first one: a comparison refuses names that several triggers share.
			return &Definition{Trigger: e.ofTrigger(all[0])}
		}
	}
	return nil
}

func ofFunction(f cloudfunction.Function) *FunctionDefinition {
	return &FunctionDefinition{CodeDigest: f.Code.Digest, CodeBytes: f.Code.Bytes, Plan: f.Plan, Remark: f.Remark}
}

func (e *snapshot) ofTable(t table.Table) *TableDefinition {
	d := &TableDefinition{
		Fields: []Field{}, WritePerm: list(t.WritePerm),
		DefaultRowPerm: Permissions{list(t.DefaultRowPerm.Read), list(t.DefaultRowPerm.Write)},
	}
	for _, x := range t.FieldIndexes {
		d.Indexes = append(d.Indexes, Index{list(x.Fields), x.Unique})
	}
	slices.SortFunc(d.Indexes, func(a, b Index) int { return cmp.Compare(a.name(), b.name()) })

	builtIn := table.Profiles()
	for _, c := range t.Columns {
		if c.BuiltIn {
			if start, _ := builtIn.Column(c.Name); c.Access() != start.Access() {
				if d.BuiltIn == nil {
					d.BuiltIn = map[string]table.ACL{}
				}
				d.BuiltIn[c.Name] = c.Access()
			}
			continue
		}
		d.Fields = append(d.Fields, Field{
			Name: c.Name, Type: c.Type, Items: c.Items, Description: c.Description, Required: c.Required, Default: c.Default,
			Indexed: c.Indexed, SchemaName: cmp.Or(e.tableNames[table.ID(c.TargetID)], c.Target), ACL: c.ACL,
		})
	}
	slices.SortFunc(d.Fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	return d
}

// list copies texts; the copy is never null in JSON.
func list(texts []string) []string { return append([]string{}, texts...) }

// ofTrigger returns a trigger as its owner would write it, with names instead of IDs.
func (e *snapshot) ofTrigger(t trigger.Trigger) TriggerDefinition {
	text, err := json.Marshal(map[string]any{
		"type": t.Type, "description": t.Description, "timezone": t.Timezone, "condition": t.Condition, "actions": t.Actions,
	})
	var d TriggerDefinition
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		panic(fmt.Sprintf("promotion: trigger %d is no JSON: %v", t.ID, err)) // triggers are stored as JSON
	}

	d.eachTable(func(ref any) any { return e.tableName(t, ref) })
	d.eachGroup(func(ref any) any {
		number, _ := ref.(float64)
		if name, known := e.groupNames[user.GroupID(number)]; known {
			return name
		}
		return ref
	})
	for _, action := range d.actions() {
		delete(action, "id")
	}
	return d
}

// tableName returns the name of a table that a trigger refers to by name or ID.
func (e *snapshot) tableName(t trigger.Trigger, ref any) any {
	text, isText := ref.(string)
	if number, ok := ref.(float64); ok {
		text = strconv.FormatFloat(number, 'f', -1, 64)
	} else if !isText {
		return ref
	}
	if name, known := e.tableNames[t.TableID(trigger.TableRef(text))]; known {
		return name
	}
	return ref
}

// actions returns the actions of the definition.
func (d TriggerDefinition) actions() (all []map[string]any) {
	items, _ := d["actions"].([]any)
	for _, item := range items {
		if action, ok := item.(map[string]any); ok {
			all = append(all, action)
		}
	}
	return all
}

// eachTable replaces every reference to a table by the result of by.
func (d TriggerDefinition) eachTable(by func(any) any) {
	if condition, _ := d["condition"].(map[string]any); condition["table"] != nil {
		condition["table"] = by(condition["table"])
	}
	for _, action := range d.actions() {
		settings, _ := action["settings"].(map[string]any)
		if settings["table"] != nil {
			settings["table"] = by(settings["table"])
		}
	}
}

// eachGroup replaces every reference to a group of users by the result of by.
func (d TriggerDefinition) eachGroup(by func(any) any) {
	for _, action := range d.actions() {
		settings, _ := action["settings"].(map[string]any)
		recipient, _ := settings["recipient"].(map[string]any)
		if recipient["group"] != nil {
			recipient["group"] = by(recipient["group"])
		}
	}
}

func (e *snapshot) findUsers() map[Ref][]string {
	users := map[Ref][]string{}
	for _, name := range slices.Sorted(maps.Keys(e.triggers)) {
		for _, t := range e.triggers[name] {
			for _, ref := range (Definition{Trigger: e.ofTrigger(t)}).needs() {
				users[ref] = append(users[ref], name)
			}
		}
	}
	return users
}

// clone returns a deep copy of the definition.
func (d TriggerDefinition) clone() (own TriggerDefinition) {
	text := Definition{Trigger: d}.text()
	var copied Definition
	if err := json.Unmarshal(text, &copied); err != nil {
		panic(fmt.Sprintf("promotion: a definition is no JSON: %v", err))
	}
	return copied.Trigger
}

// needs returns the objects that a definition refers to.
func (d Definition) needs() (refs []Ref) {
	add := func(k Kind, name any) {
		if text, ok := name.(string); ok && text != "" && !slices.Contains(refs, Ref{k, text}) {
			refs = append(refs, Ref{k, text})
		}
	}
	if d.Table != nil {
		for _, f := range d.Table.Fields {
			add(KindTable, f.SchemaName)
		}
	}
	d.Trigger.eachTable(func(ref any) any { add(KindTable, ref); return ref })
	for _, action := range d.Trigger.actions() {
		settings, _ := action["settings"].(map[string]any)
		// Groups are not promoted; located refuses unknown names.
		add(KindFunction, settings["function"])
	}
	return refs
}
