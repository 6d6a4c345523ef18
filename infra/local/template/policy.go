package template

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/iamaction"
)

// Grant is one statement of a policy: what a function may do.
type Grant struct {
	Actions   []string // "dynamodb:GetItem"; * and ? stand for any characters
	Resources []string // ARNs, with the same wildcards
	Keys      []string // partition keys of items, with the same wildcards; none where all may be meant
}

// Allowed reports whether the grants let the action be done to the resource, and
// to the item of that partition key where one is given.
func Allowed(grants []Grant, action, resource, key string) bool {
	return slices.ContainsFunc(grants, func(g Grant) bool {
		return matches(g.Actions, action, strings.ToLower) && matches(g.Resources, resource, strings.Clone) &&
			(g.Keys == nil || matches(g.Keys, key, strings.Clone))
	})
}

func matches(patterns []string, s string, fold func(string) string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		// path.Match stops wildcards at slashes, which ARNs are full of.
		ok, err := path.Match(strings.ReplaceAll(fold(p), "/", "\x00"), strings.ReplaceAll(fold(s), "/", "\x00"))
		return err == nil && ok
	})
}

// document is a policy document of a role.
type document struct {
	Version   string `yaml:"Version"`
	Statement []struct {
		Effect    string `yaml:"Effect"`
		Action    texts  `yaml:"Action"`
		Resource  texts  `yaml:"Resource"`
		Condition *struct {
			StringLike struct {
				LeadingKeys texts `yaml:"dynamodb:LeadingKeys"`
			} `yaml:"ForAllValues:StringLike"`
		} `yaml:"Condition"`
	} `yaml:"Statement"`
}

// grants returns the statements of policies.
func (b *builder) grants(id string, policies []document) (out []Grant) {
	for _, policy := range policies {
		for _, s := range policy.Statement {
			b.oneOf(id, "Effect", s.Effect, "Allow")
			g := Grant{Actions: s.Action, Resources: s.Resource}
			for _, action := range g.Actions {
				if !iamaction.Exists(action) {
					b.fail(id, "IAM has no action %s", action)
				}
			}

			if s.Condition != nil {
				// Other actions name their keys elsewhere in the request.
				if !slices.Equal(g.Actions, []string{"dynamodb:GetItem"}) {
					b.fail(id, "the local cloud serves conditions only where dynamodb:GetItem is allowed")
				}
				g.Keys = s.Condition.StringLike.LeadingKeys
			}
			out = append(out, g)
		}
	}
	return out
}

// role reads a role for the functions that assume it.
func (b *builder) role(id, name string, n *yaml.Node) {
	var p struct {
		Policies []struct {
			PolicyName     string   `yaml:"PolicyName"`
			PolicyDocument document `yaml:"PolicyDocument"`
		} `yaml:"Policies"`
	}
	b.decode(id, n, &p, "RoleName", "AssumeRolePolicyDocument")
	var documents []document
	for _, policy := range p.Policies {
		documents = append(documents, policy.PolicyDocument)
	}
	b.roles[b.arn("iam", "role/"+name)] = b.grants(id, documents)
}
