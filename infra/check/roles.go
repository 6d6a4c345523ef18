package check

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/iamaction"
	"minicloud/infra/local/template"
	"minicloud/infra/local/template/node"
)

// Roles reports functions of template.yaml that lack their program's own role, and functions that execute code of
// others and have permissions beyond writing their logs. The template reader refuses everything else that could widen
// permissions: roles of other templates, managed policies and networks.
func Roles(tmpl *template.Template) (problems findings) {
	walled, programs := 0, map[string]string{}
	for _, f := range tmpl.Functions {
		// Without a Role, sam creates one with AWS managed policies.
		if f.Role == "" {
			problems = append(problems, f.ID+": its role must be one of this template")
			continue
		}
		if other, taken := programs[f.Role]; taken && other != f.Program {
			problems.add("%s: its role is also that of functions/%s", f.ID, other)
		}
		programs[f.Role] = f.Program

		if !f.PerTenant {
			continue
		}
		walled++
		for _, grant := range f.Grants {
			for _, action := range grant.Actions {
				if !strings.HasPrefix(action, "logs:") {
					problems.add("%s: its role allows %s", f.ID, action)
				}
			}
		}
	}

	if walled == 0 {
		problems = append(problems, "template.yaml: no function has TenancyConfig PER_TENANT")
	}
	return problems
}

// Actions reports actions in template.yaml that do not exist in IAM. It also checks statements that the local cloud
// does not read: key policies and trust policies of roles.
func Actions(source string) (problems findings) {
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(source), &file); err != nil {
		return []string{"template.yaml: " + err.Error()}
	}
	for _, action := range actions(&file) {
		if !iamaction.Exists(action) {
			problems.add("template.yaml: IAM has no action %s", action)
		}
	}
	return problems
}

// actions returns all texts under keys "Action", at any depth.
func actions(n *yaml.Node) []string {
	var out []string
	if found := node.Get(n, "Action"); found != nil {
		out = append(out, scalars(found)...)
	}
	for _, c := range n.Content {
		out = append(out, actions(c)...)
	}
	return out
}

func scalars(n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	var out []string
	for _, c := range n.Content {
		out = append(out, scalars(c)...)
	}
	return out
}
