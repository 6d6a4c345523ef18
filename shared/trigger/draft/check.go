// Package draft reads triggers as callers write them (G1-G6) and reports all mistakes at once, each with the path of the
// member: "condition.rules[2].operator". A name that does not exist is an error. A variable that does not exist is a
// warning, because it renders empty (G21), and so is a column that no row has.
//
//	check.go      the trigger itself, and checks across its members
//	fields.go     members of JSON objects with their paths
//	condition.go  conditions by type
//	action.go     actions, frequency, flow
//	settings.go   settings by type of action; operation.go of table operations
//	variables.go  the variables that templates can use
//	choices.go    the valid values, for editors
package draft

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
	"minicloud/shared/message/messaging"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// Names looks up the names in a trigger when it is saved (G21).
type Names interface {
	// Table returns the table with that id or name, errs.NotFound if it does not exist.
	Table(ctx context.Context, scope tenant.Scope, idOrName string) (table.Table, error)
	// HasFunction reports whether a function exists, HasGroup whether a group of users does.
	HasFunction(ctx context.Context, scope tenant.Scope, name string) (bool, error)
	HasGroup(ctx context.Context, scope tenant.Scope, id int64) (bool, error)
	// SMS returns the SMS settings, the zero value if there are none.
	SMS(ctx context.Context, scope tenant.Scope) (messaging.SMS, error)
	// Newest returns some of the newest rows of a table.
	Newest(ctx context.Context, scope tenant.Scope, in table.Table) ([]table.Row, error)
}

// Checker reads triggers as callers write them.
type Checker struct {
	Names Names
	// AnyPort allows webhooks to any port, for the receivers in tests of the local cloud.
	AnyPort bool
}

// Draft is a trigger as a caller writes it.
type Draft struct {
	Given  map[string]any    // decoded JSON (value.Decode)
	Old    *trigger.Trigger  // the trigger to change, nil for a new one
	Others []trigger.Trigger // all triggers of the environment, to find loops; Old may be among them
	Now    time.Time
	ID     trigger.ID // of a new trigger
	By     int64      // id of the writing user
}

// Report is the result of checking a trigger.
type Report struct {
	// Trigger is the trigger to store if there are no errors. New actions have no ID, a new trigger has no HookID.
	Trigger   trigger.Trigger  `json:"-"`
	Valid     bool             `json:"valid"`
	Errors    trigger.Problems `json:"errors"`
	Warnings  trigger.Problems `json:"warnings"`
	Variables []string         `json:"variables"` // The variables available to templates of actions.
	// KeyVariables are the variables available to templates of flow keys.
	KeyVariables []string    `json:"key_variables"`
	Next         []time.Time `json:"next" maxItems:"5"` // The next times of a timer, in its time zone.
}

// maxSize is the largest size of a stored trigger in bytes: it is one item.
const maxSize = 300 << 10

// comingTimes is the largest number of times of a timer in a report.
const comingTimes = 5

// Check reads a draft and reports all its mistakes. It ignores read-only members, so that a caller can send back what
// it has read, and ignores unknown members of the draft itself with a warning. Its error is one of Names; mistakes of
// the caller are in the report.
func (c *Checker) Check(ctx context.Context, scope tenant.Scope, d Draft) (Report, error) {
	k := &check{
		Checker: c, ctx: ctx, scope: scope, errors: trigger.Problems{}, warnings: trigger.Problems{},
		tables: map[string]*table.Table{}, meant: map[trigger.TableRef]*table.Table{},
	}
	k.start(d)

	f := k.fields("", d.Given)
	k.readSelf(f, d)
	k.readType(f, d.Old)
	k.readCondition(f, d.Old)
	k.readActions(f, d.Old)
	for _, name := range f.unread() { // D4: unknown members are ignored
		k.warn(clip.Text(name, clip.Name), "there is no such member, it is ignored: %s", f.known())
	}

	if k.err == nil && len(k.errors) == 0 {
		k.settle(d)
	}
	report := Report{
		Trigger: k.trigger, Valid: len(k.errors) == 0, Errors: k.errors, Warnings: k.warnings,
		Variables: k.variables(k.trigger.Type.Definition().Actions), Next: coming(k.trigger, d.Now),
		KeyVariables: slices.DeleteFunc(k.variables(k.trigger.Type.Definition().Keys), ofCreator),
	}
	return report, k.err
}

// start sets the trigger to the stored one, or to the defaults of a new one.
func (k *check) start(d Draft) {
	now := d.Now.Unix()
	if d.Old != nil {
		k.trigger = *d.Old
		k.trigger.UpdatedAt = now
		return
	}
	k.trigger = trigger.Trigger{
		ID: d.ID, Enabled: true, Timezone: trigger.DefaultTimezone, TraceUntil: d.Now.Add(trigger.FirstTrace).Unix(),
		CreatedAt: now, UpdatedAt: now, CreatedBy: d.By,
	}
}

// readOnly are the members that callers can read and not write.
var readOnly = []string{"broken", "hook_url", "created_at", "updated_at", "created_by", "warnings"}

