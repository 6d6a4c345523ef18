package check

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// layer is a layer of the architecture. Imports point down only.
type layer struct {
	name     string
	packages []string // and those below them, unless another layer has a longer pattern
	below    []string // layers that it may import, besides itself
	// ordered means that packages are listed in import order: each imports only those before it.
	ordered bool
	// never lists packages outside the module that this layer must not import.
	never []string
}

// layers is the architecture as a table, lowest layer first.
var layers = []layer{
	{
		name: "words",
		packages: []string{"shared/errs", "shared/tenant", "shared/page", "shared/clock", "shared/program/env", "shared/trace/logging", "shared/id",
			"shared/idempotency/writetoken", "shared/trace", "shared/compress", "shared/retry", "shared/clock/zone", "shared/trace/depth", "shared/secret/sealed",
			"shared/secret/rsakey", "shared/clip", "shared/cache", "shared/trace/chain", "shared/permission"},
		never: []string{"net/http", "github.com/aws"},
	},
	{
		name:     "languages", // without I/O
		packages: []string{"shared/language/value", "shared/language/query", "shared/language/cron", "shared/language/placeholder"},
		below:    []string{"words"},
		never:    []string{"net", "os", "io/fs", "database/sql", "github.com/aws"},
	},
	{
		name: "domains",
		packages: []string{
			"shared/sandbox", "shared/delivery", "shared/secret/password", "shared/idempotency", "shared/count",
			"shared/app", "shared/cloudfunction", "shared/order", "shared/message", "shared/table",
			"shared/oauth", "shared/bulk", "shared/job", "shared/user", "shared/file", "shared/trigger",
			"shared/proof", "shared/console",
		},
		ordered: true,
		below:   []string{"words", "languages"},
		never:   []string{"net/http", "database/sql", "github.com/aws"},
	},
	{
		name:     "faces",
		packages: []string{"shared/httpapi", "shared/program/lambdahttp", "shared/program/lambdabatch", "shared/httpapi/openapi"},
		below:    []string{"words", "languages", "domains"},
		never:    []string{"github.com/aws/aws-sdk-go-v2"},
	},
	{
		name:     "backends",
		packages: []string{"shared/dynamo", "shared/aws/remote", "shared/aws/queue", "shared/aws/bus", "shared/aws/secretbox", "shared/aws/objects", "shared/outbound", "shared/delivery/safehttp", "shared/runtime"},
		below:    []string{"words", "languages", "domains"},
	},
	{
		name:     "groups", // endpoints and consumers; they translate
		packages: []string{"functions/*/api", "functions/*/consumer"},
		below:    []string{"words", "languages", "domains", "faces"},
		never:    []string{"github.com/aws/aws-sdk-go-v2"},
	},
	{
		name:     "bootstrap", // the start of every program
		packages: []string{"shared/program"},
		below:    []string{"words", "languages", "domains", "faces", "backends"},
	},
	{
		name:     "programs", // wiring
		packages: []string{"functions/*"},
		below:    []string{"words", "languages", "domains", "faces", "backends", "groups", "bootstrap"},
	},
	{
		name:     "all programs", // in two binaries; the local cloud selects a program by its name
		packages: []string{"infra/local/programs", "infra/local/bootstrap", "infra/check/variables"},
		below:    []string{"words", "languages", "domains", "faces", "backends", "bootstrap", "programs", "infra"},
	},
	{
		name:     "lab", // tests the product: the simulation contains the handlers of all programs
		packages: []string{"infra/lab"},
		below: []string{
			"words", "languages", "domains", "faces", "backends", "groups", "bootstrap", "programs", "all programs", "infra",
		},
	},
	{
		name:     "infra",
		packages: []string{"infra"},
		below:    []string{"words", "languages", "domains", "faces", "backends", "bootstrap", "description"},
	},
	{
		name:     "description", // derives the OpenAPI document from the types of the programs' endpoints
		packages: []string{"infra/openapi"},
		below:    []string{"words", "languages", "domains", "faces", "groups", "infra"},
	},
}

