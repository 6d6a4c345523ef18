package placeholder_test

import (
	"encoding/json"
	"html"
	"math"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
)

// row has a value of every type. paid_at is Sunday, 22 November 2026, 04:05:06 UTC.
var row = map[string]any{
	"name": "Ada <ada@example.com>", "empty": "", "none": nil, "yes": true, "total_cost": 12.5, "count": int64(42),
	"n":   7,
	"big": 1e20, "zero": math.Copysign(0, -1), "huge": 1e21, "small": 0.000001, "tiny": 1e-7,
	"exact": json.Number("9007199254740993"), "decimal": json.Number("1.50e2"),
	"paid_at": int64(1795320306), "seconds": json.Number("1795320306.25"),
	"created_at": "2026-11-22T12:05:06.123456+08:00",
	"local":      "2026-11-22 14:05:06", "day": "2026-11-02", "ms": int64(1795320306000),
	"tags":    []any{"a&b", json.Number("1"), nil},
	"address": map[string]any{"city": "Berlin", "geo": map[string]any{"lat": 52.5}},
	"evil":    `{{ name }} \{ {{`, "名字": "李",
}

var (
	fields = placeholder.In(
		row, map[string]any{"after": row, "before": map[string]any{"count": int64(41)}, "payload": row},
	)
	shanghai = time.FixedZone("CST", 8*3600)
)

