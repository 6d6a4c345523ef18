package units

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Ceilings are what each request may use at most, by its name.
type Ceilings map[string]Usage

// kinds are what is held to a ceiling, in the order it is told.
var kinds = []struct {
	name string
	of   func(*Usage) *float64
}{
	{"DynamoDB calls", func(u *Usage) *float64 { return &u.Calls }},
	{"read units", func(u *Usage) *float64 { return &u.Read }},
	{"write units", func(u *Usage) *float64 { return &u.Write }},
	{"SQS requests", func(u *Usage) *float64 { return &u.SQS }},
	{"invocations", func(u *Usage) *float64 { return &u.Invocations }},
	{"KMS requests", func(u *Usage) *float64 { return &u.Keys }},
	{"HTTP requests", func(u *Usage) *float64 { return &u.HTTP }},
	{"DynamoDB calls by streams", func(u *Usage) *float64 { return &u.Stream.Calls }},
	{"read units by streams", func(u *Usage) *float64 { return &u.Stream.Read }},
	{"write units by streams", func(u *Usage) *float64 { return &u.Stream.Write }},
	{"invocations by streams", func(u *Usage) *float64 { return &u.Stream.Invocations }},
}

// ReadCeilings reads a file that Write has written.
func ReadCeilings(path string) (Ceilings, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c Ceilings
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Write writes the ceilings, requests sorted by name.
func (c Ceilings) Write(path string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Exceeded says what of a request grew beyond its ceiling and by how much.
func (c Ceilings) Exceeded(request string, used Usage) []string {
	most, known := c[request]
	if !known {
		return []string{"has no ceiling"}
	}
	var out []string
	for _, kind := range kinds {
		n, limit := *kind.of(&used), *kind.of(&most)
		if n > limit {
			out = append(out, fmt.Sprintf("%g %s, at most %g (+%g)", n, kind.name, limit, n-limit))
		}
	}
	return out
}

// Lower returns the ceilings of these requests, lowered to what they used. None is
// raised: whoever must do that writes it into the file by hand.
func (c Ceilings) Lower(used Ceilings) Ceilings {
	out := Ceilings{}
	for request, u := range used {
		if most, known := c[request]; known {
			for _, kind := range kinds {
				n := kind.of(&u)
				*n = min(*n, *kind.of(&most))
			}
		}
		out[request] = u
	}
	return out
}

// Gone returns the ceilings whose request is not among names.
func (c Ceilings) Gone(names []string) []string {
	var out []string
	for request := range c {
		if !slices.Contains(names, request) {
			out = append(out, request)
		}
	}
	slices.Sort(out)
	return out
}
