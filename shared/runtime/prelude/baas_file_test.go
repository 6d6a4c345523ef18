package prelude

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fileCalls are calls for files and categories, without uploads.
var fileCalls = []conversation{
	{"a file is read", `console.log((await new BaaS.File().get("5f0")).data.name)`,
		"api", `{"method":"GET","path":"/oserve/v2.2/file/5f0/","query":null,"body":null}`, `{"status":200,"body":{"name":"a.png"}}`, `a.png`},
	{"files are found", `const q = new BaaS.Query().compare("category_id", "=", "c1"); const r = await new BaaS.File().setQuery(q).orderBy("-size").limit(2).find({ withCount: true }); console.log(r.data.objects.length)`,
		"api", `{"method":"GET","path":"/oserve/v2.2/file/","query":{"where":"{\"category_id\":{\"$eq\":\"c1\"}}","order_by":"-size","limit":2,"return_total_count":1},"body":null}`,
		`{"status":200,"body":{"objects":[1,2]}}`, `2`},
	{"files are counted", `console.log(await new BaaS.File().count())`,
		"api", `{"method":"GET","path":"/oserve/v2.2/file/","query":{"limit":1,"return_total_count":1},"body":null}`,
		`{"status":200,"body":{"meta":{"total_count":3},"objects":[]}}`, `3`},
	{"a file goes", `console.log((await new BaaS.File().delete("5f0")).status)`,
		"api", `{"method":"DELETE","path":"/oserve/v2.2/file/5f0/","query":null,"body":null}`, `{"status":204,"body":null}`, `204`},
	{"files go", `console.log((await new BaaS.File().delete(["5f0", "5f1"])).status)`,
		"api", `{"method":"DELETE","path":"/oserve/v2.2/file/","query":{"id__in":"5f0,5f1"},"body":null}`, `{"status":204,"body":null}`, `204`},

	{"a category is read", `console.log((await new BaaS.FileCategory().get("5f0")).data.files)`,
		"api", `{"method":"GET","path":"/oserve/v2.2/file-category/5f0/","query":null,"body":null}`, `{"status":200,"body":{"files":4}}`, `4`},
	{"categories are found", `console.log((await new BaaS.FileCategory().limit(1).find()).data.objects)`,
		"api", `{"method":"GET","path":"/oserve/v2.2/file-category/","query":{"limit":1},"body":null}`, `{"status":200,"body":{"objects":[]}}`, `[]`},
	{"categories are counted", `console.log(await new BaaS.FileCategory().count())`,
		"api", `{"method":"GET","path":"/oserve/v2.2/file-category/","query":{"limit":1,"return_total_count":1},"body":null}`,
		`{"status":200,"body":{"meta":{"total_count":1},"objects":[]}}`, `1`},
	{"a category is made", `console.log((await new BaaS.FileCategory().create({ name: "a" })).status)`,
		"api", `{"method":"POST","path":"/oserve/v2.2/file-category/","query":null,"body":{"name":"a"}}`, `{"status":201,"body":{}}`, `201`},
	{"a category is renamed", `console.log((await new BaaS.FileCategory().update("5f0", { name: "b" })).status)`,
		"api", `{"method":"PUT","path":"/oserve/v2.2/file-category/5f0/","query":null,"body":{"name":"b"}}`, `{"status":200,"body":{}}`, `200`},
	{"a category goes", `console.log((await new BaaS.FileCategory().delete("5f0")).status)`,
		"api", `{"method":"DELETE","path":"/oserve/v2.2/file-category/5f0/","query":null,"body":null}`, `{"status":204,"body":null}`, `204`},
}

const begun = `{"status":200,"body":{"id":"5f0","policy":"p","authorization":"a","upload_url":"https://api.example.com/upload/5f0/",
	"path":"https://f/x.png","file_link":"https://f/x.png","cdn_path":"x.png","name":"NAME","created_at":7}}`

const received = `{"status":200,"body":{"code":200,"message":"ok","url":"x.png","time":7,"file_size":3,"mimetype":"image/png"}}`

