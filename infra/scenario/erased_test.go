package scenario_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/httpapi"
)

// erasedPerson: after the calls of "Erase a person's data" in operations.md, what names the person expires or is gone.
func erasedPerson(t *testing.T, c stage) {
	owner := c.owner(t)
	nobody := owner.as(httpapi.Client)
	find(t, owner.ask(t, "PUT", "/oserve/v3/sms-setting/", `{"enabled":true,"signatures":[{"name":"Tea","status":"approved"}]}`), "enabled")
	find(t, owner.ask(t, "POST", "/oserve/v1.8/table/", `{"name":"diary","schema":{"fields":[{"name":"text","type":"string"}]}}`), "id")
	const merchant = `"merchant_key":"192006250b4c09247ec02edce69f6a2d"`
	find(t, owner.ask(t, "PUT", "/oserve/v3/payment-setting/tpay/", `{"app_id":"erased","merchant_id":"erased",`+merchant+`}`), "vendor")
	if answer := nobody.ask(t, "PUT", "/_local/payments/tpay/erased/", `{"app_id":"erased",`+merchant+`}`); answer.status != 200 {
		t.Fatal(answer.body)
	}

	// A person leaves traces everywhere.
	find(t, nobody.ask(t, "POST", "/hserve/v2.1/register/username/", `{"username":"erased-ada","password":"correct horse"}`), "token")
	ada := owner.loggedInAs(t, "erased-ada")
	person, id := ada.as(httpapi.Client), fmt.Sprint(ada.user())
	find(t, person.ask(t, "PUT", "/hserve/v2.2/user/account/", `{"email":"erased-ada@example.com"}`), "email")
	if answer := person.ask(t, "POST", "/hserve/v2.2/sms-verification-code/", `{"phone":"+4915112345678"}`); answer.status >= 300 {
		t.Fatalf("%d %s", answer.status, answer.body)
	}
	find(t, person.ask(t, "POST", "/hserve/v2.4/table/diary/record/", `{"text":"erased secret"}`), "id")
	photo := uploadPhoto(t, person, "erased-photo.png")
	find(t, person.ask(t, "POST", "/hserve/v2.2/idp/pay/order/",
		`{"gateway_type":"tpay","total_cost":3,"merchandise_description":"tea"}`), "trade_no")
	traces := []string{id, "erased-ada", "15112345678", "erased secret", "erased-photo", photo.ID}
	if left := personIn(t, c, traces, false); len(left) < 5 {
		t.Fatalf("the person is in %q only", left)
	}

	erasePerson(t, owner, id, photo.ID)
	if left := personIn(t, c, traces, true); len(left) > 0 {
		t.Errorf("left for ever:\n%s", strings.Join(left, "\n"))
	}
	if answer := person.ask(t, "GET", "/hserve/v2.1/uploaded-file/"+photo.ID+"/", ""); answer.status != 401 {
		t.Errorf("the session goes on: %d %s", answer.status, answer.body)
	}
	content, err := http.Get(photo.Path)
	if err != nil {
		t.Fatal(err)
	}
	content.Body.Close()
	if content.StatusCode != http.StatusNotFound {
		t.Errorf("the photo: %d", content.StatusCode)
	}
}

// erasePerson makes the calls of operations.md.
func erasePerson(t *testing.T, owner caller, id, file string) {
	t.Helper()
	const functions = "/oserve/v1.3/cloud-function/"
	where := `?where=%7B%22created_by%22%3A%7B%22%24eq%22%3A` + id + `%7D%7D`
	files := owner.ask(t, "GET", "/oserve/v2.2/file/"+where, "")
	if !strings.Contains(files.body, file) {
		t.Fatalf("the files of the person: %s", files.body)
	}
	find(t, owner.ask(t, "POST", functions,
		`{"name":"erase-user","function_code":"exports.main = (event) => new BaaS.User().delete(event.data.id)"}`), "name")
	for _, call := range []struct{ method, path, body, want string }{
		{"DELETE", "/oserve/v2.2/file/?id__in=" + file, "", ""},
		{"POST", functions + "erase-user/job/", `{"data":{"id":` + id + `}}`, `"code":0`},
		{"DELETE", functions + "erase-user/", "", ""},
		{"DELETE", "/oserve/v2.4/table/diary/record/" + where, "", `"succeed":1`},
		{"POST", "/oserve/v3/order/erase/", `{"user_id":` + id + `}`, `"erased":1`},
		{"POST", "/oserve/v3/order/erase/", `{"user_id":` + id + `}`, `"erased":0`},
	} {
		if answer := owner.ask(t, call.method, call.path, call.body); answer.status >= 300 || !strings.Contains(answer.body, call.want) {
			t.Errorf("%s %s: %d %s", call.method, call.path, answer.status, answer.body)
		}
	}
}

// personIn returns the items with a trace of a person. With remaining, it leaves out items that expire, and the number, the
// first trace, in the record of the deleted user.
func personIn(t *testing.T, c stage, traces []string, remaining bool) (found []string) {
	t.Helper()
	for _, table := range c.Template.Tables {
		pages := dynamodb.NewScanPaginator(database(c), &dynamodb.ScanInput{TableName: &table.Name})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items {
				text, err := attributevalue.MarshalMapJSON(it)
				if err != nil {
					t.Fatal(err)
				}
				looked := traces
				if remaining && dynamo.TextOf(it["sk"]) == "account" {
					looked = traces[1:]
				}
				if remaining && it[table.TTL] != nil {
					continue
				}
				if slices.ContainsFunc(looked, func(trace string) bool { return strings.Contains(string(text), trace) }) {
					found = append(found, table.ID+" "+string(text))
				}
			}
		}
	}
	return found
}
