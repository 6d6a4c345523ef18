package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/errs"
)

type fields struct {
	Data  json.RawMessage `json:"data"`
	Sync  *bool           `json:"sync"`
	Name  string          `json:"name"`
	Table *struct {
		Fields []struct {
			Name     string `json:"name"`
			Indexed  bool   `json:"indexed"`
			Required struct {
				Is bool `json:"required"`
			} `json:"constraints"`
		} `json:"fields"`
	} `json:"schema"`
	IDs      []int `json:"ids"`
	Untagged string
}

func decoded(t testing.TB, body string) (fields, error) {
	t.Helper()
	var got fields
	err := Decode([]byte(body), &got)
	return got, err
}

// TestFieldNamesAreCaseSensitive: names in another case, or with escapes for similar letters, are unknown and ignored
// (D4), at every depth.
func TestFieldNamesAreCaseSensitive(t *testing.T) {
	for _, body := range []string{
		`{"data":{"a":1},"DATA":{"a":2},"Data":3,"sync":true,"Sync":false,"SYNC":false,"name":"n","Name":7,"untagged":"x","Untagged":"x","":"x",
		  "schema":{"Fields":[],"fields":[{"name":"a","NAME":"b","Indexed":true,"constraints":{"required":true,"REQUIRED":false}}]},"ids":[1,2],"IDS":[3]}`,
		`{"\u0064ata" : {"a":1}, "\u017fync":false,"sync":true,"na\u006de":"n","schema":{"fields":[{"name":"a","constraints":{"required":true}}],"fields ":[]},"ids":[ 1 , 2 ]}`,
	} {
		got, err := decoded(t, body)
		if err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		if string(got.Data) != `{"a":1}` || got.Sync == nil || !*got.Sync || got.Name != "n" ||
			fmt.Sprint(got.IDs) != "[1 2]" || got.Untagged != "" {
			t.Errorf("%s: %s %+v", body, got.Data, got)
		}
		if f := got.Table.Fields; len(f) != 1 || f[0].Name != "a" || f[0].Indexed || !f[0].Required.Is {
			t.Errorf("%s: %+v", body, f)
		}
	}
}

func TestNamesUnreadableFields(t *testing.T) {
	for body, want := range map[string]string{
		`{"name":"a","name":"b"}`:                                  "name is given twice",
		`{"name":"a","n\u0061me":"b"}`:                             "name is given twice",
		`{"unknown":1,"unknown":1}`:                                "unknown is given twice",
		`{"schema":{"fields":[{"name":"a"},{"name":1}]}}`:          "schema.fields.name must be a string, not a number",
		`{"schema":{"fields":[{"indexed":true,"indexed":false}]}}`: "schema.fields.indexed is given twice",
		`{"schema":{"fields":[7]}}`:                                "schema.fields must be an object, not a number",
		`{"schema":{"fields":{}}}`:                                 "schema.fields must be an array, not an object",
		`{"schema":[]}`:                                            "schema must be an object, not an array",
		`{"ids":[1,"x"]}`:                                          "ids must be an array of integers, but holds a string",
		`{"sync":"no"}`:                                            "sync must be a boolean, not a string",
		`[{"name":"a"}]`:                                           "the request body must be an object, not an array",
		`"text"`:                                                   "the request body must be an object, not a string",
		`{"name":"a"`:                                              "the request body is not valid JSON: unexpected end of JSON input at byte 11",
		`{"name":"a",}`:                                            "the request body is not valid JSON: invalid character '}' looking for beginning of object key string at byte 13",
	} {
		if _, err := decoded(t, body); !errs.Is(err, errs.KindInvalid) || err.Error() != want {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
	// The data of a function is decoded by JavaScript, which takes the last of two equal names.
	if got, err := decoded(
		t, `{"data":{"a":1,"a":2}, "sync":null, "name":null, "schema":null, "ids":null}`,
	); err != nil || string(got.Data) != `{"a":1,"a":2}` {
		t.Errorf("%s, %v", got.Data, err)
	}
}

// FuzzFields: the parts of a value are the same as those of encoding/json.
func FuzzFields(f *testing.F) {
	for _, text := range []string{
		`{}`, `[ ]`, `{"a":1,"b":[{"c":"}\""}], "d" : {} }`, `[1 ,-2.5e3,"\\",null,[[]],{"":{}}]`, "{\"\":\t\"\\u005d\"\n}",
		`{"a":{"b":1,"b":2}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if !json.Valid(text) || text[0] != '{' && text[0] != '[' {
			return
		}
		members, items := map[string]json.RawMessage{}, []json.RawMessage{}
		for name, value := range parts(text) {
			members[name], items = value, append(items, value)
		}
		want := map[string]json.RawMessage{}
		if text[0] == '[' {
			var list []json.RawMessage
			if err := json.Unmarshal(text, &list); err != nil || fmt.Sprintf("%s", list) != fmt.Sprintf("%s", items) {
				t.Fatalf("%s: %s, want %s, %v", text, items, list, err)
			}
			return
		}
		if err := json.Unmarshal(text, &want); err != nil || fmt.Sprintf("%s", want) != fmt.Sprintf("%s", members) {
			t.Fatalf("%s: %s, want %s, %v", text, members, want, err)
		}
	})
}

// BenchmarkDecode measures small bodies and bodies of 4 MB.
func BenchmarkDecode(b *testing.B) {
	for name, body := range map[string]string{
		"small": `{"data":{"name":"Ada"},"sync":true}`,
		"text":  `{"data":{"text":"` + strings.Repeat("x", 4<<20) + `"}}`,
		"lists": `{"data":{"list":[` + strings.Repeat(`{"id":12345,"name":"Ada"},`, 160_000) + `0]}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var got fields
				if err := Decode([]byte(body), &got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// loud is a text that decodes itself, from JSON strings only.
type loud string

func (l *loud) ReadMember(field string, text []byte) error {
	if text[0] != '"' {
		return errs.Invalid("%s must be said", field)
	}
	*l = loud(strings.ToUpper(string(text)))
	return nil
}

// TestUnmarshalersGetTheirFieldName at every depth.
func TestUnmarshalersGetTheirFieldName(t *testing.T) {
	for body, want := range map[string]string{
		`{"word":"a","inner":{"word":"b"},"many":["c"]}`: `{"A" {"B"} [C]}`, `{"word":1}`: "word must be said",
		`{"inner":{"word":1}}`: "inner.word must be said", `{}`: `{ {} []}`,
	} {
		var got struct {
			Word  loud `json:"word"`
			Inner struct {
				Word loud `json:"word"`
			} `json:"inner"`
			Many loudList `json:"many"`
		}
		err := Decode([]byte(body), &got)
		if said := fmt.Sprint(got); said != want && (err == nil || errs.Message(err) != want) {
			t.Errorf("%s: %s, %v", body, said, err)
		}
	}
}

type loudList []string

func (l *loudList) ReadMember(_ string, text []byte) error {
	return json.Unmarshal([]byte(strings.ToUpper(string(text))), (*[]string)(l))
}
