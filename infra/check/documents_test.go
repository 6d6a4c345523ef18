package check

import (
	"strings"
	"testing"
)

const somePage = `# Endpoints

| # | endpoint | program | file |
|---|---|---|---|
| 4, 5 | ` + "`POST /f/:name/job/` | box | `api/run.go` |" + `

| endpoint | program | file |
|---|---|---|
| ` + "`GET DELETE /f/:name/`, with `?a=1` | box | `api/one.go`, `api/two.go` |\n"

func TestEndpointDocs(t *testing.T) {
	list := []endpoint{{4, "POST", "/f/{name}/job", "box", ""}, {5, "POST", "/f/{name}/job", "box", ""}}
	for name, c := range map[string]struct {
		replace, by string
		want        []string
	}{
		"right":      {},
		"not named":  {"GET DELETE", "GET", []string{"does not name DELETE /f/{one}/ of box"}},
		"not served": {"GET DELETE", "GET PUT DELETE", []string{"nobody serves PUT /f/{}"}},
		"another path": {"/job/", "/jobs/", []string{"nobody serves POST", "does not name POST", "is not endpoint 4",
			"is not endpoint 5"}},
		"another program": {"api/run.go", "api/run.go` |\n| `POST /f/:name/job/` | crate | `api/run.go", []string{
			"served by box, not crate", "no functions/crate/api/run.go"}},
		"file that is not": {"api/run.go", "api/walk.go", []string{"no functions/box/api/walk.go"}},
		"another number":   {"4, 5", "4, 6", []string{"is not endpoint 6"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				EndpointDocument: strings.Replace(somePage, c.replace, c.by, 1),
				"functions/box/api/routes.go": "package api\n\nvar routes = []httpapi.Route{{\"POST\", \"/f/{name}/job\", a, b}," +
					" {\"GET\", \"/f/{one}\", a, b}, {\"DELETE\", \"/f/{one}\", a, b}}\n",
			}
			for _, name := range []string{"run", "one", "two"} {
				files["functions/box/api/"+name+".go"] = "package api\n"
			}
			expect(t, EndpointDocs(tree(t, files), list), c.want...)
		})
	}
}

func TestLinks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"file":               {"see [a](other.md) and [b](../d/other.md#a-mac-and-arm64)", nil},
		"folder":             {"[d](../d)", nil},
		"heading here":       {"# Top\n\n[top](#top)", nil},
		"another site":       {"[x](https://example.com/no.md#no)", nil},
		"no such file":       {"[a](none.md)", []string{"none.md, which is not there"}},
		"from the root":      {"[a](/d/other.md)", []string{"/d/other.md, which is not there"}},
		"no such heading":    {"[a](other.md#a-pc)", []string{"d/other.md, which has no heading #a-pc"}},
		"no heading here":    {"[a](#top)", []string{"no heading #top"}},
		"half a folder name": {"[a](../functio)", []string{"not there"}},
	} {
		t.Run(name, func(t *testing.T) {
			const other = "# Other\n\n## A Mac, and arm64\n"
			files := map[string]string{"d/page.md": c.text, "d/other.md": other, "functions/a.md": ""}
			expect(t, Links(tree(t, files)), c.want...)
		})
	}
}
