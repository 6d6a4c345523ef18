// Package iamaction knows which actions IAM has, of the services that
// template.yaml may use. IAM takes a policy with an action that does not exist
// and grants nothing by it, so a slip of the pen is found after the deploy.
package iamaction

import (
	_ "embed"
	"path"
	"strings"
)

//go:embed actions.txt
var list string

// actions are the names of each service's actions in lower case: IAM does not
// tell the cases apart.
var actions = read(list)

func read(list string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(list) {
		service, names, found := strings.Cut(line, ": ")
		if found && !strings.HasPrefix(line, "#") {
			out[service] = strings.Fields(strings.ToLower(names))
		}
	}
	return out
}

// Exists reports whether there is an action such as "dynamodb:GetItem". A pattern
// ("dynamodb:Get*") exists when it stands for at least one; so does "*".
func Exists(action string) bool {
	if action == "*" {
		return true
	}
	service, pattern, _ := strings.Cut(strings.ToLower(action), ":")
	for _, name := range actions[service] {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			return true
		}
	}
	return false
}
