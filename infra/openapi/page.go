package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"minicloud/infra/check"
	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
)

// Page is the path of the document that lists every endpoint, relative to the root of the repository.
const Page = "infra/docs/endpoints.md"

// place matches a table of the page and captures the table's name.
var place = regexp.MustCompile(`(?s)(<!-- endpoints: (\w+) -->\n).*?(<!-- end -->)`)

// List returns the page with its tables regenerated: contract, other, functions and console.
func List(page, document []byte, all []routes.Route) ([]byte, error) {
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(document, &described); err != nil {
		return nil, err
	}
	summaries := map[string]string{}
	for path, item := range described.Paths {
		for _, method := range methods {
			var operation struct{ Summary string }
			if text, ok := item[method]; ok && json.Unmarshal(text, &operation) == nil {
				summaries[strings.ToUpper(method)+" "+routes.Shape(path)] = operation.Summary
			}
		}
	}

	return place.ReplaceAllFunc(page, func(table []byte) []byte {
		part := place.FindSubmatch(table)
		return slices.Concat(part[1], []byte(rows(string(part[2]), summaries, all)), part[3])
	}), nil
}

// rows returns the lines of one table, in the order of the routes, or of the contract's numbers.
func rows(table string, summaries map[string]string, all []routes.Route) string {
	var b strings.Builder
	if table == "contract" {
		b.WriteString("| # | endpoint | what | program |\n|---|---|---|---|\n")
	} else {
		b.WriteString("| endpoint | what | program |\n|---|---|---|\n")
	}
	type row struct {
		first int
		text  string
	}
	var lines []row
	for i, r := range all {
		numbers := check.Numbers(r)
		if in(r, len(numbers) > 0) != table {
			continue
		}
		text, first := "", i
		if len(numbers) > 0 {
			first = numbers[0]
			text = "| " + strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]") + " "
		}
		path := strings.NewReplacer("{", ":", "}", "").Replace(r.Path)
		text += fmt.Sprintf("| `%s %s/` | %s | %s |\n", r.Method, path, summaries[r.Method+" "+routes.Shape(r.Path)], r.Program)
		lines = append(lines, row{first, text})
	}
	// The sort is stable, because routes may share a number.
	slices.SortStableFunc(lines, func(a, b row) int { return a.first - b.first })
	for _, line := range lines {
		b.WriteString(line.text)
	}
	return b.String()
}

// in returns the name of the table that lists a route.
func in(r routes.Route, numbered bool) string {
	switch {
	case numbered:
		return "contract"
	case r.Access == httpapi.RunToken:
		return "functions"
	case r.Access == httpapi.Session || strings.HasPrefix(r.Path, "/console/api/"):
		return "console"
	}
	return "other"
}
