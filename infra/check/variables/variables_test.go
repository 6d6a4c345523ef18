// Package variables compares the environment variables that every program reads with template.yaml. It imports all
// programs, so that package check need not.
package variables

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	sandbox "minicloud/functions/sandbox/wire"
	"minicloud/infra/check"
	"minicloud/infra/local/compile"
	"minicloud/infra/local/programs"
	"minicloud/infra/local/programs/phones"
	"minicloud/infra/local/programs/plain"
	"minicloud/infra/local/template"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
)

func TestTemplateAndProgramsAgree(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := check.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}

	read := map[string]map[string]bool{
		"sandbox": check.VariablesRead(func(p *program.Program) { sandbox.Supervisor(p) }),
	}
	for _, set := range []programs.Set{plain.Programs, phones.Programs} {
		for name, wire := range set {
			read[name] = check.VariablesRead(func(p *program.Program) { wire(backend.Open(p)) })
		}
	}
	if in := slices.Sorted(maps.Keys(phones.Programs)); !slices.Equal(in, compile.Phones) {
		t.Errorf("package phones has %v, compile.Phones are %v", in, compile.Phones)
	}
	for _, problem := range check.Programs(tree, read, tmpl) {
		t.Error(problem)
	}
}
