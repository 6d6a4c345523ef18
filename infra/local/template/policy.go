package template

import (
	"path"
	"slices"
	"strings"

	"minicloud/infra/local/iamaction"
)

// Grant is one statement of a policy: what a function may do, or with Deny may
// not.
type Grant struct {
	Deny      bool
	Actions   []string // "dynamodb:GetItem"; * and ? stand for any characters
	Resources []string // ARNs, with the same wildcards
	Keys      []string // partition keys of items, with the same wildcards; none where all may be meant
}

// Allowed says whether the grants let the action be done to the resource, and
// to the item of that partition key where one is given.
func Allowed(grants []Grant, action, resource, key string) bool {
	allowed := false
	for _, g := range grants {
		if !matches(g.Actions, strings.ToLower(action), strings.ToLower) || !matches(g.Resources, resource, nil) {
			continue
		}
		if g.Keys != nil && !matches(g.Keys, key, nil) {
			continue
		}
		if g.Deny {
			return false
		}
		allowed = true
	}
	return allowed
}

func matches(patterns []string, s string, fold func(string) string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if fold != nil {
			p = fold(p)
		}
		// path.Match stops wildcards at slashes, which ARNs are full of.
		ok, err := path.Match(strings.ReplaceAll(p, "/", "\x00"), strings.ReplaceAll(s, "/", "\x00"))
		return err == nil && ok
	})
}

// document reads a policy document.
func (s *section) document() []Grant {
	s.text("Version", "")
	s.text("Id", "")
	var out []Grant
	for _, statement := range s.each("Statement") {
		statement.text("Sid", "")
		g := Grant{Deny: statement.oneOf("Effect", "Allow", "Deny") == "Deny"}
		g.Actions = statement.texts("Action")
		for _, action := range g.Actions {
			if !iamaction.Exists(action) {
				statement.fail(statement.value.Fields["Action"], "IAM has no action %s", action)
			}
		}

		g.Resources = statement.texts("Resource")
		if statement.has("Condition") {
			g.Keys = statement.leadingKeys(g)
		}

		statement.done()
		out = append(out, g)
	}

	s.done()
	return out
}

// leadingKeys reads the one condition that is served: which partition keys
// dynamodb:GetItem may ask for. Other actions name their keys elsewhere.
func (s *section) leadingKeys(g Grant) []string {
	if g.Deny || !slices.Equal(g.Actions, []string{"dynamodb:GetItem"}) {
		s.fail(s.value.Fields["Condition"], "the local cloud serves conditions only where dynamodb:GetItem is allowed")
	}
	condition := s.child("Condition")
	like := condition.child("ForAllValues:StringLike")
	keys := like.texts("dynamodb:LeadingKeys")
	like.done()
	condition.done()
	return keys
}

// texts returns a text or a list of texts.
func (s *section) texts(key string) []string {
	v := s.get(key)
	if v == nil {
		s.fail(s.value, "%s is missing", key)
		return nil
	}
	if v.Kind == Scalar {
		return []string{v.Text}
	}
	var out []string
	for _, item := range v.Items {
		out = append(out, item.Text)
	}
	return out
}

// managed are the policies of AWS that a name may stand for. They only let a
// function do what needs no leave here: write logs and traces.
var managed = []string{"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess", "AWSXRayDaemonWriteAccess"}

// grants reads the Policies of a function: documents, or names of managed
// ones.
func (s *section) grants(policies []*Value) []Grant {
	var out []Grant
	for _, v := range policies {
		if v.Kind == Scalar {
			if !slices.Contains(managed, v.Text[strings.LastIndex(v.Text, "/")+1:]) {
				s.fail(v, "Policies: the managed policy %s is not served by the local cloud", v.Text)
			}
			continue
		}

		document := s.mapping(s.name+".Policies", v)
		if !document.has("Statement") {
			s.fail(v, "Policies: policy templates are not served by the local cloud; write the statements")
			continue
		}

		out = append(out, document.document()...)
	}

	return out
}

// role reads a role for the functions that take it on.
func (b *builder) role(_, name string, s *section) {
	var grants []Grant
	for _, policy := range s.each("Policies") {
		policy.required("PolicyName")
		grants = append(grants, policy.child("PolicyDocument").document()...)
		policy.done()
	}
	for _, v := range s.list("ManagedPolicyArns") {
		grants = append(grants, s.grants([]*Value{v})...)
	}
	s.done(
		"RoleName", "AssumeRolePolicyDocument", "Description", "Path", "Tags", "MaxSessionDuration", "PermissionsBoundary",
	)
	b.roles[b.arn("iam", "role/"+name)] = grants
}
