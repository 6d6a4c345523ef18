package check

import (
	"strings"
	"testing"

	"minicloud/infra/local/template"
)

func TestEgress(t *testing.T) {
	tree, tmpl := open(t)
	texts := map[string]string{}
	for _, name := range []string{"template.yaml", "infra/docs/operations.md", "infra/docs/deploy.md"} {
		text, err := tree.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = text
	}
	_, section, _ := strings.Cut(texts["infra/docs/operations.md"], "### A fixed address for outgoing requests")
	section, _, _ = strings.Cut(section, "\n## ")
	inside, err := template.Read([]byte(texts["template.yaml"]), template.Options{Parameters: FixedEgress})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range append(Egress(inside, section), Parameters(tmpl, texts["infra/docs/deploy.md"])...) {
		t.Error(problem)
	}

	// Each omission is reported.
	all := strings.Join(Egress(tmpl, section), "\n") + strings.Join(Parameters(tmpl, ""), "\n")
	for _, want := range []string{
		"FileFunction has CHAT_API, but no VpcConfig", "JobrunnerFunction has a VpcConfig: false, is listed: true",
		"the parameter EgressSubnetIds is not listed",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
}
