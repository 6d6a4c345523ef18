package template

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/iamaction"
	"minicloud/infra/local/template/node"
)

// Grant is one statement of a policy: actions that a function may perform.
type Grant struct {
	Actions   []string // such as "dynamodb:GetItem"; * and ? are wildcards
	Resources []string // ARNs, with the same wildcards
	// Keys are partition keys of items, SecretContext values of secrets or names of SES tenants, with the same wildcards;
	// nil allows all.
	Keys []string
}

// SecretContext is the key in KMS's encryption context whose value a secret is bound to.
const SecretContext = "for"

// Allowed reports whether the grants allow the action on the resource. key is the partition key of the item, the
// SecretContext value of the secret or the tenant of the mail; "" for none.
func Allowed(grants []Grant, action, resource, key string) bool {
	return slices.ContainsFunc(grants, func(g Grant) bool {
		return Match(g.Actions, action, strings.ToLower) && Match(g.Resources, resource, strings.Clone) &&
			(g.Keys == nil || Match(g.Keys, key, strings.Clone))
	})
}

// Match reports whether a text matches one of the patterns, in which * stands for any text and ? for any character.
// fold says what counts as the same text.
func Match(patterns []string, s string, fold func(string) string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		// path.Match stops wildcards at slashes, but ARNs contain slashes.
		ok, err := path.Match(strings.ReplaceAll(fold(p), "/", "\x00"), strings.ReplaceAll(fold(s), "/", "\x00"))
		return err == nil && ok
	})
}

// document is a policy document of a role.
type document struct {
	Version   string `yaml:"PolicyDocument.Version"`
	Statement []struct {
		Effect   string     `yaml:"Effect"`
		Action   node.Texts `yaml:"Action"`
		Resource node.Texts `yaml:"Resource"`
		Items    node.Texts `yaml:"Condition.ForAllValues:StringLike.dynamodb:LeadingKeys"`
		Secrets  node.Texts `yaml:"Condition.StringLike.kms:EncryptionContext:for"`
		Tenants  node.Texts `yaml:"Condition.StringLike.ses:TenantName"`
		Account  string     `yaml:"Condition.StringEquals.s3:ResourceAccount"`
	} `yaml:"PolicyDocument.Statement"`
}

// grants returns the grants in a policy document.
func (b *builder) grants(id string, policy document) (out []Grant) {
	for _, s := range policy.Statement {
		b.oneOf(id, "Effect", s.Effect, "Allow")
		g := Grant{Actions: s.Action, Resources: s.Resource}
		for _, action := range g.Actions {
			if !iamaction.Exists(action) {
				b.fail(id, "IAM has no action %s", action)
			}
		}

		// Requests of other actions contain their keys elsewhere.
		switch items, secrets, tenants := s.Items != nil, s.Secrets != nil, s.Tenants != nil; {
		case !items && !secrets && !tenants && s.Account == "":
		// All local resources belong to one account.
		case s.Account == Account && onlyOf(g.Actions, "s3:PutObject", "s3:ListBucket"):
		case items && !secrets && !tenants && onlyOf(g.Actions, "dynamodb:GetItem", "dynamodb:UpdateItem"):
			g.Keys = s.Items
		case secrets && !items && !tenants && onlyOf(g.Actions, "kms:Decrypt", "kms:GenerateDataKey"):
			g.Keys = s.Secrets
		case tenants && !items && !secrets && onlyOf(g.Actions, "ses:SendEmail"):
			g.Keys = s.Tenants
		default:
			b.fail(id, "the local cloud serves conditions only of dynamodb:LeadingKeys where dynamodb:GetItem or UpdateItem is "+
				"allowed, of kms:EncryptionContext:for where kms:Decrypt or kms:GenerateDataKey is, of ses:TenantName where "+
				"ses:SendEmail is, and of the s3:ResourceAccount of this stack where s3:PutObject and s3:ListBucket are")
		}
		out = append(out, g)
	}
	return out
}

func onlyOf(actions []string, known ...string) bool {
	return !slices.ContainsFunc(actions, func(action string) bool { return !slices.Contains(known, action) })
}

// role reads a role that functions may assume.
func (b *builder) role(id, name string, n *yaml.Node) {
	var p struct {
		Policies []struct {
			PolicyName string `yaml:"PolicyName"`
			document   `yaml:",inline"`
		} `yaml:"Policies"`
		ManagedPolicyArns []string `yaml:"ManagedPolicyArns"`
	}
	b.decode(id, n, &p, "RoleName", "AssumeRolePolicyDocument")
	for _, policy := range p.ManagedPolicyArns {
		// Policies of AWS allow every log group, queue and stream of the account.
		if _, ours := b.managed[policy]; !ours {
			b.fail(id, "ManagedPolicyArns: %s is not declared before it in this template", policy)
		}
	}
	var grants []Grant
	for _, policy := range p.Policies {
		grants = append(grants, b.grants(id, policy.document)...)
	}
	for _, policy := range p.ManagedPolicyArns {
		grants = append(grants, b.managed[policy]...)
	}
	b.roles[b.arn("iam", "role/"+name)] = grants
}

// managedPolicy reads a policy that several roles share.
func (b *builder) managedPolicy(id, name string, n *yaml.Node) {
	var p document
	b.decode(id, n, &p, "ManagedPolicyName", "Description")
	b.managed[b.arn("iam", "policy/"+name)] = b.grants(id, p)
}
