package refusal

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/node"
)

// alias is the suffix that makes the ID of a function's alias, which SAM adds. The API and the deployment group belong
// to the alias: it waits for its deployment group, and the function does not.
const alias = ".Alias"

// circle reports a circle of resources. CloudFormation creates what a resource refers to first, so it refuses them all.
// Both values of an If count, and resources whose condition is false.
func circle(s *stack, report report) {
	all, waits := node.Get(s.source, "Resources"), map[string][]string{}
	refers := func(from string, value *yaml.Node) {
		for _, id := range node.References(value) {
			if node.Get(all, id) != nil {
				waits[from] = append(waits[from], id)
			}
		}
	}
	for key, resource := range node.Pairs(all) {
		id := key.Value
		if node.Get(resource, "Type").Value != "AWS::Serverless::Function" {
			refers(id, node.Get(resource, "Properties"))
			continue
		}

		waits[id+alias] = []string{id}
		refers(id, node.Get(s.source, "Globals"))
		for name, value := range node.Pairs(node.Get(resource, "Properties")) {
			switch name.Value {
			case "Events":
				for _, event := range node.Pairs(value) {
					for _, api := range node.References(node.Get(node.Get(event, "Properties"), "ApiId")) {
						waits[api] = append(waits[api], id+alias)
					}
				}
			case "DeploymentPreference":
				refers(id+alias, value)
			default:
				refers(id, value)
			}
		}
	}

	done := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(waits)) {
		if found := circleFrom(waits, []string{id}, done); found != nil {
			report(found[0], "refers to itself: %s", strings.Join(found, " → "))
			return
		}
	}
}

// circleFrom returns a circle that the end of a path leads to, nil for none. The resources in done lead to none.
func circleFrom(waits map[string][]string, path []string, done map[string]bool) []string {
	end := len(path) - 1
	if i := slices.Index(path[:end], path[end]); i >= 0 {
		return path[i:]
	}
	if done[path[end]] {
		return nil
	}
	for _, next := range waits[path[end]] {
		if found := circleFrom(waits, append(path, next), done); found != nil {
			return found
		}
	}
	done[path[end]] = true
	return nil
}
