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
		{`{"detail":{"name":[{"prefix":{"equals-ignore-case":"ADA"}}]}}`, true},
		{`{"detail":{"name":[{"suffix":"lace"}]}}`, true},
		{`{"detail":{"name":[{"equals-ignore-case":"ada lovelace"}]}}`, true},
		{`{"detail":{"name":[{"wildcard":"A*L*e"}]}}`, true},
		{`{"detail":{"name":[{"wildcard":"A*x"}]}}`, false},
		{`{"detail":{"total":[{"numeric":[">",12,"<=",12.5]}]}}`, true},
		{`{"detail":{"total":[{"numeric":["<",12]}]}}`, false},
		{`{"detail":{"name":[{"numeric":["=",1]}]}}`, false},
		{`{"detail":{"ip":[{"cidr":"10.0.0.0/24"}]}}`, true},
		{`{"detail":{"ip":[{"cidr":"10.1.0.0/24"}]}}`, false},
		{`{"detail":{"name":[{"exists":true}],"gone":[{"exists":false}]}}`, true},
		{`{"detail":{"gone":[{"exists":true}]}}`, false},
		{`{"gone":{"deeper":[{"exists":false}]}}`, true},
		{`{"source":[{"anything-but":"store"}]}`, true},
		{`{"source":[{"anything-but":["store","shop"]}]}`, false},
		{`{"source":[{"anything-but":{"prefix":"sh"}}]}`, false},
		{`{"source":[{"anything-but":{"suffix":["a","b"]}}]}`, true},
		{`{"detail":{"gone":[{"anything-but":"x"}]}}`, false},
		{`{"detail":{"tags":["vip"]}}`, true},
		{`{"detail":{"tags":["old"]}}`, false},
		{`{"detail":{"items":{"sku":["b"]}}}`, true},
		{`{"detail":{"items":{"sku":["c"]}}}`, false},
		{`{"$or":[{"source":["x"]},{"detail":{"paid":[true]}}]}`, true},
		{`{"source":["shop"],"$or":[{"source":["x"]},{"detail":{"paid":[false]}}]}`, false},
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
		`{}`:                                  "an empty object matches nothing",
		`{"a":{}}`:                            "a: an empty object matches nothing",
		`{"a":[]}`:                            "a: an empty list matches nothing",
		`{"a":"x"}`:                           "a: must be an object or a list",
		`{"a":[["x"]]}`:                       "a: a list inside a list is not a matcher",
		`{"a":[{"prefix":1}]}`:                "a: prefix or suffix wants a text",
		`{"a":[{"prefix":"x","suffix":"y"}]}`: "a: a matcher has one key",
		`{"a":[{"unknown":1}]}`:               `a: the matcher "unknown" is not known`,
		`{"a":[{"numeric":[">"]}]}`:           "a: numeric wants one or two comparisons",
		`{"a":[{"numeric":["!",1]}]}`:         "a: numeric: ! 1 is not a comparison",
		`{"a":[{"exists":1}]}`:                "a: exists wants true or false",
		`{"a":[{"cidr":"x"}]}`:                "a: cidr wants an address block",
		`{"$or":["x"]}`:                       "$or: must be a list of objects",
		`{"a":[{"anything-but":[]}]}`:         "a: anything-but an empty list",
		`{"a":[{"anything-but":{"nope":1}}]}`: `a: anything-but: the matcher "nope" is not known`,
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
	f.Add(`{"a":[{"wildcard":"a*b"}]}`, `{"a":"aaab"}`)
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
