package outbox

import (
	"crypto/rand"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"minicloud/infra/local/watch"
	"minicloud/shared/clock"
)

// API serves Publish of SNS to a phone number (forms and XML). It stores every message in the box.
type API struct {
	Box   *Box
	Clock clock.Clock
	Count func(operation string) // called for every request; not nil
	// Metrics gets the metrics of SNS; nil for none.
	Metrics *watch.Metrics

	mu    sync.Mutex
	spent float64 // dollars of SMS since the start
}

// smsDollars is the price of an SMS to the United States.
const smsDollars = 0.00645

// texted records the price of an SMS.
func (a *API) texted() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent += smsDollars
	a.Metrics.Put("AWS/SNS", "SMSMonthToDateSpentUSD", a.spent)
}

// Serves reports whether a request is for SNS.
func Serves(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == "/" && strings.HasPrefix(
		r.Header.Get("Content-Type"), "application/x-www-form-urlencoded",
	)
}

// Action is the IAM action of all requests. Phone numbers are no resources, so a grant must allow every one.
const Action = "sns:Publish"

// ServeHTTP stores an SMS.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	action := r.PostFormValue("Action")
	a.Count(action)
	w.Header().Set("Content-Type", "text/xml")
	refuse := func(code, message string) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(w, "<ErrorResponse><Error><Type>Sender</Type><Code>", code, "</Code><Message>")
		_ = xml.EscapeText(w, []byte(message))
		_, _ = io.WriteString(w, "</Message></Error></ErrorResponse>")
	}
	if action != "Publish" {
		refuse("InvalidAction", "the local cloud serves only Publish, not "+action)
		return
	}

	phone, text := r.PostFormValue("PhoneNumber"), r.PostFormValue("Message")
	if !strings.HasPrefix(phone, "+") || text == "" {
		refuse("InvalidParameter", "PhoneNumber (E.164) and Message are needed; the local cloud has no topics")
		return
	}

	sent, _ := json.Marshal(map[string]string{"PhoneNumber": phone, "Message": text, "Subject": r.PostFormValue("Subject")}) // strings
	if err := a.Box.Add(Message{At: a.Clock().UTC(), Kind: "sms", Sent: sent}); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}

	a.texted()
	_, _ = io.WriteString(w, `<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>`+rand.Text()+
		`</MessageId></PublishResult><ResponseMetadata><RequestId>`+rand.Text()+
		`</RequestId></ResponseMetadata></PublishResponse>`)
}
