package pattern

import (
	"encoding/json"
	"strings"
	"testing"
)

const event = `{"source":"shop","detail-type":"payment","detail":{"total":12.5,"name":"Ada Lovelace","ip":"10.0.0.7",
	"tags":["new","vip"],"items":[{"sku":"a","n":1},{"sku":"b","n":2}],"paid":true,"note":null,"empty":[]}}`

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern string
		want    bool
	}{
		{`{"source":["shop"]}`, true},
		{`{"source":["store","shop"]}`, true},
		{`{"source":["Shop"]}`, false},
		{`{"source":["shop"],"detail":{"total":[12.5]}}`, true},
		{`{"source":["shop"],"detail":{"total":[13]}}`, false},
		{`{"detail":{"paid":[true],"note":[null]}}`, true},
		{`{"detail":{"missing":[null]}}`, false},
		{`{"detail":{"name":[{"prefix":"Ada"}]}}`, true},
		{`{"detail":{"name":[{"prefix":"ada"}]}}`, false},
		{`{"detail":{"name":[{"exists":true}],"gone":[{"exists":false}]}}`, true},
		{`{"detail":{"gone":[{"exists":true}]}}`, false},
		{`{"gone":{"deeper":[{"exists":false}]}}`, true},
		{`{"source":[{"anything-but":["store","shop"]}]}`, false},
		{`{"detail":{"tags":["vip"]}}`, true},
		{`{"detail":{"tags":["old"]}}`, false},
		{`{"detail":{"items":{"sku":["b"]}}}`, true},
		{`{"detail":{"items":{"sku":["c"]}}}`, false},
	}
	var decoded any
	if err := json.Unmarshal([]byte(event), &decoded); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		var source map[string]any
		if err := json.Unmarshal([]byte(tt.pattern), &source); err != nil {
			t.Fatalf("%s: %v", tt.pattern, err)
		}
		p, err := Compile(source)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		if got := p.Match(decoded); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.pattern, got, tt.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                    "an empty object matches nothing",
		`{"a":{}}`:                              "a: an empty object matches nothing",
		`{"a":[]}`:                              "a: an empty list matches nothing",
		`{"a":"x"}`:                             "a: must be an object or a list",
		`{"a":[["x"]]}`:                         "a: a list inside a list is not a matcher",
		`{"a":[{"prefix":"x","exists":true}]}`:  "a: a matcher has one key",
		`{"$or":[{"a":["x"]}]}`:                 "$or: is not served by the local cloud",
		`{"a":[{"unknown":1}]}`:                 `a: the matcher "unknown" is not known, or not with this argument`,
		`{"a":[{"exists":1}]}`:                  `a: the matcher "exists" is not known, or not with this argument`,
		`{"a":[{"anything-but":[]}]}`:           `a: the matcher "anything-but" is not known, or not with this argument`,
		`{"a":[{"anything-but":[{"nope":1}]}]}`: "a: anything-but wants literals",
	} {
		var source map[string]any
		if err := json.Unmarshal([]byte(text), &source); err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(source); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`{"a":[{"prefix":"a"}]}`, `{"a":"aaab"}`)
	f.Fuzz(func(t *testing.T, source, event string) {
		var s map[string]any
		var e any
		if json.Unmarshal([]byte(source), &s) != nil || json.Unmarshal([]byte(event), &e) != nil || len(source) > 200 ||
			len(event) > 200 {
			return
		}
		if p, err := Compile(s); err == nil {
			p.Match(e)
		}
	})
}
