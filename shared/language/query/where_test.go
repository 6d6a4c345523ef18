package query

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// people is the grammar of the tests, with one column per type.
var people = Grammar{
	Schema: append(value.BuiltIn(value.Integer), value.Schema{
		{Name: "name", Type: value.String, Required: true},
		{Name: "age", Type: value.Integer},
		{Name: "score", Type: value.Number},
		{Name: "member", Type: value.Boolean},
		{Name: "born", Type: value.Date},
		{Name: "tags", Type: value.Array, Items: value.String},
		{Name: "days", Type: value.Array, Items: value.Date},
		{Name: "extra", Type: value.Object},
		{Name: "photo", Type: value.File},
		{Name: "friend", Type: value.Pointer},
		{Name: "boss", Type: value.Pointer, Target: "_userprofile"},
		{Name: "place", Type: value.Geojson},
		{Name: "user_group", Type: value.Array, Items: value.Integer},
		{Name: "a__b", Type: value.Integer},
		{Name: "city", Type: value.String},
	}...),
	Groups:   "user_group",
	Unsorted: []string{"city"},
}

// ann has a value in every column; nobody has no values.
var (
	ann = map[string]any{
		"id": int64(7), "created_at": int64(1_600_000_000), "updated_at": int64(1_600_000_001),
		"name": "Ann Ö", "age": int64(30), "score": 1.5, "member": true, "born": "1990-06-01T08:00:00+08:00",
		"tags": []any{"a", "b"}, "days": []any{"2020-01-01T08:00:00+08:00"}, "extra": map[string]any{"k": 1.0, "n": nil},
		"photo": map[string]any{"id": "f1"}, "friend": map[string]any{"_table": "_userprofile", "id": int64(8)},
		"boss":  map[string]any{"_table": "_userprofile", "id": int64(8)},
		"place": map[string]any{"type": "Point", "coordinates": []any{116.4, 39.9}}, "user_group": []any{int64(1), int64(2)},
		"a__b": int64(1),
	}
	nobody = map[string]any{"id": int64(9)}
)

