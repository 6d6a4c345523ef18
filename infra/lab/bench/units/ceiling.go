package units

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Ceilings maps the name of each request to its maximum usage.
type Ceilings map[string]Usage

// kinds lists the quantities that have a ceiling, in the order of the report.
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
	{"S3 writes", func(u *Usage) *float64 { return &u.S3Writes }},
	{"S3 reads", func(u *Usage) *float64 { return &u.S3Reads }},
	{"S3 events", func(u *Usage) *float64 { return &u.S3Events }},
	{"DynamoDB calls by streams", func(u *Usage) *float64 { return &u.Stream.Calls }},
	{"read units by streams", func(u *Usage) *float64 { return &u.Stream.Read }},
	{"write units by streams", func(u *Usage) *float64 { return &u.Stream.Write }},
	{"invocations by streams", func(u *Usage) *float64 { return &u.Stream.Invocations }},
}

// rise is the growth of a price that is reported.
const rise = 1.05

// Dearer returns how much more a million of a request costs than its stored price, "" if it is less than 5 %.
func (c Ceilings) Dearer(request string, used Usage) string {
	if was := c[request].Dollars; used.Dollars > was*rise {
		return fmt.Sprintf("$%.2f per million, stored are $%.2f", used.Dollars, was)
	}
	return ""
}

// ReadCeilings reads a file that Write has written. It returns an error if the file is missing or is not valid JSON.
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

// Exceeded returns a description of each quantity of a request above its ceiling, with the excess.
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

// Lower returns the ceilings of these requests, lowered to the measured usage. It never raises a ceiling: that takes
// an edit of the file.
func (c Ceilings) Lower(used Ceilings) Ceilings {
	out := Ceilings{}
	for request, u := range used {
		if most, known := c[request]; known {
			for _, kind := range kinds {
				n := kind.of(&u)
				*n = min(*n, *kind.of(&most))
			}
			// Log bytes have no ceiling of their own: they are part of the price.
			if most.Logged > 0 {
				u.Logged = min(u.Logged, most.Logged)
			}
		}
		u.Dollars = u.dollars()
		out[request] = u
	}
	return out
}

// Gone returns, sorted, the requests that have a ceiling but are not in names.
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