// testKits may be imported by every test, as may the backends: services are tested with the real store, not with a
// mock.
var testKits = []string{"infra/local/dynamotest", "infra/local/vendors/payvendor", "infra/recount/books", "shared/runtime/sandboxtest"}

// layerOf returns the layer of a package and its index in the layer. The longest matching pattern decides.
func layerOf(dir string) (found *layer, place int) {
	longest := -1
	for i := range layers {
		for at, pattern := range layers[i].packages {
			if matchPrefix(dir, pattern) && len(pattern) > longest {
				found, place, longest = &layers[i], at, len(pattern)
			}
		}
	}
	return found, place
}

// matchPrefix reports whether pattern, in which "*" matches one path element, matches dir or a folder above it.
func matchPrefix(dir, pattern string) bool {
	have, want := strings.Split(dir, "/"), strings.Split(pattern, "/")
	if len(have) < len(want) {
		return false
	}
	for i, element := range want {
		if element != "*" && element != have[i] {
			return false
		}
	}
	return true
}

// Imports reports packages without a layer, and imports of a higher layer, of another program, or of a package that
// the layer forbids.
func Imports(t *Tree) (problems findings) {
	for _, source := range t.Go {
		from, place := layerOf(source.Dir)
		// A new package must be listed in a layer, otherwise no rule would apply to it.
		if from == nil {
			problems.add("%s: package %s is in no layer of infra/check/imports.go", source.Path, source.Dir)
			continue
		}
		for _, imported := range source.Imports {
			if why := refuses(from, place, source, imported); why != "" {
				problems.add("%s: %s", source.Path, why)
			}
		}
	}
	return problems
}

// registering lists the packages that may have an init function, or may import a package only for its effect, with
// the reason.
var registering = map[string]string{
	"shared/clock/zone":      "time zones without files",
	"shared/runtime/quickjs": "tables of functions, which the translator fills",
}

// Registrations reports init functions and imports for their effect. `make run` has many programs in one binary:
// there, a registration by one program also takes effect in another that lacks the import on AWS.
func Registrations(t *Tree) (problems findings) {
	for _, source := range t.Go {
		if source.Test || registering[source.Dir] != "" || !under(source.Dir, "shared") && !under(source.Dir, "functions") {
			continue
		}
		for _, spec := range source.Syntax.Imports {
			// embed has no init; the compiler requires its import for go:embed.
			if spec.Name != nil && spec.Name.Name == "_" && spec.Path.Value != `"embed"` {
				problems.add("%s: imports %s for its effect", source.Path, spec.Path.Value)
			}
		}
		for _, d := range source.Syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				problems = append(problems, source.Path+": has an init function")
			}
		}
	}
	return problems
}

func refuses(from *layer, place int, source Source, imported string) string {
	dir, ours := strings.CutPrefix(imported, Module+"/")
	if !ours {
		pure := imported == "net/url" || imported == "net/netip" // no I/O
		if !source.Test && !pure && slices.ContainsFunc(from.never, func(p string) bool { return under(imported, p) }) {
			return fmt.Sprintf("%s must not know %s", from.name, imported)
		}
		return ""
	}
	to, there := layerOf(dir)
	switch {
	case to == nil:
		return fmt.Sprintf("imports %s, which is in no layer", dir)
	// Tests may use the local backends; production code must not.
	case source.Test && (to.name == "backends" || slices.Contains(testKits, dir)):
		return ""
	case to.name != from.name && !slices.Contains(from.below, to.name):
		return fmt.Sprintf("%s must not import %s (%s)", from.name, dir, to.name)
	case from == to && from.ordered && !source.Test && there > place:
		return fmt.Sprintf("%s must not import %s, which comes after it in %s", source.Dir, dir, from.name)
	case under(source.Dir, "functions") && under(dir, "functions") && programOf(source.Dir) != programOf(dir):
		return fmt.Sprintf("program %s must not import program %s", programOf(source.Dir), programOf(dir))
	}
	return ""
}

// programOf returns the program in "functions/<program>/…".
func programOf(dir string) string {
	_, rest, _ := strings.Cut(dir, "/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}
