package ses_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"minicloud/infra/local/outbox"
	"minicloud/infra/local/ses"
	"minicloud/infra/local/template"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	client "minicloud/shared/outbound/ses"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action/email"
)

var account = client.Account{
	ConfigurationSet: "arn:aws:ses:us-east-1:000000000000:configuration-set/mails", Tenants: "mini",
}

// cloud is a mail service, and the clients of our programs that use it.
type cloud struct {
	*testing.T
	config     ses.Config
	service    *ses.Service
	box        *outbox.Box
	events     []string
	identities *client.Identities
	mails      *client.Client
}

func start(t *testing.T, sandbox bool) *cloud {
	c := &cloud{T: t}
	dir := t.TempDir()
	box, err := outbox.Open(filepath.Join(dir, "outbox.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	c.box, c.config = box, ses.Config{
		Path: filepath.Join(dir, "ses.json"), Box: box, Region: "us-east-1", URL: "http://127.0.0.1:1", Sandbox: sandbox,
		Sets:  []*template.ConfigurationSet{{ID: "Mails", Name: "mails", Events: []string{"BOUNCE", "COMPLAINT"}}},
		Clock: clock.System, Count: func(string) {},
		Event: func(detailType string, resources []string, detail []byte) {
			c.events = append(c.events, detailType+" "+strings.Join(resources, " ")+" "+string(detail))
		},
	}
	c.restart()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.service.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	cfg := aws.Config{
		Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	}
	c.identities, c.mails = client.NewIdentities(cfg, account), client.New(cfg, account)
	return c
}

// restart opens the state again, as after a restart of the local cloud.
func (c *cloud) restart() {
	c.Helper()
	service, err := ses.Open(c.config)
	if err != nil {
		c.Fatal(err)
	}
	c.service = service
}

// sent returns the texts of the messages in the outbox that contain a text.
func (c *cloud) sent(text string) []string {
	c.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/_local/outbox", nil)
	q := r.URL.Query()
	q.Set("contains", text)
	r.URL.RawQuery = q.Encode()
	c.box.ServeHTTP(w, r)
	var all []struct{ Sent json.RawMessage }
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil {
		c.Fatal(err)
	}
	texts := []string{}
	for _, one := range all {
		texts = append(texts, string(one.Sent))
	}
	return texts
}

var link = regexp.MustCompile(`/_local/ses/verify\?token=\w+`)

// verify creates an identity and follows its link.
func (c *cloud) verify(name string) {
	c.Helper()
	if _, err := c.identities.CreateIdentity(c.Context(), name); err != nil {
		c.Fatal(err)
	}
	requests, w := c.sent("Verification Request: "+name), httptest.NewRecorder()
	c.service.ServeVerify(w, httptest.NewRequest("GET", link.FindString(requests[len(requests)-1]), nil))
	if w.Code != 200 {
		c.Fatalf("%d %s", w.Code, w.Body)
	}
}

func (c *cloud) admit(app tenant.AppID, name string) {
	c.Helper()
	for range 2 { // it may be repeated
		if err := c.identities.Admit(c.Context(), app, name); err != nil {
			c.Fatal(err)
		}
	}
}

func mail(app tenant.AppID, from, to string) email.Mail {
	return email.Mail{
		Scope: tenant.Scope{App: app, Env: tenant.Production}, From: from, To: []string{to}, Subject: "s", Body: "b",
	}
}

// send sends a mail; want is the kind of its error and a part of its text.
func (c *cloud) send(m email.Mail, want errs.Kind, text string) {
	c.Helper()
	if _, err := c.mails.Send(c.Context(), m); errs.KindOf(err) != want || err != nil && !strings.Contains(err.Error(), text) {
		c.Errorf("%s to %s: %v, want %s %s", m.From, m.To, err, want, text)
	}
}

// TestSendsAsVerifiedSenderOfTenant checks that a mail needs a verified identity that is associated with its tenant.
func TestSendsAsVerifiedSenderOfTenant(t *testing.T) {
	c := start(t, false)
	c.send(mail(7, "shop@example.com", "a@example.com"), errs.KindInvalid, "Email address is not verified")
	if of, err := c.identities.CreateIdentity(t.Context(), "shop@example.com"); err != nil || of.Verified {
		t.Errorf("%+v, %v", of, err)
	}
	c.send(mail(7, "shop@example.com", "a@example.com"), errs.KindInvalid, "Email address is not verified")
	c.verify("shop@example.com") // creating it again is no error
	c.restart()
	if of, err := c.identities.Identity(t.Context(), "shop@example.com"); err != nil || !of.Verified || of.Records != nil {
		t.Errorf("%+v, %v", of, err)
	}

	c.send(mail(7, "shop@example.com", "a@example.com"), errs.KindInvalid, "Tenant mini-7 does not exist")
	c.admit(8, "shop@example.com")
	c.admit(7, "shop@example.com")
	c.send(mail(7, `"Shop" <SHOP@example.com>`, "a@example.com"), "", "")
	c.send(mail(7, "bank@example.com", "a@example.com"), errs.KindInvalid, "Email address is not verified")
	c.verify("bank@example.com")
	c.send(mail(7, "bank@example.com", "a@example.com"), errs.KindInvalid, "confirm it again")
	if got := c.sent(`"mini-7"`); len(got) != 1 || !strings.Contains(got[0], `\"Shop\" \u003cshop@example.com\u003e`) {
		t.Errorf("%v", got)
	}

	if err := c.identities.DeleteIdentity(t.Context(), "shop@example.com"); err != nil {
		t.Error(err)
	}
	c.verify("shop@example.com")
	c.send(mail(7, "shop@example.com", "a@example.com"), errs.KindInvalid, "confirm it again")
	if _, err := c.identities.Identity(t.Context(), "nobody@example.com"); !errs.Is(err, errs.KindNotFound) {
		t.Error(err)
	}
}

// TestVerifiesDomain checks the records of a domain, and that all of its addresses can send, unless one is an identity.
func TestVerifiesDomain(t *testing.T) {
	c := start(t, false)
	of, err := c.identities.CreateIdentity(t.Context(), "example.com")
	if err != nil || len(of.Records) != 3 || of.Records[0].Type != "CNAME" ||
		!strings.HasSuffix(of.Records[0].Name, "._domainkey.example.com") || !strings.HasSuffix(of.Records[0].Value, ".dkim.amazonses.com") {
		t.Errorf("%+v, %v", of, err)
	}
	c.verify("example.com")
	c.admit(7, "example.com")
	c.send(mail(7, "any@example.com", "a@example.com"), "", "")
	c.send(mail(7, "any@mail.example.com", "a@example.com"), "", "")
	if of, err := c.identities.CreateIdentity(t.Context(), "any@example.com"); err != nil || !of.Verified {
		t.Errorf("an address inherits the verification of its domain: %+v, %v", of, err)
	}
	c.send(mail(7, "any@example.com", "a@example.com"), errs.KindInvalid, "resources [arn:aws:ses:us-east-1:000000000000:identity/any@example.com]")
	if _, err := c.identities.CreateIdentity(t.Context(), "no domain"); !errs.Is(err, errs.KindInvalid) {
		t.Error(err)
	}
}

// TestSandboxRefusesStrangers refuses recipients that are not verified, as a new account does. A code can be sent,
// because it goes to its own sender.
func TestSandboxRefusesStrangers(t *testing.T) {
	c := start(t, true)
	c.verify("shop@example.com")
	c.admit(7, "shop@example.com")
	c.admit(0, "shop@example.com")
	c.send(mail(7, "shop@example.com", "a@example.com"), errs.KindInvalid, "failed the check in region US-EAST-1: a@example.com")
	c.send(mail(7, "shop@example.com", "Shop <shop@example.com>"), "", "")
	c.send(mail(7, "shop@example.com", "success@simulator.amazonses.com"), "", "")
	if err := c.identities.SendCode(t.Context(), "shop@example.com", "Confirm", "code"); err != nil {
		t.Error(err)
	}
}

// TestSimulatesFeedback checks the events of mails to the mailbox simulator.
func TestSimulatesFeedback(t *testing.T) {
	c := start(t, false)
	c.verify("shop@example.com")
	c.admit(7, "shop@example.com")
	for _, box := range []string{"bounce+7", "complaint", "success", "ooto"} {
		c.send(mail(7, "shop@example.com", box+"@simulator.amazonses.com"), "", "")
	}
	if len(c.events) != 2 {
		t.Fatalf("%v", c.events)
	}
	for i, want := range []string{
		`Email Bounced arn:aws:ses:us-east-1:000000000000:configuration-set/mails {"bounce":{`,
		`Email Complaint Received arn:aws:ses:us-east-1:000000000000:configuration-set/mails {"complaint":{`,
	} {
		if !strings.HasPrefix(c.events[i], want) || !strings.Contains(c.events[i], `"miniapp":["7"]`) ||
			!strings.Contains(c.events[i], `"sender":["`+allowance.Key("shop@example.com")+`"]`) ||
			!strings.Contains(c.events[i], `"ses:configuration-set":["mails"]`) {
			t.Errorf("%s", c.events[i])
		}
	}
}

// TestRefusesMalformed checks requests that our clients do not make.
func TestRefusesMalformed(t *testing.T) {
	c := start(t, false)
	c.verify("a@example.com")
	const content = `"Content":{"Simple":{"Subject":{"Data":"hi"},"Body":{"Text":{"Data":"there"}}}}`
	const to = `"Destination":{"ToAddresses":["b@example.com"]},`
	for name, tt := range map[string]struct{ method, path, body, want string }{
		"nobody":             {"POST", "/v2/email/outbound-emails", `{"FromEmailAddress":"a@example.com",` + content + `}`, "Destination"},
		"no sender":          {"POST", "/v2/email/outbound-emails", `{` + to + content + `}`, "FromEmailAddress"},
		"no content":         {"POST", "/v2/email/outbound-emails", `{"FromEmailAddress":"a@example.com","Destination":{"ToAddresses":["b@example.com"]}}`, "Content"},
		"no JSON":            {"POST", "/v2/email/outbound-emails", `x`, "not understood"},
		"another header":     {"POST", "/v2/email/outbound-emails", `{"FromEmailAddress":"a@example.com\r\nBcc: x@example.com",` + to + content + `}`, "Invalid email address"},
		"unknown set":        {"POST", "/v2/email/outbound-emails", `{"FromEmailAddress":"a@example.com","ConfigurationSetName":"x",` + to + content + `}`, "does not exist"},
		"a tag with an @":    {"POST", "/v2/email/outbound-emails", `{"FromEmailAddress":"a@example.com","EmailTags":[{"Name":"x","Value":"a@b"}],` + to + content + `}`, "Invalid tag"},
		"a long tenant":      {"POST", "/v2/email/tenants", `{"TenantName":"` + strings.Repeat("x", 65) + `"}`, "TenantName"},
		"unknown tenant":     {"POST", "/v2/email/tenants/resources", `{"TenantName":"x","ResourceArn":"y"}`, "does not exist"},
		"another operation":  {"GET", "/v2/email/account", ``, "does not serve"},
		"deleting a missing": {"DELETE", "/v2/email/identities/x@example.com", ``, "does not exist"},
	} {
		w := httptest.NewRecorder()
		c.service.ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body)))
		if w.Code < 400 || w.Code >= 500 || !strings.Contains(w.Body.String(), tt.want) || w.Header().Get("X-Amzn-Errortype") == "" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if got := c.sent(content); len(got) != 0 {
		t.Errorf("kept %v", got)
	}
	w := httptest.NewRecorder()
	c.service.ServeVerify(w, httptest.NewRequest("GET", "/_local/ses/verify?token=", nil))
	if w.Code != 404 {
		t.Errorf("an empty token: %d", w.Code)
	}
}
