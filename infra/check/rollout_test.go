package check

import (
	"strings"
	"testing"

	"minicloud/infra/local/template"
)

func TestRollouts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(web, worker *template.Function)
		want   []string
	}{
		"canary":             {func(_, _ *template.Function) {}, nil},
		"at once":            {func(web, _ *template.Function) { web.Deployment = &template.Deployment{Type: "AllAtOnce", Role: "r"} }, nil},
		"no alias":           {func(web, _ *template.Function) { web.Alias = "" }, []string{"Web has routes, and no AutoPublishAlias"}},
		"no deployment":      {func(web, _ *template.Function) { web.Deployment = nil }, []string{"Web has routes, and no AutoPublishAlias"}},
		"role of sam":        {func(web, _ *template.Function) { web.Deployment.Role = "" }, []string{"without a Role"}},
		"nothing rings":      {func(web, _ *template.Function) { web.Deployment.Alarms = nil }, []string{"Web has a canary without an alarm"}},
		"alias of a worker":  {func(_, worker *template.Function) { worker.Alias = "live" }, []string{"Worker has an alias and no route"}},
		"routes of a worker": {func(_, worker *template.Function) { worker.Routes = []template.Route{{}} }, []string{"Worker has routes and other"}},
	} {
		t.Run(name, func(t *testing.T) {
			web := &template.Function{ID: "Web", Alias: "live", Routes: []template.Route{{}}, Deployment: &template.Deployment{
				Type: "Canary10Percent5Minutes", Alarms: []string{"a", "b"}, Role: "r",
			}}
			worker := &template.Function{ID: "Worker", Queues: []template.QueueEvent{{}}}
			c.change(web, worker)
			expect(t, Rollouts(&template.Template{Functions: []*template.Function{web, worker}}), c.want...)
		})
	}
}

func TestParameterValues(t *testing.T) {
	const samconfig = "[dev.global.parameters]\nparameter_overrides = [\"Level=DEBUG\", \"Days=3\"]\n"
	const source = `Parameters:
  Level: {Type: String, Default: INFO}
  Days: {Type: Number, Default: 30}
  Host: {Type: String, Default: ""}
Globals: {Function: {Description: parameters 6edb846c, Environment: {Variables: {LEVEL: !Ref Level}}}}
Resources:
  F: {Type: AWS::Serverless::Function, Properties: {AutoPublishAlias: live, Environment: {Variables: {URL: !Sub "https://${Host}"}}}}
  L: {Type: AWS::Logs::LogGroup, Properties: {RetentionInDays: !Ref Days}}
`
	for name, c := range map[string]struct {
		replace, by string
		refused     bool
	}{
		"nothing":                   {"", "", false},
		"a value that no one reads": {"Days=3", "Days=7", false},
		"another value":             {"Level=DEBUG", "Level=WARN", true},
		"another default":           {`Host: {Type: String, Default: ""}`, `Host: {Type: String, Default: "a"}`, true},
		"no hash":                   {"Description: parameters 6edb846c, ", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			if c.refused {
				want = []string{"Globals.Function needs Description: parameters"}
			}
			change := strings.NewReplacer(c.replace, c.by)
			if c.replace == "" {
				change = strings.NewReplacer()
			}
			expect(t, ParameterValues(change.Replace(samconfig), change.Replace(source)), want...)
		})
	}
}
