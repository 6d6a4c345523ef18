package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Matcher is a trigger made ready to meet events.
type Matcher struct {
	Trigger  trigger.Trigger
	always   []preparedRule // must hold in any case
	AllRules []preparedRule
	any      bool // one of the rules is enough
	keys     map[trigger.ActionID]flowKey
}

// preparedRule is a rule with its operand prepared.
type preparedRule struct {
	trigger.Rule
	// read returns what the rule looks at, nil when it is absent.
	read func(e *trigger.Event) any
	// changed is set for the operator that looks at both sides.
	changed *value.Column
	test    test
}

// Evaluation is what the conditions of a trigger made of an event (G11).
type Evaluation struct {
	Held  bool             `json:"held"`
	Rules []run.RuleResult `json:"rules" nullable:"true"`
}

// Of is the evaluation as the log keeps it, of an event and without decisions about actions.
func (v Evaluation) Of(e trigger.Event) run.Evaluated {
	return run.Evaluated{
		EventID: e.ID, Kind: e.Kind, Subject: e.Subject, At: e.At.UnixMilli(),
		Held: v.Held, Rules: v.Rules, Actions: []run.Decision{},
	}
}

// NewMatcher makes a trigger ready. in is the table of a table trigger, nil when
// there is none or it was removed. The message of the errs.NotFound or
// errs.Invalid says why the trigger is broken.
func NewMatcher(t trigger.Trigger, in *table.Table) (*Matcher, error) {
	keys, err := flowKeys(t)
	if err != nil {
		return nil, err
	}
	m := &Matcher{Trigger: t, keys: keys}
	rules, one := t.Condition.AllRules()
	m.any = one
	if c, ok := t.Condition.(*trigger.TableCondition); ok {
		return m, m.prepareTable(c, in)
	}

	// The other types have facts, which rules compare as texts.
	for _, rule := range rules {
		if rule.Operator = trigger.Equal; rule.Always {
			m.always = append(m.always, factRule(rule))
		} else {
			m.AllRules = append(m.AllRules, factRule(rule))
		}
	}
	return m, nil
}

func (m *Matcher) prepareTable(c *trigger.TableCondition, in *table.Table) error {
	if in == nil {
		return errs.NotFound("table %s was removed", c.Table)
	}

	columns := RuleColumns(*in)
	for _, rule := range c.Rules {
		prepared, _, why := prepare(rule, c.Event, columns)
		if why == unknownColumn {
			_, name, _ := place(rule.Field, c.Event)
			return errs.NotFound("column %q of table %s was removed", name, c.Table)
		}
		if why != "" {
			return errs.Invalid("rule on %q of table %s: %s", rule.Field, c.Table, why)
		}

		m.AllRules = append(m.AllRules, prepared)
	}

	return nil
}

// RuleColumns are the columns that rules can name.
func RuleColumns(t table.Table) value.Schema {
	return append(t.Queryable(), value.Column{Name: trigger.VersionField, Type: value.Integer})
}

// unknownColumn is what prepare says about a column that is not there.
const unknownColumn = "there is no such column"

// CheckRule says what is wrong with a rule on a table's rows: part names its member
// (field, operator or value), why is a sentence about it, "" for nothing.
func CheckRule(r trigger.Rule, event trigger.Change, in table.Table) (part, why string) {
	_, part, why = prepare(r, event, RuleColumns(in))
	if why == unknownColumn {
		why = fmt.Sprintf("there is no column %q in table %q", r.Field, in.Name)
	}
	return part, why
}

// prepare makes a rule on rows ready; part names the member of the rule that is
// wrong, and why says how.
func prepare(rule trigger.Rule, event trigger.Change, columns value.Schema) (p preparedRule, part, why string) {
	before, name, why := place(rule.Field, event)
	if why != "" {
		return p, "field", why
	}
	column, ok := columns.Column(name)
	if !ok {
		return p, "field", unknownColumn
	}
	allowed := column.Type.Rules()
	if !slices.Contains(allowed, string(rule.Operator)) {
		return p, "operator", fmt.Sprintf("%q is no operator of %s column: it takes %s",
			rule.Operator, trigger.WithArticle(string(column.Type)), strings.Join(allowed, ", "))
	}

	p = preparedRule{Rule: rule, read: func(e *trigger.Event) any { return e.Record(before)[name] }}
	if rule.Operator != trigger.Changed {
		p.test, why = newTest(column, rule.Operator, rule.Value)
		return p, "value", why
	}
	switch {
	case event != trigger.Update:
		return p, "operator", "changed is for updates only"
	case rule.Field != name:
		return p, "field", "changed looks at both sides: give the name without before. or after."
	case rule.Value != nil:
		return p, "value", "changed takes no value"
	}
	p.changed = &column
	return p, "", ""
}

