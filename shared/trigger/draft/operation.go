package draft

import (
	"encoding/json"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

func (k *check) readTableOperation(f *fields) trigger.Settings {
	s := &trigger.TableOperationSettings{
		Table:     k.readTable(f),
		Operation: choice(f, "operation", needed, trigger.Create, trigger.Update, trigger.Delete),
	}
	in := k.resolve(s.Table)
	if in == nil {
		f.take("where")
		f.take("assign")
		return s
	}
	if err := in.Open(); err != nil {
		f.wrong("table", "%s", errs.Message(err))
	}

	if s.Operation == trigger.Create {
		if v, given := f.take("where"); given && !nothing(v) {
			f.wrong("where", "is for update and delete: a new row is one")
		}
	} else {
		s.Where = k.readWhere(f, *in, true)
	}
	if s.Operation == trigger.Delete {
		if v, given := f.take("assign"); given && !nothing(v) {
			f.wrong("assign", "is for create and update")
		}
		return s
	}
	s.Assign = k.readAssignments(f, s.Operation, *in)
	return s
}

// nothing reports whether an unused member is an empty list or object.
func nothing(v any) bool {
	list, isList := v.([]any)
	object, isObject := v.(map[string]any)
	return isList && len(list) == 0 || isObject && len(object) == 0
}

func (k *check) readAssignments(f *fields, operation trigger.Change, in table.Table) []trigger.Assignment {
	least := 0
	if operation == trigger.Update {
		least = 1
	}
	list := []trigger.Assignment{}
	named := map[string]bool{}
	for _, g := range f.objects("assign", least, table.MaxColumns) {
		a := trigger.Assignment{
			Field: g.text("field", trigger.MaxName, needed),
			Operator: choice(g, "operator", trigger.Assign,
				trigger.Assign, trigger.Append, trigger.AppendUnique, trigger.Remove, trigger.IncBy),
		}
		v, _ := g.take("value")
		a.Value = value.Plain(v)
		g.unknown()
		if named[a.Field] && a.Field != "" {
			g.wrong("field", "%q is assigned twice", a.Field)
		}
		named[a.Field] = true
		k.checkAssignment(g, a, in)
		list = append(list, a)
	}

	for _, c := range in.Columns {
		if operation == trigger.Create && c.Required && c.Default == nil && !named[c.Name] {
			k.warn(f.at("assign"), "column %q is required and gets no value: no row will be made", c.Name)
		}
	}
	return list
}

func (k *check) checkAssignment(g *fields, a trigger.Assignment, in table.Table) {
	if a.Field == "" {
		return
	}

	column, ok := in.Column(a.Field)
	if !ok {
		g.wrong("field", "%s", errs.Message(value.Unknown(a.Field)))
		return
	}

	allowed := column.Type.Assignments()
	if !slices.Contains(allowed, string(a.Operator)) {
		g.wrong("operator", "%q is none of a column of type %s: it takes %s",
			a.Operator, column.Type, strings.Join(allowed, ", "))
		return
	}

	if text, isText := a.Value.(string); isText && k.hasPlaceholder(text) {
		if path := k.objectVariable(text); path != "" && column.Type != value.String {
			g.wrong("value", "variable %q is an object and can only be assigned to a string column", path)
		}
		return // the value is known when the template is rendered (G7)
	}

	if why := k.literal(column.Column, a); why != "" {
		g.wrong("value", "%s", why)
	}
}

// objectVariable returns the variable if the text is exactly one variable that names an object column, "" otherwise.
func (k *check) objectVariable(text string) string {
	template, err := placeholder.Parse(strings.TrimSpace(text))
	name := template.Single()
	if err != nil || name == "" {
		return ""
	}
	n := k.known()
	path := strings.Split(name, ".")
	column, ok := n.column(path)
	if !ok || column.Type != value.Object || path[len(path)-1] != column.Name {
		return ""
	}
	return name
}

// literal returns what is wrong with a value without variables, "" if nothing.
func (k *check) literal(c value.Column, a trigger.Assignment) string {
	if a.Value == nil {
		if a.Operator == trigger.Assign && !c.Required {
			return ""
		}
		return "is required"
	}

	if _, isObject := a.Value.(map[string]any); !isObject && c.Type == value.Pointer {
		if _, ok := trigger.Identifier(a.Value); !ok {
			return "must be the id of a row"
		}
		return ""
	}

	c.Required = false
	c.Name = "value"
	v := k.sampled(a.Value, c)
	if _, isList := v.([]any); a.Operator != trigger.Assign && c.Type == value.Array && !isList {
		v = []any{v} // one item
	}
	if _, err := c.Convert(v); err != nil {
		return strings.TrimPrefix(errs.Message(err), `field "value" `)
	}

	return ""
}

// readWhere reads a where (D26) whose values may be templates.
func (k *check) readWhere(f *fields, in table.Table, filled bool) map[string]any {
	v, given := f.take("where")
	where, isObject := value.Plain(v).(map[string]any)
	switch {
	case !given && !filled:
		return nil
	case !isObject:
		f.wrong("where", "must be an object of conditions")
		return nil
	case len(where) == 0 && filled:
		f.wrong("where", "must have a condition: {} would be every row")
		return where
	}

	grammar := query.Grammar{Schema: in.Queryable()}
	if in.ID == table.UserProfiles {
		grammar.Groups = "user_group"
	}
	text, err := json.Marshal(k.sampledWhere(where, grammar.Schema))
	if err == nil {
		_, err = grammar.Where(string(text))
	}
	if err != nil {
		f.wrong("where", "%s", errs.Message(err))
	}
	return where
}

// sampledWhere replaces every template by a value that its column accepts, so that the rest can be checked.
func (k *check) sampledWhere(where map[string]any, schema value.Schema) map[string]any {
	out := make(map[string]any, len(where))
	for name, v := range where {
		column, _ := schema.Column(name)
		switch v := v.(type) {
		case []any: // the operands of $and and $or
			parts := make([]any, len(v))
			for i, part := range v {
				parts[i] = part
				if object, ok := part.(map[string]any); ok {
					parts[i] = k.sampledWhere(object, schema)
				}
			}

			out[name] = parts
		case map[string]any:
			operators := make(map[string]any, len(v))
			for operator, operand := range v {
				operators[operator] = k.sampledOperand(operand, query.Op(operator), column)
			}
			out[name] = operators
		default:
			out[name] = k.sampled(v, column)
		}
	}

	return out
}

func (k *check) sampledOperand(operand any, op query.Op, c value.Column) any {
	list, isList := operand.([]any)
	text, isText := operand.(string)
	ofItems := op == query.OpIn || op == query.OpNin || op == query.OpAll
	item := c
	if c.Type == value.Array && ofItems {
		item = c.Item()
	}

	switch {
	case isText && !k.hasPlaceholder(text):
		return operand
	case isText && ofItems:
		return []any{item.Sample()}
	case isText && (op == query.OpIsNull || op == query.OpExists):
		return true
	case isText && op == query.OpRange:
		return []any{c.Sample(), c.Sample()}
	case isText && (op == query.OpContains || op == query.OpRegex || op == query.OpHasKey):
		return "sample"
	case isList && (ofItems || op == query.OpRange):
		items := make([]any, len(list))
		for i, each := range list {
			items[i] = k.sampled(each, item)
		}
		return items
	}
	return k.sampled(operand, c)
}

// sampled replaces a template by a sample of the column.
func (k *check) sampled(v any, c value.Column) any {
	switch v := v.(type) {
	case string:
		if k.hasPlaceholder(v) {
			return c.Sample()
		}
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = k.sampled(item, c.Item())
		}
		return items
	}
	return v
}
