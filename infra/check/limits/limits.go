// Package limits compares the page of limits with the constants of the code.
package limits

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/check"
	"minicloud/infra/local/template"
)

// limitsPage is the document whose tables of limits name their constants.
const limitsPage = "infra/docs/limits.md"

// Check reports rows of the page of limits that differ from the code. A row has the limit, its value, and in
// backquotes the constant that holds it:
//
//	| code of a function | 1 MB | `cloudfunction.MaxCode` |
//	| runs a second      | 500  | `day.KeyWrites / day.SlotUnits` |
//
// A constant is named by the end of its package's path, template.Name is the default of a parameter of template.yaml.
func Check(t *check.Tree, stack *template.Template) []string {
	text, err := t.Text(limitsPage)
	if err != nil {
		return []string{err.Error()}
	}

	var problems []string
	rows, values := 0, &constants{tree: t, stack: stack, packages: map[string]*types.Package{}}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) < 3 {
			continue
		}
		written, source := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		if len(source) < 2 || source[0] != '`' || source[len(source)-1] != '`' {
			continue
		}
		rows++
		if err := values.compare(written, strings.Trim(source, "`")); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %s: %v", limitsPage, strings.TrimSpace(cells[0]), err))
		}
	}
	if rows == 0 {
		problems = append(problems, limitsPage+" names no constant")
	}
	return problems
}

// constants evaluates constants of the repository.
type constants struct {
	tree     *check.Tree
	stack    *template.Template
	packages map[string]*types.Package // by import path
}

// quantity is a number with an optional unit, the first words of a cell.
var quantity = regexp.MustCompile(`^([\d,]*\.?\d+)(?: (bytes|KB|MB|ms|s|min|h|days))?(?:[ ,;]|$)`)

// units has the size of each unit: bytes, or seconds.
var units = map[string]float64{
	"": 1, "bytes": 1, "KB": 1 << 10, "MB": 1 << 20,
	"ms": 0.001, "s": 1, "min": 60, "h": 3600, "days": 24 * 3600,
}

// compare returns an error if the written quantity is not the value of the expression.
func (c *constants) compare(written, expression string) error {
	want, duration, err := c.eval(expression)
	if err != nil {
		return err
	}
	parts := quantity.FindStringSubmatch(written)
	if parts == nil || duration && parts[2] == "" {
		return fmt.Errorf("%q is no quantity", written)
	}
	got, err := strconv.ParseFloat(strings.ReplaceAll(parts[1], ",", ""), 64)
	if err != nil {
		return err
	}

	got *= units[parts[2]]
	if duration {
		want /= float64(time.Second)
	}
	if diff := got - want; diff > 1e-9 || diff < -1e-9 {
		return fmt.Errorf("the page says %q, %s is %s", written, expression, strconv.FormatFloat(want, 'f', -1, 64))
	}
	return nil
}

// name is a constant in an expression. A slash is part of the name, division has spaces.
var name = regexp.MustCompile(`[a-z][a-z0-9/]*\.[A-Za-z]\w*`)

// eval returns the value of an expression of constants, and whether it is a duration in nanoseconds.
func (c *constants) eval(expression string) (value float64, duration bool, err error) {
	// The constants have no types here: a row may divide seconds by a number.
	known := types.NewPackage("known", "known")
	plain := name.ReplaceAllStringFunc(expression, func(full string) string {
		v, isDuration, lookErr := c.lookup(full)
		if lookErr != nil {
			err = lookErr
		}
		duration = duration || isDuration
		kind := types.UntypedFloat
		if v != nil && v.Kind() == constant.Int {
			kind = types.UntypedInt
		}
		short := fmt.Sprintf("v%d", known.Scope().Len())
		known.Scope().Insert(types.NewConst(token.NoPos, known, short, types.Typ[kind], v))
		return short
	})
	if err != nil {
		return 0, false, err
	}
	v, err := types.Eval(token.NewFileSet(), known, token.NoPos, plain)
	if err != nil || v.Value == nil {
		return 0, false, fmt.Errorf("%s is no constant expression: %w", expression, err)
	}
	value, _ = constant.Float64Val(v.Value)
	return value, duration, nil
}

// lookup returns the value of a constant, and whether its type is time.Duration.
func (c *constants) lookup(full string) (constant.Value, bool, error) {
	dot := strings.LastIndex(full, ".")
	owner, name := full[:dot], full[dot+1:]
	if owner == "template" {
		initial := c.stack.Parameters[name].Default
		if initial == nil {
			return nil, false, fmt.Errorf("template.yaml has no parameter %s with a default", name)
		}
		n, err := strconv.ParseInt(*initial, 10, 64)
		return constant.MakeInt64(n), false, err
	}

	dir := ""
	for _, s := range c.tree.Go {
		if s.Dir == dir || s.Test || s.Dir != owner && !strings.HasSuffix(s.Dir, "/"+owner) {
			continue
		}
		if dir != "" {
			return nil, false, fmt.Errorf("%s: both %s and %s match", full, dir, s.Dir)
		}
		dir = s.Dir
	}
	p, err := c.Import(path.Join(check.Module, dir))
	if err != nil {
		return nil, false, err
	}
	known, ok := p.Scope().Lookup(name).(*types.Const)
	if dir == "" || !ok || known.Val().Kind() == constant.Unknown {
		return nil, false, fmt.Errorf("%s is no constant", full)
	}
	return known.Val(), known.Type().String() == "time.Duration", nil
}

// durations is what constants need of package time, whose source is not where a binary with trimmed paths looks.
const durations = `package time

type Duration int64

const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)
`

// Import type-checks a package of the repository without function bodies. Other packages are empty, except time: so
// constants that depend on them are unknown, and nothing else is slow.
func (c *constants) Import(name string) (*types.Package, error) {
	if p := c.packages[name]; p != nil {
		return p, nil
	}
	var files []*ast.File
	if name == "time" {
		file, err := parser.ParseFile(c.tree.Positions, name, durations, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	for _, s := range c.tree.Go {
		if !s.Test && path.Join(check.Module, s.Dir) == name {
			files = append(files, s.Syntax)
		}
	}
	// The package stands in the map before its imports are checked: an import cycle ends here.
	c.packages[name] = types.NewPackage(name, path.Base(name))
	config := types.Config{Importer: c, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	p, _ := config.Check(name, c.tree.Positions, files, nil) // errors are types that empty packages lack
	p.MarkComplete()
	c.packages[name] = p
	return p, nil
}
