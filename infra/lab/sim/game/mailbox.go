package game

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
)

// Mailbox is SES and SNS: it keeps what was sent.
type Mailbox struct {
	mu   sync.Mutex
	sent []url.Values
}

// ServeHTTP takes a message.
func (m *Mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body) // it is in memory
	form, err := url.ParseQuery(string(text))
	if mail := json.Valid(text); mail || err != nil {
		form = url.Values{"Mail": {string(text)}}
	}
	m.mu.Lock()
	m.sent = append(m.sent, form)
	n := len(m.sent)
	m.mu.Unlock()
	if form.Has("Mail") {
		fmt.Fprintf(w, `{"MessageId":"%d"}`, n)
		return
	}
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprintf(w, `<PublishResponse><PublishResult><MessageId>%d</MessageId></PublishResult></PublishResponse>`, n)
}

// To are the texts that a number got.
func (m *Mailbox) To(phone string) []string {
	return m.Sent(func(to, _ string) bool { return to == phone })
}

// Sent are the messages that fit: a text to a number, or a mail as its JSON to "".
func (m *Mailbox) Sent(fits func(to, text string) bool) (all []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, form := range m.sent {
		to, text := form.Get("PhoneNumber"), form.Get("Message")
		if form.Has("Mail") {
			to, text = "", form.Get("Mail")
		}
		if fits(to, text) {
			all = append(all, text)
		}
	}
	return all
}
