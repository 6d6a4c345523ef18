package check

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template"
	"minicloud/infra/local/template/node"
)

// Rollouts reports functions behind the API that change to a new version all at once, and other functions with an
// alias. Two versions of a consumer would read the records of one shard by turns, and a sandbox would start its
// tenants' environments twice.
func Rollouts(tmpl *template.Template) (problems findings) {
	for _, f := range tmpl.Functions {
		report := func(problem string) { problems.add("template.yaml: %s %s", f.ID, problem) }
		consumes := len(f.Queues)+len(f.Streams)+len(f.Schedules) > 0 || f.PerTenant
		switch {
		case len(f.Routes) == 0 && f.Alias != "":
			report("has an alias and no route")
		case len(f.Routes) > 0 && consumes:
			report("has routes and other event sources, which would follow its alias")
		case len(f.Routes) > 0 && (f.Alias == "" || f.Deployment == nil):
			report("has routes, and no AutoPublishAlias with a DeploymentPreference")
		case f.Deployment != nil && f.Deployment.Role == "":
			report("has a deployment without a Role: sam would make one that may move every alias of the account")
		case f.Deployment != nil && f.Deployment.Type != "AllAtOnce" && len(f.Deployment.Alarms) < 2:
			report("has a canary without an alarm on the API and one on itself")
		}
	}
	return problems
}

// ParameterValues reports that Globals.Function.Description is not the hash of the parameters' values. sam publishes
// a version when the template changes, not when a parameter has another value, so the alias would keep the old one.
func ParameterValues(samconfig, source string) []string {
	var file struct {
		Parameters map[string]template.Parameter `yaml:"Parameters"`
		Globals    struct {
			Function yaml.Node `yaml:"Function"`
		} `yaml:"Globals"`
		Resources map[string]struct {
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal([]byte(source), &file); err != nil {
		return []string{"template.yaml: " + err.Error()}
	}

	used := node.References(&file.Globals.Function)
	for _, r := range file.Resources {
		if node.Get(&r.Properties, "AutoPublishAlias") != nil {
			used = append(used, node.References(&r.Properties)...)
		}
	}
	sections, sum := tomlSections(samconfig), sha256.New()
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		if !strings.HasSuffix(section, ".global.parameters") {
			continue
		}
		values := map[string]string{}
		for name, p := range file.Parameters {
			if slices.Contains(used, name) && p.Default != nil {
				values[name] = *p.Default
			}
		}
		for _, set := range samParameter.FindAllStringSubmatch(sections[section]["parameter_overrides"], -1) {
			if slices.Contains(used, set[1]) {
				values[set[1]] = set[2]
			}
		}
		fmt.Fprintf(sum, "%s %q\n", section, values) // fmt sorts the keys
	}

	want := fmt.Sprintf("parameters %x", sum.Sum(nil)[:4])
	if got := node.Get(&file.Globals.Function, "Description"); got == nil || got.Value != want {
		return []string{"template.yaml: Globals.Function needs Description: " + want +
			", the hash of the parameters' values; without a new one, programs keep the old values"}
	}
	return nil
}