// TestBaaSUploadsFiles checks both steps of an upload: the request, and the form that goes to the receiver.
func TestBaaSUploadsFiles(t *testing.T) {
	const whole = `{"id":"5f0","path":"https://f/x.png","file_link":"https://f/x.png","file":{"id":"5f0","path":"https://f/x.png",` +
		`"cdn_path":"x.png","created_at":7,"mime_type":"image/png","name":"NAME","size":3}}`
	for name, tt := range map[string]struct {
		src, first, content, kind string
		name                      string
	}{
		"a buffer": {
			src:   `await new BaaS.File().upload(Buffer.from([0, 255, 10]), { filename: "x.png", category_id: "c1", random_file_link: false, contentType: "image/png" })`,
			first: `{"filename":"x.png","category_id":"c1","random_file_link":false}`, content: "\x00\xff\n", kind: "image/png", name: "x.png",
		},
		"a file": {
			src:   `(require("fs").writeFileSync("/tmp/a.txt", "né"), await new BaaS.File().upload("/tmp/a.txt"))`,
			first: `{"filename":"a.txt"}`, content: "né", kind: "application/octet-stream", name: "a.txt",
		},
		"nameless bytes": {
			src: `await new BaaS.File().upload(new Uint8Array(2))`, first: `{}`, content: "\x00\x00", kind: "application/octet-stream", name: "5f0",
		},
	} {
		r := newRealm(t, nil)
		var asked []string
		r.answer = func(_, text string) (string, error) {
			if asked = append(asked, text); len(asked) == 1 {
				return strings.ReplaceAll(begun, "NAME", tt.name), nil
			}
			return received, nil
		}
		got := r.eval("(async () => { const a = " + tt.src + `; console.log(a.status, JSON.stringify(a.data)) })().catch((e) => console.log("REJECTED", e))`)
		if want := "LOG 200 " + strings.ReplaceAll(whole, "NAME", tt.name) + "\n"; got != want || len(asked) != 2 {
			t.Fatalf("%s: %d calls, %s", name, len(asked), got)
		}
		if !equalJSON(t, asked[0], `{"method":"POST","path":"/oserve/v2.1/upload/","query":null,"body":`+tt.first+`}`) {
			t.Errorf("%s asks %s", name, asked[0])
		}
		want := map[string]string{"policy": "p", "authorization": "a", "file": tt.name + " " + tt.kind + " " + tt.content}
		if diff := cmp.Diff(want, partsOf(t, asked[1])); diff != "" {
			t.Errorf("%s sends: -want +got\n%s", name, diff)
		}
	}
}

// partsOf returns the parts of a form that a program sends to the receiver.
func partsOf(t *testing.T, call string) map[string]string {
	t.Helper()
	var sent struct {
		Method, Path string
		Form         struct{ Type, Base64 string }
	}
	if err := json.Unmarshal([]byte(call), &sent); err != nil || sent.Method != "POST" || sent.Path != "/upload/5f0/" {
		t.Fatalf("%v: %s", err, call)
	}
	_, parameters, err := mime.ParseMediaType(sent.Form.Type)
	content, failed := base64.StdEncoding.DecodeString(sent.Form.Base64)
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	parts, reader := map[string]string{}, multipart.NewReader(bytes.NewReader(content), parameters["boundary"])
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(part)
		parts[part.FormName()] = string(text)
		if part.FileName() != "" {
			parts[part.FormName()] = part.FileName() + " " + part.Header.Get("Content-Type") + " " + string(text)
		}
	}
}

// TestBaaSUploadFails: the first step rejects as every call, the second one with 617.
func TestBaaSUploadFails(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		fail int // the call that fails, from 1
		want string
	}{
		"not a file":        {`new BaaS.File().upload({})`, 0, "Error undefined invalid uploadFile"},
		"a file elsewhere":  {`new BaaS.File().upload("/etc/passwd")`, 0, "Error undefined invalid uploadFile"},
		"a missing file":    {`new BaaS.File().upload("/tmp/none")`, 0, "Error ENOENT ENOENT: no such file or directory, open '/tmp/none'"},
		"a forbidden name":  {`new BaaS.File().upload(Buffer.from("x"), { filename: "x.php" })`, 1, "BaaSError 400 400: no"},
		"a refused content": {`new BaaS.File().upload(Buffer.from("x"), { filename: "x.png" })`, 2, "BaaSError 617 617: multipart upload failed: 400: no"},
	} {
		r := newRealm(t, nil)
		calls := 0
		r.answer = func(string, string) (string, error) {
			if calls++; calls == tt.fail {
				return "", errors.New(`{"message":"no","status":400}`)
			}
			return begun, nil
		}
		got := r.eval("(async () => { await " + tt.src + `; console.log("done") })().catch((e) => console.log(e.name, e.code, e.message))`)
		if got != "LOG "+tt.want+"\n" || calls != tt.fail {
			t.Errorf("%s: %d calls, %s", name, calls, got)
		}
	}
}
