package check

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/iamaction"
)

// Roles reports functions of template.yaml without a role of their program's own, and functions that run strangers' code
// and have permissions beyond writing their own logs. It parses the YAML itself because it asks for the words of roles.
func Roles(source string) []string {
	var file struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal([]byte(source), &file); err != nil {
		return []string{"template.yaml: " + err.Error()}
	}

	var problems []string
	walled, programs := 0, map[string]string{}
	for id, r := range file.Resources {
		if r.Type != "AWS::Serverless::Function" {
			continue
		}

		role := child(&r.Properties, "Role")
		// Without a Role, sam makes one with policies of AWS; a role outside the template cannot be checked.
		if role == nil || role.Tag != "!GetAtt" {
			problems = append(problems, id+": its role must be one of this template")
			continue
		}

		name, _, _ := strings.Cut(role.Value, ".")
		definition := file.Resources[name].Properties
		if child(&definition, "ManagedPolicyArns") != nil {
			problems = append(problems, fmt.Sprintf("%s: its role %s has managed policies", id, name))
		}
		program := ""
		if uri := child(&r.Properties, "CodeUri"); uri != nil {
			program = uri.Value
		}
		if other, taken := programs[name]; taken && other != program {
			problems = append(problems, fmt.Sprintf("%s: its role %s is also that of another program", id, name))
		}
		programs[name] = program

		if child(&r.Properties, "TenancyConfig") == nil {
			continue
		}
		walled++
		if child(&r.Properties, "VpcConfig") != nil {
			problems = append(problems, id+": runs strangers' code, so no network of ours")
		}
		for _, action := range actions(&definition) {
			if !strings.HasPrefix(action, "logs:") && action != "sts:AssumeRole" {
				problems = append(problems, fmt.Sprintf("%s: its role %s allows %s", id, name, action))
			}
		}
	}

	if walled == 0 {
		problems = append(problems, "template.yaml: no function has TenancyConfig PER_TENANT")
	}

	return problems
}

// Actions reports actions of template.yaml that IAM does not have. It includes statements that the local cloud does
// not read: key policies and trust policies of roles.
func Actions(source string) []string {
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(source), &file); err != nil {
		return []string{"template.yaml: " + err.Error()}
	}
	var problems []string
	for _, action := range actions(&file) {
		if !iamaction.Exists(action) {
			problems = append(problems, fmt.Sprintf("template.yaml: IAM has no action %s", action))
		}
	}
	return problems
}

// child returns the value under key of a mapping, nil when there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// actions collects every text under a key "Action", however deep.
func actions(n *yaml.Node) []string {
	var out []string
	if found := child(n, "Action"); found != nil {
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
