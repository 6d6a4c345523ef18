package check

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"minicloud/infra/local/template"
	"minicloud/infra/openapi/routes"
)

// open reads this repository, once for all tests.
func open(t *testing.T) (*Tree, *template.Template) {
	t.Helper()
	tree, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Go) == 0 {
		t.Fatal("no Go files found")
	}
	source, err := tree.Text("template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.Read([]byte(source), template.Options{Parameters: map[string]string{
		"AlarmEmail": "alarms@example.com", "SendsMessages": "yes", "LogLevel": "DEBUG",
	}})
	if err != nil {
		t.Fatal(err)
	}
	return tree, tmpl
}

var opened = sync.OnceValues(func() (*Tree, error) { return Open("../..") })

// TestSecretsOpenInTheirProgramsOnly lists, for each kind of secret, the programs that may decrypt it and those that
// may encrypt it. The encryption context of the data key contains the kind.
func TestSecretsOpenInTheirProgramsOnly(t *testing.T) {
	_, tmpl := open(t)
	for _, kind := range []struct{ bound, open, seal string }{
		{"7.production#payment#chat#merchant_key", "order paymentcheck paymentnotify paymentrefund", "order"},
		{"7.production#variable#0000000000000001", "cloudfunction jobrunner", "cloudfunction"},
		{"7.production#callback", "cloudfunction jobrunner", "cloudfunction"},
		{"platform#log-link#688", "cloudfunction", "cloudfunction"},
		{"7.production#trigger#1", "actionrunner console trigger", "console trigger"},
		{"7.production#message#chat#app_secret", "actionrunner file message platformevent session", "message"},
		{"7.production#login#oauth-chat-web#app_secret", "session", "message"},
		{
			"7.production#message-token#chat", "actionrunner file message platformevent session",
			"actionrunner file message platformevent session",
		},
		{"7.production#sms-code#1", "message session", "message"},
		{"7.production#another", "", ""},
		{"", "", ""},
	} {
		for action, want := range map[string]string{"kms:Decrypt": kind.open, "kms:GenerateDataKey": kind.seal} {
			var may []string
			for _, f := range tmpl.Functions {
				if template.Allowed(f.Grants, action, arn("kms", "key/SecretsKey"), kind.bound) {
					may = append(may, f.Program)
				}
			}
			if slices.Sort(may); strings.Join(may, " ") != want {
				t.Errorf("%s of %q: %v may, want %q", action, kind.bound, may, want)
			}
		}
	}
}

func TestRepository(t *testing.T) {
	tree, tmpl := open(t)
	source, err := tree.Text("template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	limited, err := template.Read([]byte(source), template.Options{Parameters: map[string]string{"SandboxConcurrency": "300"}})
	if err != nil {
		t.Fatal(err)
	}
	samconfig, err := tree.Text("samconfig.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []struct {
		name     string
		problems []string
	}{
		{"imports point down", Imports(tree)},
		{"nothing registers itself", Registrations(tree)},
		{"sam builds what it deploys", Builds(tmpl)},
		{"sam deploys what it built", SamConfig(samconfig, source)},
		{"new versions of the API are tried first", Rollouts(tmpl)},
		{"values of parameters reach the API", ParameterValues(samconfig, source)},
		{"what is given up rings", DeadLetters(tmpl)},
		{"what goes wrong rings", Alarms(tmpl)},
		{"logs are what the parameter says", Logs(tmpl, "DEBUG")},
		{"strangers leave room for others", Concurrency(tmpl, limited)},
		{"what runs every minute is not retried", Schedules(tmpl)},
		{"each program has its own role, and strangers' code is walled in", Roles(tmpl)},
		{"actions are IAM's", Actions(source)},
		{"endpoints are served", Endpoints(routes.All(), endpoints)},
		{"every program's routes are listed", RouteLists(tree)},
		{"every endpoint has a fixture", Fixtures(tree, tmpl, routes.All(), endpoints)},
		{"links lead somewhere", Links(tree)},
		{"commands name what the template has", Commands(tree, source)},
		{"the README is a tour", Readme(tree)},
		{"both modules use the same versions", Modules(tree)},
		{"packages say what they are for", PackageComments(tree)},
		{"packages have names", PackageNames(tree)},
		{"files are short", FileLengths(tree)},
		{"the top level is the one we promised", TopLevel(tree)},
		{"no program and no large file is tracked", TrackedFiles(tree)},
		{"no registry addresses", Addresses(tree)},
		{"decisions are numbered", Decisions(tree)},
		{"the index lists the numbers that comments cite", References(tree)},
	} {
		t.Run(rule.name, func(t *testing.T) {
			for _, problem := range rule.problems {
				t.Error(problem)
			}
		})
	}
}