func (k *check) readSelf(f *fields, d Draft) {
	t := &k.trigger
	name, description := needed, ""
	if d.Old != nil {
		name, description = t.Name, t.Description
	}
	t.Name = f.text("name", trigger.MaxName, name)
	if t.Name == "" && f.given["name"] == "" && d.Old != nil {
		f.wrong("name", "must have 1 to %d characters", trigger.MaxName)
	}
	t.Description = f.text("description", trigger.MaxDescription, description)
	t.Enabled = f.flag("enabled", t.Enabled)
	if _, actions := f.given["actions"]; actions || f.given["enabled"] == true {
		t.Stopped = nil // the owner has edited the trigger
	}
	t.Timezone = f.text("timezone", trigger.MaxName, t.Timezone)
	if _, err := t.Location(); err != nil || t.Timezone == "" {
		f.wrong("timezone", `must be an IANA name, such as "Asia/Shanghai"`)
	}

	// A trace of the first day that is sent back as it was read does not become permanent.
	if on := f.flag("trace", t.Traces(d.Now)); !on {
		t.TraceUntil = 0
	} else if f.given["trace"] != nil && (d.Old == nil || !t.Traces(d.Now)) {
		t.TraceUntil = trigger.TraceAlways
	}
	for _, name := range readOnly {
		f.take(name)
	}
	if id, given := f.take("id"); given && d.Old != nil && !sameID(id, int64(d.Old.ID)) {
		f.wrong("id", "cannot change: it is %d", d.Old.ID)
	}
}

func sameID(given any, id int64) bool {
	n, ok := wholeNumber(given)
	return ok && n == id
}

func (k *check) readType(f *fields, old *trigger.Trigger) {
	absent := trigger.Type(needed)
	if old != nil {
		absent = old.Type
	}
	t := choice(f, "type", absent, trigger.Types...)
	if old != nil && t != old.Type {
		f.wrong("type", "cannot change: it is %q", old.Type)
		return
	}
	k.trigger.Type = t
}

// settle makes the checks that need the whole trigger, after every part is valid.
func (k *check) settle(d Draft) {
	k.trigger.Tables = k.tableIDs()
	k.trigger.Broken = ""
	if _, err := engine.NewMatcher(k.trigger, k.conditionTable()); err != nil {
		k.trigger.Broken = errs.Message(err)
		if k.trigger.Enabled {
			k.warn("condition", "%s: the trigger does not fire", k.trigger.Broken)
		}
	}

	if text, err := json.Marshal(k.trigger); err != nil || len(text) > maxSize {
		k.fail("actions", "are too large: a trigger must have at most %d KB", maxSize>>10)
	}
	byID := func(id table.ID) *table.Table { return k.table(id.String()) }
	for _, chain := range engine.Loops(k.trigger, d.Others, byID) {
		k.warn("actions", "closes a loop: %s; it stops after %d rounds", chain, trigger.MaxDepth)
	}
}

// conditionTable returns the table of a table trigger, nil for none.
func (k *check) conditionTable() *table.Table {
	if c, ok := k.trigger.Condition.(*trigger.TableCondition); ok {
		return k.resolve(c.Table)
	}
	return nil
}

// resolve finds a table: the one that this change looked up, else the one whose id the trigger stored, else by name.
func (k *check) resolve(ref trigger.TableRef) *table.Table {
	if found, said := k.meant[ref]; said {
		return found
	}
	if id := k.trigger.TableID(ref); id != 0 {
		return k.table(id.String())
	}
	return k.table(string(ref))
}

// mean looks up a table that the caller names now. The table with that name today has precedence over the one that had
// the name when the trigger was saved.
func (k *check) mean(ref trigger.TableRef) *table.Table {
	found := k.table(string(ref))
	if found == nil {
		found = k.resolve(ref)
	}
	k.meant[ref] = found
	return found
}

// tableIDs returns the ids of the tables that the trigger names.
func (k *check) tableIDs() map[string]table.ID {
	ids := map[string]table.ID{}
	for _, ref := range k.trigger.TableRefs() {
		if t := k.resolve(ref); t != nil {
			ids[string(ref)] = t.ID
		} else if id := k.trigger.TableID(ref); id != 0 {
			ids[string(ref)] = id // deleted since, and not named in this change
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return ids
}

// known returns the schemas that names of variables are checked against.
func (k *check) known() known {
	return newKnown(k.trigger.Condition, k.conditionTable(), k.table(table.UserProfilesName))
}

// ofCreator reports whether a variable belongs to the creator of the event's subject. Keys cannot use these.
func ofCreator(name string) bool { return strings.HasPrefix(name, trigger.CreatedBy+".") }

// variables returns the variables that templates with a visibility can use, sorted.
func (k *check) variables(visible *trigger.Visibility) []string {
	names := k.known().names(visible)
	slices.Sort(names)
	return append([]string{}, slices.Compact(names)...)
}

// checkTemplate checks one template and its variables.
func (k *check) checkTemplate(path, text string, set *trigger.Visibility, n known) {
	template, err := placeholder.Parse(text)
	if err != nil {
		k.fail(path, "%v", err)
		return
	}
	for _, name := range template.Names() {
		switch {
		case set == trigger.VisibleNone:
			k.warn(path, "variable %q renders empty: there are none here in triggers of type %s", clip.Text(name, clip.Name), k.trigger.Type)
		case !n.has(name, set):
			k.warn(path, "variable %q does not exist: it renders empty", clip.Text(name, clip.Name))
		}
	}
}

// hasPlaceholder reports whether a text has placeholders.
func (k *check) hasPlaceholder(text string) bool {
	if !strings.Contains(text, "{{") {
		return false
	}
	template, err := placeholder.Parse(text)
	return err != nil || len(template.Names()) > 0
}

// coming returns the next times of a timer, none for other triggers.
func coming(t trigger.Trigger, after time.Time) []time.Time {
	times := []time.Time{}
	where, err := t.Location()
	for err == nil && len(times) < comingTimes {
		// Next returns an error for other types and for a wrong rule, and a zero time after the last time of a rule.
		if after, err = t.Next(after); err != nil || after.IsZero() {
			break
		}
		times = append(times, after.In(where))
	}
	return times
}