func TestWhereMatches(t *testing.T) {
	const block = `{"type":"Polygon","coordinates":[[[116,39],[117,39],[117,40],[116,40],[116,39]]]}`
	for _, row := range []struct {
		where       string
		ann, nobody bool
	}{
		{``, true, true},
		{` {} `, true, true},
		{`{"name":"Ann Ö"}`, true, false},
		{`{"name":{"$eq":"Ann Ö"}}`, true, false},
		{`{"name":"ann ö"}`, false, false},
		{`{"name":null}`, false, true},
		{`{"boss":8}`, true, false},
		{`{"boss":"8"}`, true, false}, // clients send the digits of a user's id
		{`{"boss":{"$in":["7","8"]}}`, true, false},
		{`{"friend":"8"}`, false, false}, // may lead to a table whose ids are strings
		{`{"name":{"$ne":"Bob"}}`, true, true},
		{`{"name":{"$ne":"Ann Ö"}}`, false, true},
		{`{"name":{"$ne":null}}`, true, false},
		{`{"age":{"$gt":29,"$lt":31}}`, true, false},
		{`{"age":{"$gt":30}}`, false, false},
		{`{"age":{"$gte":30}}`, true, false},
		{`{"age":{"$lt":30}}`, false, false},
		{`{"age":{"$lte":30.0}}`, true, false},
		{`{"age":{"$range":[30,31]}}`, true, false},
		{`{"age":{"$range":[29,30]}}`, false, false},
		{`{"age":{"$range":[31,30]}}`, false, false},
		{`{"age":{"$in":[1,30]}}`, true, false},
		{`{"age":{"$in":[]}}`, false, false},
		{`{"score":{"$in":[1.50,2]}}`, true, false},
		{`{"member":{"$in":[true,null]}}`, true, true},
		{`{"extra":{"$in":[{},{"n":null,"k":1}]}}`, true, false},
		{`{"born":{"$range":["1990-06-01T00:00:00Z","1990-06-01T00:00:01Z"]}}`, true, false},
		{`{"born":{"$range":["1990-05-01T00:00:00Z","1990-06-01T00:00:00Z"]}}`, false, false},
		{`{"age":{"$in":[null]}}`, false, true},
		{`{"age":{"$nin":[30]}}`, false, true},
		{`{"age":{"$nin":[null]}}`, true, false},
		{`{"age":{"$nin":[]}}`, true, true},
		{`{"score":{"$lt":2}}`, true, false},
		{`{"member":true}`, true, false},
		{`{"member":{"$ne":true}}`, false, true},
		{`{"name":{"$contains":"nn"}}`, true, false},
		{`{"name":{"$contains":"NN"}}`, false, false},
		{`{"name":{"$contains":""}}`, true, false},
		{`{"name":{"$icontains":"NN ö"}}`, true, false},
		{`{"name":{"$regex":"^A.n"}}`, true, false},
		{`{"name":{"$regex":"^a.n"}}`, false, false},
		{`{"name":{"$regex":"^a.n","$options":"i"}}`, true, false},
		{`{"name":{"$isnull":true}}`, false, true},
		{`{"name":{"$isnull":false}}`, true, false},
		{`{"name":{"$exists":true}}`, true, false},
		{`{"name":{"$exists":false}}`, false, true},
		{`{"born":"1990-06-01T00:00:00Z"}`, true, false},
		{`{"born":{"$lt":"1990-06-01T00:00:01Z"}}`, true, false},
		{`{"born":{"$gt":"1990-06-01T07:59:59+08:00"}}`, true, false},
		{`{"born":{"$in":["1990-05-31T19:00:00-05:00"]}}`, true, false},
		{`{"tags":["a","b"]}`, true, false},
		{`{"tags":["b","a"]}`, false, false},
		{`{"tags":{"$ne":["b"]}}`, true, true},
		{`{"tags":{"$in":["b","z"]}}`, true, false},
		{`{"tags":{"$in":["z"]}}`, false, false},
		{`{"tags":{"$nin":["z"]}}`, true, true},
		{`{"tags":{"$nin":["a"]}}`, false, true},
		{`{"tags":{"$all":["b","a"]}}`, true, false},
		{`{"tags":{"$all":["a","z"]}}`, false, false},
		{`{"tags":{"$all":[]}}`, true, false},
		{`{"tags":null}`, false, true},
		{`{"days":{"$all":["2020-01-01T00:00:00Z"]}}`, true, false},
		{`{"days":["2020-01-01T00:00:00Z"]}`, true, false},
		{`{"extra":{"k":1,"n":null}}`, true, false},
		{`{"extra":{"$eq":{"n":null,"k":1.0}}}`, true, false},
		{`{"extra":{}}`, false, false},
		{`{"extra":{"$has_key":"n"}}`, true, false},
		{`{"extra":{"$has_key":"x"}}`, false, false},
		{`{"photo":{"id":"f1"}}`, true, false},
		{`{"friend":{"_table":"_userprofile","id":8}}`, true, false},
		{`{"friend":8}`, true, false},
		{`{"friend":"8"}`, false, false},
		{`{"friend":{"$in":[7,8]}}`, true, false},
		{`{"friend":{"$ne":8}}`, false, true},
		{`{"place":{"$within":` + block + `}}`, true, false},
		{`{"place":{"$intersects":` + block + `}}`, true, false},
		{`{"place":{"$intersects":{"type":"Point","coordinates":[116.4,39.9]}}}`, true, false},
		{`{"place":{"$center":{"radius":1,"coordinates":[116.4,39.9]}}}`, true, false},
		{`{"place":{"$center":{"radius":1,"coordinates":[116.5,39.9]}}}`, false, false},
		{
			`{"place":{"$nearsphere":{"geometry":{"type":"Point","coordinates":[116.5,39.9]},"min_distance":8000,"max_distance":9000}}}`,
			true, false,
		},
		{
			`{"place":{"$nearsphere":{"geometry":{"type":"Point","coordinates":[116.5,39.9]},"min_distance":9000}}}`, false,
			false,
		},
		{
			`{"place":{"$nearsphere":{"geometry":{"type":"Point","coordinates":[116.5,39.9]},"max_distance":8000}}}`, false,
			false,
		},
		{
			`{"place":{"$nearsphere":{"geometry":{"type":"Point","coordinates":[0,0]},"min_distance":null,"max_distance":null}}}`,
			true, false,
		},
		{`{"place":{"type":"Point","coordinates":[116.4,39.9]}}`, true, false},
		{`{"_group":{"$in":[2,3]}}`, true, false},
		{`{"_group":{"$in":[3]}}`, false, false},
		{`{"id":{"$gt":8}}`, false, true},
		{`{"created_at":{"$gte":1600000000}}`, true, false},
		{`{"$or":[{"age":1},{"id":9}]}`, false, true},
		{`{"$or":[{"age":30},{"id":9}]}`, true, true},
		{`{"$and":[{"age":30},{"id":9}]}`, false, false},
		{`{"$and":[]}`, true, true},
		{`{"age":30,"$or":[{"name":"x"},{"member":true}]}`, true, false},
		{`{"$and":[{"$or":[{"age":30},{"id":9}]},{"$or":[{"age":30},{"id":8}]}]}`, true, false},
	} {
		p, err := people.Where(row.where)
		if err != nil {
			t.Errorf("%s: %v", row.where, err)
			continue
		}
		if p.Match(ann) != row.ann || p.Match(nobody) != row.nobody {
			t.Errorf("%s: ann %v, nobody %v; want %v, %v", row.where, p.Match(ann), p.Match(nobody), row.ann, row.nobody)
		}
	}
}

