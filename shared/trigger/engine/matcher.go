package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Matcher is a trigger with its rules and keys prepared for matching events.
type Matcher struct {
	Trigger trigger.Trigger
	always  []preparedRule // must hold even if any is true
	rules   []preparedRule
	any     bool                                      // one of rules is enough
	keys    map[trigger.ActionID]placeholder.Template // of flow controls
}

// preparedRule is a rule whose operand was validated and converted.
type preparedRule struct {
	trigger.Rule
	// read returns the value that the rule tests, nil if it is absent.
	read func(e *trigger.Event) any
	// changed is the column to compare before and after, for the operator Changed only.
	changed *value.Column
	test    test
}

// Evaluation is the result of evaluating a trigger's condition for an event (G11).
type Evaluation struct {
	Held  bool             `json:"held"`
	Rules []run.RuleResult `json:"rules" nullable:"true"`
}

// Of returns the evaluation of the event in its stored form, without decisions about actions.
func (v Evaluation) Of(e trigger.Event) run.Evaluated {
	return run.Evaluated{
		EventID: e.ID, Kind: e.Kind, Subject: e.Subject, At: e.At.UnixMilli(),
		Held: v.Held, Rules: v.Rules, Actions: []run.Decision{},
	}
}

// NewMatcher prepares a trigger. in is the table of a table trigger, nil for other triggers and if the table was
// removed. If the trigger is broken, it returns errs.NotFound or errs.Invalid with the reason as message.
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

	// Rules of the other types compare facts as text.
	for _, rule := range rules {
		if rule.Operator = trigger.Equal; rule.Always {
			m.always = append(m.always, factRule(rule))
		} else {
			m.rules = append(m.rules, factRule(rule))
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

		m.rules = append(m.rules, prepared)
	}

	return nil
}

// RuleColumns returns the columns that rules can use.
func RuleColumns(t table.Table) value.Schema {
	return append(t.Queryable(), value.Column{Name: trigger.VersionField, Type: value.Integer})
}

// unknownColumn is the message of prepare for a column that does not exist.
const unknownColumn = "there is no such column"

// CheckRule validates a rule on the rows of a table. For an invalid rule, part is the invalid member (field, operator
// or value) and why is an error message; why is "" for a valid rule.
func CheckRule(r trigger.Rule, event trigger.Change, in table.Table) (part, why string) {
	_, part, why = prepare(r, event, RuleColumns(in))
	if why == unknownColumn {
		why = fmt.Sprintf("there is no column %q in table %q", r.Field, in.Name)
	}
	return part, why
}

// prepare validates a rule on rows and converts its operand. part and why are as in CheckRule.
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

// place splits a rule's field into the side of the change, before or after, and the column name. why is an error
// message.
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
	// A name without prefix means the row after the change, or the last content of a deleted row.
	return event == trigger.Delete, field, ""
}

// factRule returns a rule that compares a fact of the event as text.
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

// Evaluate evaluates all rules for an event and records each result. Without rules the condition holds.
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

// Holds is like Evaluate but records nothing.
func (m *Matcher) Holds(e trigger.Event) bool { return m.judge(&e, func(preparedRule, any, bool) {}) }

// judge evaluates every rule, even when the result is already known, because the evaluation shows all of them.
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
	held := count(m.rules)
	if m.any && len(m.rules) > 0 {
		return given && held > 0
	}
	return given && held == len(m.rules)
}

func (r preparedRule) run(e *trigger.Event) (seen any, held bool) {
	if r.changed != nil {
		before, after := e.Before[r.changed.Name], e.After[r.changed.Name]
		return map[string]any{"before": before, "after": after}, !r.changed.Equal(before, after)
	}
	seen = r.read(e)
	return seen, r.test(seen, e.At)
}

// maxShown is the maximum number of characters of a value in an evaluation.
const maxShown = 200

// secrets are parts of field names whose values are masked.
var secrets = []string{"password", "passwd", "secret", "token", "api_key", "apikey", "private_key", "authorization"}

// shown returns a value as stored in an evaluation: secrets are masked, long values are cut (G11).
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