// place splits a rule's field into the side of the event and the column.
func place(field string, event trigger.Change) (before bool, name, why string) {
	if name, ok := strings.CutPrefix(field, "before."); ok {
		if event == trigger.Create {
			return true, name, "a row that is created has nothing before: before. is for update and delete"
		}
		return true, name, ""
	}
	if name, ok := strings.CutPrefix(field, "after."); ok {
		if event == trigger.Delete {
			return false, name, "a row that is deleted has nothing after: after. is for create and update"
		}
		return false, name, ""
	}
	// A bare name is the row as it is now; of a deleted one, its last content.
	return event == trigger.Delete, field, ""
}

// factRule compares what on_*.go of the type calls by the rule's field.
func factRule(rule trigger.Rule) preparedRule {
	return preparedRule{
		Rule: rule,
		read: func(e *trigger.Event) any { return e.Fact(rule.Field) },
		test: func(v any, _ time.Time) bool {
			text, ok := trigger.MemberText(v)
			return ok && text == rule.Value
		},
	}
}

// Listens reports whether the event is one the trigger waits for, whatever its
// conditions say.
func (m *Matcher) Listens(e trigger.Event) bool { return m.Trigger.IndexKey() == e.IndexKey() }

// Evaluate runs all conditions over an event. Without rules they hold.
func (m *Matcher) Evaluate(e trigger.Event) Evaluation {
	result := Evaluation{Rules: []run.RuleResult{}}
	result.Held = m.judge(&e, func(rule preparedRule, seen any, held bool) {
		result.Rules = append(result.Rules, run.RuleResult{
			Path: rule.Field, Operator: rule.Operator,
			Operand: shown(rule.Field, rule.Value), Seen: shown(rule.Field, seen), Held: held,
		})
	})
	return result
}

// Holds is Evaluate without the record of it.
func (m *Matcher) Holds(e trigger.Event) bool { return m.judge(&e, func(preparedRule, any, bool) {}) }

// judge runs every rule, also when the end is clear: an owner wants to see all.
func (m *Matcher) judge(e *trigger.Event, note func(rule preparedRule, seen any, held bool)) bool {
	count := func(rules []preparedRule) (held int) {
		for _, rule := range rules {
			seen, ok := rule.run(e)
			if ok {
				held++
			}
			note(rule, seen, ok)
		}
		return held
	}

	given := count(m.always) == len(m.always)
	held := count(m.AllRules)
	if m.any && len(m.AllRules) > 0 {
		return given && held > 0
	}
	return given && held == len(m.AllRules)
}

func (r preparedRule) run(e *trigger.Event) (seen any, held bool) {
	if r.changed != nil {
		before, after := e.Before[r.changed.Name], e.After[r.changed.Name]
		return map[string]any{"before": before, "after": after}, !r.changed.Equal(before, after)
	}
	seen = r.read(e)
	return seen, r.test(seen, e.At)
}

// maxShown is how many characters of a value an evaluation keeps.
const maxShown = 200

// secrets are parts of names whose values are not kept.
var secrets = []string{"password", "passwd", "secret", "token", "api_key", "apikey", "private_key", "authorization"}

// shown returns a value as an evaluation keeps it: secrets are left out, long
// values cut (G11).
func shown(field string, v any) any {
	if v == nil {
		return nil
	}
	name := strings.ToLower(field)
	if slices.ContainsFunc(secrets, func(part string) bool { return strings.Contains(name, part) }) {
		return "***"
	}

	text, isText := v.(string)
	if !isText {
		switch v.(type) {
		case []any, map[string]any:
		default:
			return v
		}
		encoded, err := json.Marshal(v)
		if err != nil {
			return nil
		}
		text = string(encoded)
	}
	if short := clip.Text(text, maxShown); short != text {
		return short
	}
	return v
}