// TestWhereRefuses checks the words in the error message of each refused where.
func TestWhereRefuses(t *testing.T) {
	nested := func(depth int) string {
		return strings.Repeat(`{"$or":[`, depth) + `{"age":1}` + strings.Repeat(`]}`, depth)
	}
	terms := func(n int) string {
		return `{"$or":[` + strings.TrimSuffix(strings.Repeat(`{"age":1},`, n), ",") + `]}`
	}
	for where, words := range map[string]string{
		`[]`:                                      "where object",
		`null`:                                    "where object",
		`"{}"`:                                    "where object",
		`{"age":1`:                                "where JSON",
		`{"age":1,"age":2}`:                       "where age twice",
		`{"age":1} {}`:                            "where JSON",
		`{"other":1}`:                             "other",
		`{"$where":"1"}`:                          "$where",
		`{"$nor":[{"age":1}]}`:                    "$nor",
		`{"age":{"$mod":[2,0]}}`:                  "age $mod $eq $exists $gt $range",
		`{"age":{"$not":{"$gt":1}}}`:              "age $not",
		`{"age":"1"}`:                             "age integer",
		`{"age":1.5}`:                             "age integer",
		`{"age":9007199254740993}`:                "age integer",
		`{"age":{}}`:                              "age operator",
		`{"age":{"gt":1}}`:                        "age object",
		`{"age":{"$gt":1,"lt":2}}`:                "age mixes",
		`{"age":{"$gt":null}}`:                    "age $gt null",
		`{"age":{"$in":1}}`:                       "age $in array",
		`{"age":{"$in":["1"]}}`:                   "age $in integer",
		`{"age":{"$range":[1]}}`:                  "age $range",
		`{"age":{"$range":[1,null]}}`:             "age $range null",
		`{"age":{"$contains":"1"}}`:               "age $contains",
		`{"age":{"$all":[1]}}`:                    "age $all",
		`{"age":{"$isnull":1}}`:                   "age $isnull",
		`{"name":{"$exists":"true"}}`:             "name $exists",
		`{"name":{"x":1}}`:                        "name object",
		`{"name":{"$eq":{"$gt":""}}}`:             "name string",
		`{"name":{"$in":[{"$gt":""}]}}`:           "name string",
		`{"name":["a"]}`:                          "name string",
		`{"name":{"$regex":"("}}`:                 "name $regex",
		`{"name":{"$regex":"a)(b"}}`:              "name $regex",
		`{"name":{"$regex":"a{1000}b{1000}"}}`:    "name $regex",
		`{"name":{"$regex":"(a{100}){100}"}}`:     "name $regex",
		`{"name":{"$regex":"(a{0,30}){0,30}b"}}`:  "name $regex",
		`{"name":{"$regex":"(?=a)"}}`:             "name $regex",
		`{"name":{"$regex":"a","$options":"x"}}`:  "name $options",
		`{"name":{"$regex":"a","$options":"ii"}}`: "name $options",
		`{"name":{"$regex":"a","$options":1}}`:    "name $options",
		`{"name":{"$options":"i"}}`:               "name $options $regex",
		`{"name":{"$regex":1}}`:                   "name $regex",
		`{"name":{"$regex":"` + strings.Repeat("a", 513) + `"}}`: "name $regex 512",
		`{"extra":{"$gt":{}}}`:                                    "extra $gt object",
		`{"extra":{"a":{"$gt":1}}}`:                               "extra $gt",
		`{"extra":{"$eq":{"$ne":null}}}`:                          "extra $ne",
		`{"extra":{"a":1,"$ne":null}}`:                            "extra mixes",
		`{"extra":{"$has_key":1}}`:                                "extra $has_key",
		`{"tags":"a"}`:                                            "tags array",
		`{"tags":{"$in":[null]}}`:                                 "tags $in null",
		`{"tags":{"$gt":[]}}`:                                     "tags $gt",
		`{"born":"yesterday"}`:                                    "born date",
		`{"born":{"$gt":1}}`:                                      "born date",
		`{"friend":{"id":8}}`:                                     "friend id",
		`{"friend":{"$gt":8}}`:                                    "friend $gt",
		`{"place":{"$within":null}}`:                              "place $within",
		`{"place":{"$within":{"type":"Line"}}}`:                   "place $within",
		`{"place":{"$center":{"radius":-1,"coordinates":[0,0]}}}`: "place $center",
		`{"place":{"$center":{"coordinates":[0,0]}}}`:             "place $center",
		`{"place":{"$nearsphere":{"max_distance":1}}}`:            "place $nearsphere",
		`{"age":{"$within":{}}}`:                                  "age $within",
		`{"_group":1}`:                                            "_group $eq",
		`{"_group":{"$all":[1]}}`:                                 "_group $all",
		`{"_group":{"$in":["a"]}}`:                                "_group $in",
		`{"$or":[]}`:                                              "$or",
		`{"$or":{}}`:                                              "$or",
		`{"$and":[1]}`:                                            "$and",
		`{"$or":[{"$and":{"age":1}}]}`:                            "$and",
		nested(11):                                                "$or 10",
		terms(101):                                                "100",
		`{"name":"` + strings.Repeat("x", MaxBytes) + `"}`:        "16 KB",
	} {
		_, err := people.Where(where)
		if !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%.80s: %v, want Invalid", where, err)
			continue
		}
		for word := range strings.FieldsSeq(words) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%.80s: message %q does not name %q", where, err, word)
			}
		}
	}
	for _, where := range []string{nested(10), terms(100)} {
		if _, err := people.Where(where); err != nil {
			t.Errorf("%.40s…: %v, want it to be at the limit", where, err)
		}
	}
}