func TestRender(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"plain":                               "plain",
		"{{name}}":                            "Ada <ada@example.com>",
		"Dear {{ name }}, {{\n\tcount\n}}!":   "Dear Ada <ada@example.com>, 42!",
		"[{{none}}{{empty}}{{nobody}}]":       "[]",
		"{{yes}} {{n}} {{total_cost}}":        "true 7 12.5",
		"{{big}} {{huge}}":                    "100000000000000000000 1e+21",
		"{{small}} {{tiny}}":                  "0.000001 1e-7",
		"{{exact}} {{decimal}}":               "9007199254740993 150",
		"{{tags}}":                            `["a&b",1,null]`,
		"{{address}}":                         `{"city":"Berlin","geo":{"lat":52.5}}`,
		"{{address.city}} {{address.geo}}":    `Berlin {"lat":52.5}`,
		"{{address.geo.lat}}":                 "52.5",
		"{{address.zip}}{{name.first}}":       "",
		"{{tags.0}}":                          "",
		"{{after.count}} {{before.count}}":    "42 41",
		"{{payload.address.city}}":            "Berlin",
		"{{名字}}您好":                            "李您好",
		"{{evil}}":                            `{{ name }} \{ {{`,
		`\{{count}}`:                          "{{count}}",
		`\{\{count}}`:                         "{{count}}",
		`{"a":{"b":{{count}}}}`:               `{"a":{"b":42}}`,
		`C:\dir\n \\ \{`:                      `C:\dir\n \\` + " {",
		"{ {} } }}":                           "{ {} } }}",
		`{{created_at}}`:                      "2026-11-22T12:05:06.123456+08:00",
		`{{paid_at}}`:                         "1795320306",
		`{{created_at|date:"Y-m-d H:i:s"}}`:   "2026-11-22 12:05:06",
		`{{paid_at | date : "Y-m-d H:i:s"}}`:  "2026-11-22 12:05:06",
		`{{paid_at | date:"y n j G g h A"}}`:  "26 11 22 12 12 12 PM",
		`{{seconds | date:"s.u"}}`:            "06.250000",
		`{{created_at | date:"u"}}`:           "123456",
		`{{local | date:"g A, H:i"}}`:         "2 PM, 14:05",
		`{{day | date:"d j m n h G A"}}`:      "02 2 11 11 12 0 AM",
		`{{day | date:"Y年n月j日"}}`:             "2026年11月2日",
		`{{day | date:"\Y\e\a\r Y \"\\ }}"}}`: `Year 2026 "\ }}`,
		`{{name | date:"Y"}}`:                 "Ada <ada@example.com>",
		`{{ms | date:"Y"}}`:                   "1795320306000",
		`{{none | date:"Y"}}{{no|date:"Y"}}`:  "",
		`{{yes | date:"Y"}}`:                  "true",
	} {
		got, err := parse(t, text).Render(fields, shanghai)
		if err != nil || got != want {
			t.Errorf("%s renders as %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestFormatsEveryDateLetter checks every letter (D35) on a morning with leading zeros, an afternoon without,
// midnight and noon.
func TestFormatsEveryDateLetter(t *testing.T) {
	times := []string{"2006-03-04T05:06:07.000809+08:00", "2026-11-22T15:16:17.5+08:00", "2026-12-31T00:00:00+08:00",
		"2026-12-31T12:00:00+08:00"}
	for letter, want := range map[string][]string{
		"y": {"06", "26", "26", "26"},
		"Y": {"2006", "2026", "2026", "2026"},
		"m": {"03", "11", "12", "12"},
		"n": {"3", "11", "12", "12"},
		"d": {"04", "22", "31", "31"},
		"j": {"4", "22", "31", "31"},
		"h": {"05", "03", "12", "12"},
		"H": {"05", "15", "00", "12"},
		"g": {"5", "3", "12", "12"},
		"G": {"5", "15", "0", "12"},
		"i": {"06", "16", "00", "00"},
		"s": {"07", "17", "00", "00"},
		"u": {"000809", "500000", "000000", "000000"},
		"A": {"AM", "PM", "AM", "PM"},
	} {
		for i, at := range times {
			in := placeholder.In(map[string]any{"at": at})
			for format, want := range map[string]string{letter: want[i], `\` + letter: letter} {
				got, err := parse(t, `{{ at | date:"`+format+`" }}`).Render(in, shanghai)
				if err != nil || got != want {
					t.Errorf("%s of %s is %q, %v, want %q", format, at, got, err, want)
				}
			}
		}
	}
}

// TestDatesFollowTheZone formats one instant that is on different days in two zones.
func TestDatesFollowTheZone(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	template := parse(t, `{{paid_at|date:"d H:i"}}, {{created_at|date:"d H:i"}}, {{local|date:"d H:i"}}`)
	for zone, want := range map[*time.Location]string{
		shanghai: "22 12:05, 22 12:05, 22 14:05",
		newYork:  "21 23:05, 21 23:05, 22 14:05",
		time.UTC: "22 04:05, 22 04:05, 22 14:05",
	} {
		if got, _ := template.Render(fields, zone); got != want {
			t.Errorf("in %s %q, want %q", zone, got, want)
		}
	}
}

func TestParseErrorsNameThePosition(t *testing.T) {
	for text, want := range map[string]string{
		"{{":                       `template: character 3: the template ends where a name must stand; a brace as text is "\{"`,
		"Dear {{ name":             `template: character 6: "{{" without "}}"; a brace as text is "\{"`,
		"Dear {{ name }":           `template: character 14: expected "}}" instead of "}"`,
		"您好 {{}}":                  `template: character 6: expected a name instead of "}"; a brace as text is "\{"`,
		`{{{name}}}`:               `template: character 3: expected a name instead of "{"; a brace as text is "\{"`,
		"{{ first name }}":         `template: character 10: expected "}}" instead of "n"`,
		"{{ a..b }}":               `template: character 4: name "a..b" has an empty part between its dots`,
		"{{ .a }}":                 `template: character 4: name ".a" has an empty part between its dots`,
		"{{ a. }}":                 `template: character 4: name "a." has an empty part between its dots`,
		"{{ a | upper }}":          `template: character 8: filter "upper" does not exist, only date`,
		"{{ a | }}":                `template: character 8: filter "" does not exist, only date`,
		"{{ a | date }}":           `template: character 13: expected a format: date:"Y-m-d"`,
		"{{ a | date:Y }}":         `template: character 13: expected a format in double quotes: date:"Y-m-d"`,
		`{{ a | date:"" }}`:        `template: character 14: the date format is empty`,
		`{{ a | date:"Y-Q" }}`:     `template: character 16: date format letter "Q" does not exist, only yYmndjhHgGisuA; the letter itself is "\Q"`,
		`{{ a | date:"Y }}`:        `template: character 13: the date format has no closing quote`,
		`{{ a | date:"Y\" }}`:      `template: character 13: the date format has no closing quote`,
		`{{ a | date:"Y" | x }}`:   `template: character 17: expected "}}" instead of "|"`,
		`{{ a | date:"Y" `:         `template: character 1: "{{" without "}}"; a brace as text is "\{"`,
		"{{" + long(257) + "}}":    "template: character 3: the name is longer than 256 bytes",
		long(256<<10) + "{{name}}": "template: it is longer than 256 KB",
	} {
		if _, err := placeholder.Parse(text); !errs.Is(err, errs.KindInvalid) || errs.Message(err) != want {
			t.Errorf("%.40s: %v\nwant %s", text, err, want)
		}
	}
}

func TestNames(t *testing.T) {
	template := parse(t, `{{count}} {{nobody}} \{{no}} {{before.x | date:"Y"}} {{count}} {{none}} {{nobody}}`)
	if diff := cmp.Diff([]string{"count", "nobody", "before.x", "none"}, template.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestSingle(t *testing.T) {
	for text, want := range map[string]string{
		"{{ a.b }}": "a.b", " {{ a }}": "", "{{ a }}{{ a }}": "", `{{ a | date:"Y" }}`: "", "a": "", "": "",
	} {
		if got := parse(t, text).Single(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestValueKeepsItsType checks that a value keeps its type only if the placeholder is the whole template (G7).
func TestValueKeepsItsType(t *testing.T) {
	for text, want := range map[string]any{
		"{{ total_cost }}":       12.5,
		"{{exact}}":              json.Number("9007199254740993"),
		"{{tags}}":               row["tags"],
		"{{address.geo}}":        map[string]any{"lat": 52.5},
		"{{none}}":               nil,
		"{{nobody}}":             nil,
		" {{ total_cost }}":      " 12.5",
		"{{count}}{{count}}":     "4242",
		"42":                     "42",
		"":                       "",
		`{{paid_at|date:"Y"}}`:   "2026",
		`{{nobody | date:"Y"}}x`: "x",
	} {
		got, err := parse(t, text).Value(fields, shanghai)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestEscapesValuesOnly(t *testing.T) {
	got, err := parse(t, `<b>{{name}}</b> {{tags}} {{name|date:"Y"}}`).RenderEscaped(fields, shanghai, html.EscapeString)
	want := `<b>Ada &lt;ada@example.com&gt;</b> [&#34;a&amp;b&#34;,1,null] Ada &lt;ada@example.com&gt;`
	if err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	half := placeholder.In(map[string]any{"x": long(placeholder.MaxBytes / 2)})
	if got, err := parse(t, "{{x}}{{x}}").Render(half, time.UTC); err != nil || len(got) != placeholder.MaxBytes {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	want := "the text of the template is longer than 256 KB with its values"
	if _, err := parse(t, "{{x}}{{x}}.").Render(half, time.UTC); !errs.Is(err, errs.KindInvalid) ||
		errs.Message(err) != want {
		t.Errorf("%v", err)
	}
}

// TestDoesNotExpandValues checks that values that look like templates are inserted unchanged.
func TestDoesNotExpandValues(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := map[string]any{}
		var template, want strings.Builder
		for range rapid.IntRange(0, 8).Draw(rt, "pieces") {
			switch rapid.IntRange(0, 2).Draw(rt, "kind") {
			case 0:
				text := rapid.StringMatching(`[a-z }|"\n]*`).Draw(rt, "text")
				template.WriteString(text)
				want.WriteString(text)
			case 1:
				template.WriteString(`\{`)
				want.WriteString("{")
			case 2:
				name := rapid.StringMatching(`[a-z_][a-z0-9_]{0,3}`).Draw(rt, "name")
				if _, ok := values[name]; !ok {
					values[name] = rapid.StringMatching(`(\{\{|\}\}|\\|a|\{\{ a \}\})*`).Draw(rt, "value")
				}
				template.WriteString("{{ " + name + " }}")
				want.WriteString(values[name].(string))
			}
		}
		parsed, err := placeholder.Parse(template.String())
		if err != nil {
			rt.Fatalf("%q: %v", template.String(), err)
		}
		if got, err := parsed.Render(placeholder.In(values), time.UTC); err != nil || got != want.String() {
			rt.Fatalf("%q renders as %q, %v, want %q", template.String(), got, err, want.String())
		}
	})
}

// FuzzParse checks that text without an opening brace renders as itself, and that an accepted template renders each
// value in place of its name and never expands a value.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", `a \{{b}} {{ c.d | date:"Y\"-m" }}`, "{{", "{{a}}{{b", "{{a|date:\"Q\"}}", "\\", "{{\xff}}", "{{ 名 }}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		template, err := placeholder.Parse(text)
		if err != nil {
			if !errs.Is(err, errs.KindInvalid) || !strings.Contains(text, "{{") && len(text) <= placeholder.MaxBytes {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		plain, err := template.Render(placeholder.In(), time.UTC)
		if err != nil || !strings.Contains(text, "{") && plain != text || template.String() != text {
			t.Fatalf("%q renders as %q, %v", text, plain, err)
		}
		if again, err := template.Render(always("{{ x }}"), time.UTC); err == nil {
			rest := strings.ReplaceAll(again, "{{ x }}", "")
			if len(template.Names()) == 0 && again != plain || len(rest) > len(plain) {
				t.Fatalf("%q renders as %q with values, %q without", text, again, plain)
			}
		}
	})
}

func always(value any) placeholder.Lookup {
	return func(string) (any, bool) { return value, true }
}

func parse(t testing.TB, text string) placeholder.Template {
	t.Helper()
	template, err := placeholder.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return template
}

func long(n int) string { return strings.Repeat("a", n) }

const mail = `Dear {{ created_by.nickname }}, your order {{trade_no}} of {{created_at | date:"Y-m-d H:i:s"}} over {{total_cost}} is paid.`

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		_, _ = placeholder.Parse(mail)
	}
}

func BenchmarkRender(b *testing.B) {
	template := parse(b, mail)
	lookup := placeholder.In(map[string]any{
		"trade_no": "abc", "total_cost": 12.5, "created_at": int64(1795320306),
		"created_by": map[string]any{"nickname": "Ada"},
	})
	for b.Loop() {
		_, _ = template.Render(lookup, shanghai)
	}
}
