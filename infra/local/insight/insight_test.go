package insight

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQueries(t *testing.T) {
	got, err := ParseQuery(`SELECT SUM(ThrottledRequests) FROM SCHEMA("AWS/DynamoDB", Operation, TableName) ` +
		`GROUP BY TableName ORDER BY SUM() DESC`)
	want := &Query{
		Statistic: "Sum", Metric: "ThrottledRequests", Namespace: "AWS/DynamoDB", Schema: []string{"Operation", "TableName"},
		GroupBy: "TableName",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, query (-want +got):\n%s", err, diff)
	}

	for query, problem := range map[string]string{
		`m1 + m2`: "of the form",
		`SELECT SUM(m) FROM SCHEMA("n", Q) WHERE Q = 'a' GROUP BY Q ORDER BY SUM() DESC`: "of the form",
		`SELECT SUM(m) FROM SCHEMA("n", Q) GROUP BY Q ORDER BY MAX() DESC`:               "of the form",
		`SELECT COUNT(m) FROM SCHEMA("n", Q) GROUP BY Q ORDER BY COUNT() DESC`:           "of the form",
		`SELECT SUM(m) FROM SCHEMA("n", Q) GROUP BY P ORDER BY SUM() DESC`:               "groups by P",
	} {
		if _, err := ParseQuery(query); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, want %s", query, err, problem)
		}
	}
}

func TestPatterns(t *testing.T) {
	p, err := ParsePattern(`{ $.msg = "request failed" && $.bucket >= 0 }`)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{
		`{"msg":"request failed","bucket":3}`:      true,
		`{"msg":"request failed"}`:                 false,
		`{"msg":"request failed","bucket":"3"}`:    false,
		`{"msg":"request failed","bucket":-1}`:     false,
		`{"msg":"another","x":"request failed"}`:   false,
		`{"msg":"another"}`:                        false,
		`panic: request failed`:                    false,
		`{"msg":"a request failed","bucket":3}`:    false,
		`{"bucket":0,"msg":"request failed"}`:      true,
		`{"msg":"request failed","bucket":3.5}`:    true,
		`{"msg":"request failed","bucket":null}`:   false,
		`["request failed"]`:                       false,
		`{"msg":["request failed"],"bucket":1}`:    false,
		`{"msg":"request failed","bucket":{"a":1}`: false,
	} {
		if _, got := p.Match([]byte(line)); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
	for _, bad := range []string{`ERROR`, ``, `$.a = "b"`, `{ $.a != "b" }`, `{ $.a = 1 }`, `{ $.a >= "b" }`, `{ $.a = "b" || $.c = "d" }`} {
		if p, err := ParsePattern(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, p)
		}
	}
}