func TestFilters(t *testing.T) {
	for _, row := range []struct {
		query, want string // an empty want means refused
	}{
		{"", `{}`},
		{"where=%7B%7D&expand=&keys=&offset=0&limit=3&order_by=x&unknown=1&unknown__gt=x", `{}`},
		{"name=Ann&age__gt=3", `{"$and":[{"age":{"$gt":3}},{"name":{"$eq":"Ann"}}]}`},
		{"name=&age__gt=", `{}`},
		{"age__gte=3&age__lte=4&age__lt=5", `{"$and":[{"age":{"$gte":3}},{"age":{"$lt":5}},{"age":{"$lte":4}}]}`},
		{"name__contains=%24gt", `{"name":{"$contains":"$gt"}}`},
		{"name__in=a,b", `{"name":{"$in":["a","b"]}}`},
		{"age__in=1,2", `{"age":{"$in":[1,2]}}`},
		{"tags__in=a,b", `{"tags":{"$in":["a","b"]}}`},
		{"_group__in=1,2", `{"_group":{"$in":[1,2]}}`},
		{"tags=[\"a\"]", `{"tags":{"$eq":["a"]}}`},
		{"member=1", `{"member":{"$eq":true}}`},
		{"member=false", `{"member":{"$eq":false}}`},
		{"name__isnull=1", `{"name":{"$isnull":true}}`},
		{"name__isnull=false", `{"name":{"$isnull":false}}`},
		{"name={\"$gt\":\"\"}", `{"name":{"$eq":"{\"$gt\":\"\"}"}}`},
		{"friend=12", `{"friend":{"$eq":12}}`},
		{"friend=123456789012345678901234", `{"friend":{"$eq":"123456789012345678901234"}}`},
		{"a__b=1", `{"a__b":{"$eq":1}}`},
		{"a__b__gt=1", `{"a__b":{"$gt":1}}`},
		{"born__gt=2020-01-01T00:00:00Z", `{"born":{"$gt":"2020-01-01T00:00:00Z"}}`},
		{"age=1&age=2", `{"$and":[{"age":{"$eq":1}},{"age":{"$eq":2}}]}`},
		{"age=x", ``}, {"age=1.5", ``}, {"age=[1]", ``}, {"age=null", ``}, {"age=0x1", ``}, {"age__in=1,x", ``},
		{"age__in=1,", ``},
		{"member=yes", ``}, {"name__isnull=maybe", ``}, {"age__contains=1", ``}, {"name__regex=a", ``}, {"name__ne=a", ``},
		{"extra={\"$gt\":1}", ``}, {"extra=x", ``}, {"tags=a", ``}, {"born=2020", ``}, {"_group=1", ``},
	} {
		parameters, err := url.ParseQuery(row.query)
		if err != nil {
			t.Fatal(err)
		}
		p, err := people.Filters(parameters)
		switch {
		case row.want == "" && !errs.Is(err, errs.KindInvalid):
			t.Errorf("%s: %v, %v; want Invalid", row.query, p, err)
		case row.want != "" && (err != nil || p.String() != row.want):
			t.Errorf("%s: %v, %v; want %s", row.query, p, err, row.want)
		}
	}
}

