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
	// Keys are partition keys of items, or what secrets are bound to, with the same wildcards; none where all may be meant.
	Keys []string
}

// SecretContext is the key of KMS's encryption context that says what a secret is bound to.
const SecretContext = "for"

// Allowed reports whether the grants let the action be done to the resource, and to the item of that partition key or the
// secret of that encryption context where one is given.
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
			OfItems struct {
				LeadingKeys texts `yaml:"dynamodb:LeadingKeys"`
			} `yaml:"ForAllValues:StringLike"`
			OfSecrets struct {
				BoundTo texts `yaml:"kms:EncryptionContext:for"`
			} `yaml:"StringLike"`
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
				switch items, secrets := s.Condition.OfItems.LeadingKeys, s.Condition.OfSecrets.BoundTo; {
				case items != nil && secrets == nil && onlyOf(g.Actions, "dynamodb:GetItem"):
					g.Keys = items
				case secrets != nil && items == nil && onlyOf(g.Actions, "kms:Decrypt", "kms:GenerateDataKey"):
					g.Keys = secrets
				default:
					b.fail(id, "the local cloud serves conditions only of dynamodb:LeadingKeys where dynamodb:GetItem is allowed, "+
						"and of kms:EncryptionContext:for where kms:Decrypt or kms:GenerateDataKey is")
				}
			}
			out = append(out, g)
		}
	}
	return out
}

func onlyOf(actions []string, known ...string) bool {
	return !slices.ContainsFunc(actions, func(action string) bool { return !slices.Contains(known, action) })
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
