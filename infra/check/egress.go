package check

import (
	"maps"
	"slices"
	"strings"

	"minicloud/infra/local/template"
)

// FixedEgress are the parameters of a deployment that sends from a fixed address.
var FixedEgress = map[string]string{
	"EgressSubnetIds": "subnet-0123456789abcdef0", "EgressSecurityGroupId": "sg-0123456789abcdef0",
}

// Egress reports programs with the address of a vendor that would not send from the fixed address, and those in the network
// that operations.md does not list. tmpl has the parameters FixedEgress.
func Egress(tmpl *template.Template, operations string) (problems findings) {
	for _, f := range tmpl.Functions {
		for name := range f.Environment {
			if strings.HasSuffix(name, "_API") && !f.Network {
				problems.add("template.yaml: %s has %s, but no VpcConfig", f.ID, name)
			}
		}
		if listed := strings.Contains(operations, "`"+f.ID+"`"); f.Network != listed {
			problems.add("infra/docs/operations.md: %s has a VpcConfig: %v, is listed: %v", f.ID, f.Network, listed)
		}
	}
	return problems
}

// Parameters reports parameters of the template that deploy.md does not name.
func Parameters(tmpl *template.Template, deploy string) (problems findings) {
	_, list, _ := strings.Cut(deploy, "The parameters are in `template.yaml`:\n`")
	list, _, _ = strings.Cut(list, "`")
	for _, name := range slices.Sorted(maps.Keys(tmpl.Parameters)) {
		if !slices.Contains(strings.Fields(list), name) {
			problems = append(problems, "infra/docs/deploy.md: the parameter "+name+" is not listed")
		}
	}
	return problems
}
