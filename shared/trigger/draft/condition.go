package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/cron"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// conditions read the conditions by trigger type (G2). A condition without required members is optional.
var conditions = map[trigger.Type]struct {
	optional bool
	read     func(*check, *fields) trigger.Condition
}{
	trigger.TypeTable:           {false, (*check).readTableCondition},
	trigger.TypeChatPay:         {true, (*check).readPaymentCondition},
	trigger.TypeAltPay:          {true, (*check).readPaymentCondition},
	trigger.TypeTPay:            {true, (*check).readPaymentCondition},
	trigger.TypeTimer:           {false, (*check).readTimerCondition},
	trigger.TypeFileOperation:   {false, (*check).readFileCondition},
	trigger.TypeIncomingWebhook: {true, func(*check, *fields) trigger.Condition { return &trigger.HookCondition{} }},
	trigger.TypeChatMessage:     {true, (*check).readMessageCondition},
}

// readCondition reads the condition. A change without a condition keeps the stored one unchecked.
func (k *check) readCondition(f *fields, old *trigger.Trigger) {
	_, given := f.take("condition")
	if !given && old != nil {
		return
	}

	k.trigger.Condition = nil
	of, known := conditions[k.trigger.Type]
	c := f.object("condition", known && !of.optional)
	if c == nil {
		if given || !of.optional {
			return // the mistake has been reported
		}
		c = k.fields("condition", nil)
	}
	if known {
		k.trigger.Condition = of.read(k, c)
		c.unknown()
	}
}

func (k *check) readPaymentCondition(c *fields) trigger.Condition {
	return &trigger.PaymentCondition{Result: choice(c, "result", "", trigger.ResultSuccess)}
}

func (k *check) readTimerCondition(c *fields) trigger.Condition {
	condition := &trigger.TimerCondition{
		Cron:   c.text("cron", cron.MaxLength, needed),
		Missed: choice(c, "missed", trigger.MissedOnce, trigger.MissedOnce, trigger.MissedSkip, trigger.MissedAll),
	}
	if _, err := cron.Parse(condition.Cron); err != nil && condition.Cron != "" {
		c.wrong("cron", "%s", strings.TrimPrefix(errs.Message(err), "cron: "))
	}
	return condition
}

func (k *check) readFileCondition(c *fields) trigger.Condition {
	condition := &trigger.FileCondition{
		Operation: choice(c, "operation", needed, trigger.FileUpload, trigger.FileDelete, trigger.FileImageCheck),
		Result:    choice(c, "result", needed, trigger.ResultSuccess, trigger.ResultFail),
	}
	if condition.Operation == trigger.FileDelete && condition.Result == trigger.ResultFail {
		k.warn(c.at("result"), "a deletion that fails is no event: the trigger will not fire")
	}
	return condition
}

func (k *check) readMessageCondition(c *fields) trigger.Condition {
	condition := &trigger.MessageCondition{AppID: c.text("app_id", 128, ""), Match: readMatch(c), Rules: []trigger.Rule{}}
	for _, r := range c.objects("rules", 0, trigger.MaxRules) {
		rule := trigger.Rule{Field: r.text("field", 128, needed), Value: r.text("value", 1000, needed)}
		r.unknown()
		condition.Rules = append(condition.Rules, rule)
	}
	return condition
}

func readMatch(c *fields) trigger.Match {
	return choice(c, "match", trigger.MatchAll, trigger.MatchAll, trigger.MatchAny)
}

func (k *check) readTableCondition(c *fields) trigger.Condition {
	condition := &trigger.TableCondition{
		Table: k.readTable(c),
		Event: choice(c, "event", needed, trigger.Create, trigger.Update, trigger.Delete),
		Match: readMatch(c), Rules: []trigger.Rule{},
	}
	in := k.resolve(condition.Table)
	named := map[string]string{} // path of a rule's field by its column, for columns of the table itself
	for _, r := range c.objects("rules", 0, trigger.MaxRules) {
		rule := trigger.Rule{Field: r.text("field", 128, needed), Operator: trigger.Operator(r.text("operator", 16, needed))}
		operand, _ := r.take("value")
		rule.Value = value.Plain(operand)
		r.unknown()
		condition.Rules = append(condition.Rules, rule)
		if in == nil || rule.Field == "" || rule.Operator == "" {
			continue
		}
		if part, why := engine.CheckRule(rule, condition.Event, *in); why != "" {
			r.wrong(part, "%s", why)
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(rule.Field, "before."), "after.")
		if _, own := in.Column(name); own && named[name] == "" {
			named[name] = r.at("field")
		}
	}
	k.warnUnused(in, named)

	return condition
}

// warnUnused warns about columns that none of the table's newest rows has: the rule may never hold. It does not warn
// for an empty table.
func (k *check) warnUnused(in *table.Table, named map[string]string) {
	if len(named) == 0 || len(k.errors) > 0 || k.err != nil {
		return
	}
	rows, err := k.Names.Newest(k.ctx, k.scope, *in)
	if err != nil {
		k.err = err
		return
	}

	for _, r := range rows {
		for name := range r.Fields {
			delete(named, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if len(rows) > 0 {
			k.warn(named[name], "none of the newest %d rows of table %q has a value for %q", len(rows), in.Name, name)
		}
	}
}

// readTable reads the member table, by id or name.
func (k *check) readTable(f *fields) trigger.TableRef {
	v, ok := f.take("table")
	ref, isText := v.(string)
	if n, isNumber := wholeNumber(v); isNumber {
		ref, isText = strconv.FormatInt(n, 10), true
	}
	switch {
	case !ok:
		f.wrong("table", "is required")
	case !isText || ref == "":
		f.wrong("table", "must be the id or the name of a table")
	case k.mean(trigger.TableRef(ref)) == nil && k.err == nil:
		f.wrong("table", "there is no table %q", clip.Text(ref, clip.Name))
	}
	return trigger.TableRef(ref)
}

// wholeNumber converts a number of decoded JSON to an integer, if it is one.
func wholeNumber(v any) (int64, bool) {
	f, ok := value.ToFloat(v)
	n := int64(f)
	return n, ok && float64(n) == f && -value.MaxInteger <= n && n <= value.MaxInteger
}
