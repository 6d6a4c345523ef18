package outbox

import (
	"crypto/rand"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"strings"

	"minicloud/shared/clock"
)

// sendEmailPath is the path of SendEmail of SES (v2).
const sendEmailPath = "/v2/email/outbound-emails"

// API serves the messaging services: SendEmail of SES v2 (JSON) and Publish of SNS to a phone number (forms and XML).
// It stores every message in the box.
type API struct {
	Box   *Box
	Clock clock.Clock
	Count func(operation string) // called for every request; not nil
}

// Serves reports whether a request is for one of these services.
func Serves(r *http.Request) bool {
	return r.URL.Path == sendEmailPath ||
		(r.Method == http.MethodPost && r.URL.Path == "/" && strings.HasPrefix(
			r.Header.Get("Content-Type"), "application/x-www-form-urlencoded",
		))
}

// Asked returns the IAM action and resource of a request. It ignores the sending identity: a grant of SendEmail must
// allow every resource.
func Asked(r *http.Request) (action, resource string) {
	if r.URL.Path == sendEmailPath {
		return "ses:SendEmail", "*"
	}
	return "sns:Publish", "*"
}

// ServeHTTP serves one operation.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == sendEmailPath {
		a.sendEmail(w, r)
		return
	}
	a.publish(w, r)
}

// sendEmail stores a request of SES v2 if it has a sender, a recipient and content.
func (a *API) sendEmail(w http.ResponseWriter, r *http.Request) {
	a.Count("SendEmail")
	w.Header().Set("Content-Type", "application/json")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 40<<20))
	var in struct {
		FromEmailAddress string
		Destination      struct{ ToAddresses, CcAddresses, BccAddresses []string }
		Content          map[string]json.RawMessage
	}
	if err != nil || json.Unmarshal(body, &in) != nil || in.FromEmailAddress == "" || len(in.Content) != 1 ||
		len(in.Destination.ToAddresses)+len(in.Destination.CcAddresses)+len(in.Destination.BccAddresses) == 0 {
		// The SDK reads the type of an error from this header, not from the body.
		w.Header().Set("X-Amzn-Errortype", "BadRequestException")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"message":"FromEmailAddress, Destination and one kind of Content are needed"}`)
		return
	}

	if err := a.Box.Add(Message{At: a.Clock().UTC(), Kind: "email", Sent: body}); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}

	_ = json.NewEncoder(w).Encode(map[string]string{"MessageId": rand.Text()})
}

// publish stores an SMS.
func (a *API) publish(w http.ResponseWriter, r *http.Request) {
	action := r.PostFormValue("Action")
	a.Count(action)
	w.Header().Set("Content-Type", "text/xml")
	refuse := func(code, message string) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(
			w,
			"<ErrorResponse><Error><Type>Sender</Type><Code>"+code+"</Code><Message>"+escape(message)+
				"</Message></Error></ErrorResponse>",
		)
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

	_, _ = io.WriteString(w, `<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>`+rand.Text()+
		`</MessageId></PublishResult><ResponseMetadata><RequestId>`+rand.Text()+
		`</RequestId></ResponseMetadata></PublishResponse>`)
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}