func TestOrderBy(t *testing.T) {
	for text, want := range map[string]string{
		"": "-created_at,-id", "age": "age,-id", "-age, name": "-age,name,-id", "id": "id", "-id": "-id", "id,age": "id",
		"created_at": "created_at,id", "-created_at": "-created_at,-id", "name,created_at": "name,created_at,id",
	} {
		order, err := people.OrderBy(text)
		if err != nil || order.String() != want {
			t.Errorf("%q: %v, %v; want %s", text, order, err, want)
		}
	}
	for _, text := range []string{
		"other", "city", "-city", "age,age", "age,-age", "tags", "extra", "place", "friend", "_group", ",", "age,", "--age",
		"+age",
	} {
		if order, err := people.OrderBy(text); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%q: %v, %v; want Invalid", text, order, err)
		}
	}
	order, _ := people.OrderBy("-age,name")
	rows := []map[string]any{
		{"id": int64(1), "age": int64(5), "name": "a"}, {"id": int64(2), "age": int64(5), "name": "a"},
		{"id": int64(3), "age": int64(5)}, {"id": int64(4), "age": int64(4)}, {"id": int64(5)},
	}
	for i, want := range []int64{3, 2, 1, 4, 5} {
		rank := 0
		for _, other := range rows {
			if order.Compare(other, rows[want-1]) < 0 {
				rank++
			}
		}
		if rank != i {
			t.Errorf("row %d is at place %d, want %d", want, rank, i)
		}
	}
}

func TestPrefix(t *testing.T) {
	for pattern, want := range map[string]string{
		"^abc": "abc exact", "^abc.*x": "abc", "^a[bc]": "a", "^abc$": "abc", "abc": "no", "^[ab]": "no", "^a|b": "no",
		"^ab*": "a", "^(?i)abc": "no", "^": "no",
		"^日本": "日本 exact",
	} {
		p, err := people.Term("name", OpRegex, pattern)
		if err != nil {
			t.Fatal(err)
		}
		prefix, exact, ok := p.(*Term).Prefix()
		got := strings.TrimSuffix(fmt.Sprintf("%s exact", prefix), map[bool]string{true: "", false: " exact"}[exact])
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
	for _, options := range []string{"i", "m"} {
		term, err := people.regex("name", "^abc", options)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := term.Prefix(); ok {
			t.Errorf("^abc with option %s has no prefix, but one is given", options)
		}
	}
}

func TestConjuncts(t *testing.T) {
	p, err := people.Where(`{"age":{"$gt":1,"$lt":5},"$or":[{"name":"x"},{"name":"y"}],"$and":[{"member":true}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, term := range Conjuncts(p) {
		got = append(got, term.String())
	}
	if want := `[{"member":{"$eq":true}} {"age":{"$gt":1}} {"age":{"$lt":5}}]`; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if len(Terms(p)) != 5 {
		t.Errorf("%d terms, want 5", len(Terms(p)))
	}
}
