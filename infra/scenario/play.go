package scenario

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
	"time"

	"minicloud/infra/openapi"
)

// Player plays steps against a platform.
type Player struct {
	BaseURL string
	// Known maps each {{name}} to its value; steps add to it.
	Known map[string]string
	// Log, if set, receives every request and response.
	Log func(format string, args ...any)
	// Description, if set, checks every response of the platform.
	Description *openapi.Answers
}

// Play plays the steps in order and stops at the first one whose response does not match.
func (p *Player) Play(ctx context.Context, steps []Step) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar, Timeout: 60 * time.Second}
	for _, step := range steps {
		if err := p.step(ctx, client, step); err != nil {
			return fmt.Errorf("line %d (%s): %w", step.Line, step.Title, err)
		}
	}
	return nil
}

// Patience is how long a step with "eventually" is repeated. It allows for a busy machine; a step that matches ends
// at once.
const Patience = 3 * time.Minute

func (p *Player) step(ctx context.Context, client *http.Client, step Step) error {
	begun := time.Now()
	deadline := begun.Add(Patience)
	for {
		err := p.try(ctx, client, step)
		if err == nil || ctx.Err() != nil || !step.Eventually || !time.Now().Before(deadline) {
			return err
		}
		// The interval grows with time, to send fewer requests to a remote deployment.
		time.Sleep(50*time.Millisecond + min(time.Since(begun)/20, time.Second))
	}
}

func (p *Player) try(ctx context.Context, client *http.Client, step Step) error {
	path, err := p.fill(step.Path)
	if err != nil {
		return err
	}

	body, err := p.fill(step.Body)
	if err != nil {
		return err
	}
	if strings.HasPrefix(path, "/") {
		path = p.BaseURL + path
	}

	req, err := http.NewRequestWithContext(ctx, step.Method, path, strings.NewReader(body))
	if err != nil {
		return err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}

	for _, h := range step.Header {
		value, err := p.fill(h[1])
		if err != nil {
			return err
		}
		req.Header.Set(h[0], value)
	}

	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if p.Log != nil {
		p.Log("%s\n%s %s %.2000s\n=> %d %.4000s", step.Title, step.Method, path, body, resp.StatusCode, answer)
	}

	// Files are at another address, which nothing describes.
	described := p.Description != nil && strings.HasPrefix(path, p.BaseURL)
	if err := p.check(step, resp.StatusCode, string(answer)); err != nil || !described {
		return err
	}
	return p.Description.CheckAnswer(resp, []byte(body), answer)
}

func (p *Player) check(step Step, status int, answer string) error {
	if status != step.Status {
		return fmt.Errorf("want status %d, got %d: %.500s", step.Status, status, answer)
	}

	want, err := p.fill(step.Want)
	if err != nil {
		return err
	}

	if text, ok := strings.CutPrefix(want, "~ "); ok {
		if re, err := regexp.Compile("(?s)" + text); err != nil || !re.MatchString(answer) {
			return fmt.Errorf("want a text that matches %s (%v), got %.2000s", text, err, answer)
		}
		return nil
	}

	if want == "" || answer == "" {
		if strings.TrimSpace(answer) != want {
			return fmt.Errorf("want body %q, got %.500q", want, answer)
		}
		return nil
	}

	wantValue, err := decode(want)
	if err != nil {
		return fmt.Errorf("expected body: %w", err)
	}

	got, err := decode(answer)
	if err != nil {
		return err
	}

	found := make(map[string]string)
	if err := match("body", wantValue, got, found); err != nil {
		return err
	}

	maps.Copy(p.Known, found)

	return nil
}

var variable = regexp.MustCompile(`\{\{([a-z_0-9]+)\}\}`)

// fill replaces each {{name}} by its value.
func (p *Player) fill(text string) (string, error) {
	var missing error
	filled := variable.ReplaceAllStringFunc(text, func(m string) string {
		value, ok := p.Known[m[2:len(m)-2]]
		if !ok {
			missing = fmt.Errorf("%s is not known at this step", m)
		}
		return value
	})
	return filled, missing
}
