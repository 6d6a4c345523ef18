// Package outbox keeps emails, SMS and template messages of the programs instead of
// sending them, and takes webhooks that are sent to /_local/hook/. GET /_local/outbox
// shows all.
package outbox

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Message is one thing that was sent.
type Message struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"` // email, sms, template_message, webhook
	// Sent is the request as the program sent it to the service.
	Sent json.RawMessage `json:"sent"`
}

// Box keeps messages in a file, a line each.
type Box struct {
	mu       sync.Mutex
	file     *os.File
	torn     bool // the last line may have no end
	messages []Message
}

// Open reads what was kept at path and adds to it.
func Open(path string) (*Box, error) {
	kept, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	b := &Box{messages: []Message{}, torn: len(kept) > 0 && kept[len(kept)-1] != '\n'}
	for line := range linesOf(kept) {
		var m Message
		if json.Unmarshal(line, &m) == nil { // the last may be cut by a crash
			b.messages = append(b.messages, m)
		}
	}
	b.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return b, err
}

// Add keeps a message. An error means that it may be gone after a restart.
func (b *Box) Add(m Message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, m)
	line = append(line, '\n')
	if b.torn { // the unfinished line would swallow this message
		line = append([]byte("\n"), line...)
	}
	_, err = b.file.Write(line)
	b.torn = err != nil
	return err
}

// Close closes the file.
func (b *Box) Close() error { return b.file.Close() }

// ServeHTTP answers GET with all messages, newest last, or with those that have
// the text of ?contains= in what was sent; and DELETE by forgetting them.
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
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(b.with(r.URL.Query().Get("contains")))
}

// with returns the messages that have the text.
func (b *Box) with(text string) []Message {
	found := []Message{}
	for _, m := range b.messages {
		if strings.Contains(string(m.Sent), text) {
			found = append(found, m)
		}
	}
	return found
}
