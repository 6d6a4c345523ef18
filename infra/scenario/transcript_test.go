package scenario

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPlayReportsDifference(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/text/" {
			w.Write([]byte("line one\nline two"))
			return
		}
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.WriteHeader(http.StatusCreated)
		w.Write([]byte(`{"id": 12, "name": "` + r.Header.Get("X-Name") + `", "tags": ["a", "b"]}`))
	}))
	defer server.Close()
	for _, c := range []struct{ name, story, want string }{
		{
			"fits",
			"### one\nPOST /things/\nX-Name: {{who}}\n\n{}\n\n=> 201\n{\"id\":\"<id:integer>\",\"...\":\"...\"}\n\n### two\nDELETE /things/{{id}}/\n\n=> 204\n",
			"",
		},
		{
			"remembered text",
			"### one\nPOST /things/\nX-Name: a&b<c\n\n=> 201\n{\"name\":\"<name:string>\",\"...\":\"...\"}\n\n### two\nPOST /things/\nX-Name: {{name}}\n\n=> 201\n{\"name\":\"a&b<c\",\"...\":\"...\"}\n",
			"",
		},
		{"text", "### one\nGET /text/\n\n=> 200\n~ one.line (two|three)\n", ""},
		{"other text", "### one\nGET /text/\n\n=> 200\n~ ^line four\n", "want a text"},
		{"status", "### one\nPOST /things/\n\n=> 200\n{}\n", "want status 200, got 201"},
		{
			"extra member", "### one\nPOST /things/\nX-Name: x\n\n=> 201\n{\"id\":12,\"tags\":[\"a\",\"b\"]}\n",
			"body.name: not expected",
		},
		{"missing member", "### one\nPOST /things/\n\n=> 201\n{\"size\":1,\"...\":\"...\"}\n", "body.size: missing"},
		{
			"kind", "### one\nPOST /things/\n\n=> 201\n{\"id\":\"<string>\",\"...\":\"...\"}\n",
			"body.id: want <string>, got 12",
		},
		{
			"part of a text",
			"### one\nPOST /things/\nX-Name: job 12 (a|b) does not exist\n\n=> 201\n{\"name\":\"job <integer> (a|b) does <string> exist\",\"...\":\"...\"}\n",
			"",
		},
		{
			"another part of a text",
			"### one\nPOST /things/\nX-Name: job x does not exist\n\n=> 201\n{\"name\":\"job <integer> does not exist\",\"...\":\"...\"}\n",
			`body.name: want "job`,
		},
		{
			"list", "### one\nPOST /things/\n\n=> 201\n{\"tags\":[\"a\",\"c\"],\"...\":\"...\"}\n",
			`body.tags[1]: want "c", got "b"`,
		},
		{"unknown name", "### one\nGET /{{nobody}}/\n\n=> 200\n", "{{nobody}} is not known"},
		{"body where none", "### one\nGET /text/\n\n=> 200\n", "want body \"\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps, err := Parse(c.story)
			if err != nil {
				t.Fatal(err)
			}
			player := &Player{BaseURL: server.URL, Known: map[string]string{"who": "ann"}}
			err = player.Play(t.Context(), steps)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestErrorStepsNeedSentence: a step that expects an error must include its message.
func TestErrorStepsNeedSentence(t *testing.T) {
	for want, ok := range map[string]bool{
		`{"status": "error", "error_msg": "<string>"}`:                              false,
		`{"status": "error", "error_msg":"<why:string>"}`:                           false,
		`{"status": "error", "error_msg": "<string> {{run}}"}`:                      false,
		`{"status": "error", "error_msg": "<any>", "...": "..."}`:                   false,
		`{"error": "invalid_grant", "error_description": "<string>"}`:               false,
		`{"status": "error", "...": "..."}`:                                         false,
		`{"status": "error", "error_msg": ""}`:                                      false,
		`{"status": "error", "error_msg": "function \"f-{{run}}\" does not exist"}`: true,
		`{"status": "error", "error_msg": "job <integer> does not exist"}`:          true,
		``: true, // HEAD
	} {
		if _, err := Parse("### one\nGET /\n\n=> 404\n" + want); (err == nil) != ok {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Parse("### one\nGET /\n\n=> 200\n" + `{"objects": [{"error_msg": "<string>"}]}`); err == nil {
		t.Error("an error within a success without its sentence is accepted")
	}
}

func TestParseRefuses(t *testing.T) {
	for story, want := range map[string]string{
		"":                                   "no step",
		"no steps":                           "no step",
		"### a\nGET /x\n":                    `no line "=> status"`,
		"### a\n=> 200\n":                    "no request line",
		"### a\nGET\n=> 200\n":               `"GET" is not "METHOD path"`,
		"### a\nGET /\nbroken\n=> 200\n":     `"broken" is not a header`,
		"### a\nGET /\n=> ok\n":              `"ok" is not a status`,
		"### a\nGET /\n=> 200 within soon\n": `"200 within soon" is not a status`,
	} {
		if steps, err := Parse(story); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, %v; want %s", story, steps, err, want)
		}
	}
}
