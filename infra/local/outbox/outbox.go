// Package outbox stores the emails, SMS and template messages of the programs instead of sending them, and the webhook
// requests sent to /_local/hook/. GET /_local/outbox shows all.
package outbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/infra/local/server"
)

// Message is one sent message.
type Message struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"` // email, sms, template_message, webhook
	// Sent is the request as the program sent it to the service.
	Sent json.RawMessage `json:"sent"`
}

// Box stores messages in a file, one per line.
type Box struct {
	mu       sync.Mutex
	file     *os.File
	torn     bool // the last line of the file may be incomplete
	messages []Message
}

// Open reads the messages stored at path; Add appends to that file.
func Open(path string) (*Box, error) {
	kept, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	b := &Box{messages: []Message{}, torn: len(kept) > 0 && kept[len(kept)-1] != '\n'}
	for line := range bytes.Lines(kept) {
		var m Message
		if json.Unmarshal(line, &m) == nil { // a crash may have cut the last line
			b.messages = append(b.messages, m)
		}
	}
	b.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return b, err
}

// Add stores a message. If it returns an error, the message may be lost at a restart.
func (b *Box) Add(m Message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, m)
	line = append(line, '\n')
	if b.torn { // end the incomplete line, or it would swallow this message
		line = append([]byte("\n"), line...)
	}
	_, err = b.file.Write(line)
	b.torn = err != nil
	return err
}

// Close closes the file.
func (b *Box) Close() error { return b.file.Close() }

// ServeHTTP responds to GET with all messages, newest last; each ?contains= selects those whose request contains a text.
// DELETE deletes all messages.
func (b *Box) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Method == http.MethodDelete {
		if err := b.file.Truncate(0); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		b.messages = []Message{}
	}
	server.JSON(w, b.with(r.URL.Query()["contains"]))
}

// with returns the messages whose request contains all the texts.
func (b *Box) with(texts []string) []Message {
	found := []Message{}
	for _, m := range b.messages {
		misses := func(text string) bool { return !strings.Contains(string(m.Sent), text) }
		if !slices.ContainsFunc(texts, misses) {
			found = append(found, m)
		}
	}
	return found
}
