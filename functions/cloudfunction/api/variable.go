package api

import (
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// Variable is a variable of a function (D46).
type Variable struct {
	Key    string  `json:"key" schema:"VariableKey"`
	Value  *string `json:"value"` // The value. null for a secret.
	Secret bool    `json:"secret"`
}

type listVariables struct {
	named
	Page page.Request
}

// listVariables lists the variables of a function by key.
func (g *Group) listVariables(ctx context.Context, in listVariables) (answer httpapi.Envelope[Variable], err error) {
	all, err := g.Variables.List(ctx, httpapi.Scope(ctx), in.Function)
	if err != nil {
		return answer, err
	}

	from := min(in.Page.Offset, len(all))
	to := min(from+in.Page.Limit, len(all))
	got := page.Page[cloudfunction.Variable]{Objects: all[from:to], Total: len(all)}
	if to < len(all) {
		// A function has at most 50 variables, so the offset alone locates the next page.
		got.Next = "more"
	}
	return httpapi.ListOf(ctx, in.Page, got, func(v cloudfunction.Variable) Variable { return Variable(v) }), nil
}

type ofVariable struct {
	named
	Key string `path:"key" schema:"VariableKey"`
}

// readVariable serves one variable.
func (g *Group) readVariable(ctx context.Context, in ofVariable) (v Variable, err error) {
	all, err := g.Variables.List(ctx, httpapi.Scope(ctx), in.Function)
	if err != nil {
		return v, err
	}
	for _, v := range all {
		if v.Key == in.Key {
			return Variable(v), nil
		}
	}
	return v, errs.NotFound("variable %q does not exist", in.Key)
}

type variableValue struct {
	Value  *string `json:"value" maxLength:"4096" required:"true"`
	Secret bool    `json:"secret"` // Hide the value in every response.
}

type putVariable struct {
	named
	Key string `json:"key" schema:"VariableKey" required:"true"`
	variableValue
}

// putVariable sets a variable whose key is in the body.
func (g *Group) putVariable(ctx context.Context, in putVariable) (Variable, error) {
	return g.put(ctx, in.Function, Variable{in.Key, in.Value, in.Secret})
}

type putVariableByKey struct {
	ofVariable
	variableValue
}

// putVariableByKey sets a variable whose key is in the path.
func (g *Group) putVariableByKey(ctx context.Context, in putVariableByKey) (Variable, error) {
	return g.put(ctx, in.Function, Variable{in.Key, in.Value, in.Secret})
}

func (g *Group) put(ctx context.Context, function string, v Variable) (Variable, error) {
	err := g.Variables.Put(ctx, httpapi.Scope(ctx), function, cloudfunction.Variable(v))
	if v.Secret {
		v.Value = nil
	}
	return v, err
}

// deleteVariable deletes a variable.
func (g *Group) deleteVariable(ctx context.Context, in ofVariable) (none httpapi.None, err error) {
	return none, g.Variables.Delete(ctx, httpapi.Scope(ctx), in.Function, in.Key)
}
