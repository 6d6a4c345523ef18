package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"minicloud/infra/local/template"
	"minicloud/infra/local/template/refusal"
)

// tomlLine matches a line of samconfig.toml: a section header, or a key and its value.
var tomlLine = regexp.MustCompile(`(?m)^(?:\[([\w.]+)\]|(\w+) = (.*))$`)

// samParameter matches one text of parameter_overrides: "Stage=prod".
var samParameter = regexp.MustCompile(`"(\w+)=([^"]*)"`)

// tomlSections returns the keys of each section with their unparsed values.
func tomlSections(source string) map[string]map[string]string {
	out := map[string]map[string]string{}
	section := ""
	for _, line := range tomlLine.FindAllStringSubmatch(source, -1) {
		if line[1] != "" {
			section = line[1]
			out[section] = map[string]string{}
		} else if section != "" {
			out[section][line[2]] = line[3]
		}
	}
	return out
}

// SamConfig reports environments of samconfig.toml that the template does not accept, or that deploy another
// environment's build. Each must build into its own folder and deploy from there: otherwise `sam build` uses the
// parameters of one environment, such as the processor type, and `sam deploy` those of another.
func SamConfig(samconfig, source string) (problems findings) {
	sections := tomlSections(samconfig)
	report := func(format string, a ...any) {
		problems = append(problems, "samconfig.toml: "+fmt.Sprintf(format, a...))
	}

	for _, name := range slices.Sorted(maps.Keys(sections)) {
		environment, command, _ := strings.Cut(strings.TrimSuffix(name, ".parameters"), ".")
		if command != "global" {
			if sections[name]["parameter_overrides"] != "" {
				report("%s has parameter_overrides of its own; build and deploy must read the same", name)
			}
			continue
		}

		parameters := map[string]string{}
		for _, set := range samParameter.FindAllStringSubmatch(sections[name]["parameter_overrides"], -1) {
			parameters[set[1]] = set[2]
		}
		if _, err := template.Read([]byte(source), template.Options{Parameters: parameters}); err != nil {
			report("%s: template.yaml: %v", environment, err)
		}
		if stack := strings.Trim(sections[name]["stack_name"], `"`); len(stack) > refusal.LongestStack {
			report("%s: the stack's name has %d characters, at most %d", environment, len(stack), refusal.LongestStack)
		}

		if environment == "default" {
			continue // sam's default folder, for both commands
		}
		folder := ".aws-sam/" + environment
		build, deploy := sections[environment+".build.parameters"], sections[environment+".deploy.parameters"]
		if build["build_dir"] != `"`+folder+`"` || deploy["template_file"] != `"`+folder+`/template.yaml"` {
			report("%s must build into %s and deploy from there", environment, folder)
		}
		if deploy["s3_prefix"] != sections[name]["stack_name"] {
			report("%s: s3_prefix is not the stack's name: sam delete of another stack deletes its files", environment)
		}
	}
	return problems
}
