package conformance

import (
	"context"
	"fmt"
	"strings"

	"minicloud/shared/id"
)

// Difference is a step at which an implementation answers something else than AWS.
type Difference struct {
	Group, Step    string
	Implementation string
	Want, Got      Answer
	Why            string // "" = unexplained
}

// Report is what playing the corpus found.
type Report struct {
	Steps       int
	Differences []Difference
	Stale       []string // explanations of differences that are not there
}

// Play plays all groups on one implementation.
func (c Corpus) Play(ctx context.Context, on Implementation) (Report, error) {
	var report Report
	for _, g := range c.Groups {
		if _, cannot := g.Not[on.Name]; cannot || !on.Plays(g) {
			continue
		}
		if err := c.playGroup(ctx, on, g, &report); err != nil {
			return report, fmt.Errorf("%s on %s: %w", g.Group, on.Name, err)
		}
	}
	return report, nil
}

func (c Corpus) playGroup(ctx context.Context, on Implementation, g Group, report *Report) error {
	stage, err := on.Begin(ctx, g)
	if err != nil {
		return err
	}
	defer stage.End()
	known := map[string]string{"run": id.Hex(8)}
	for _, q := range g.Queues {
		known[q.Name] = stage.queueURL(q.Name)
	}

	for _, step := range g.Steps {
		stage.Wait(step.pause())
		got, raw, err := stage.Call(ctx, step.Call, step.input(g, known))
		if err != nil {
			return fmt.Errorf("%s: %w", step.Does, err)
		}
		report.Steps++
		for name, path := range step.Keep {
			if known[name], err = at(raw, path); err != nil {
				known[name] = err.Error() // the step that needs it differs, too
			}
		}

		want := Answer{step.Refuses, level("", fill(plain(step.Gives), known))}
		if on.Unasked {
			got.Gives = withoutCapacity(got.Gives, step.With["ReturnConsumedCapacity"] != nil)
		}
		got.Gives = like(want.Gives, got.Gives)
		got.Refuses = unfill(got.Refuses, known)
		why := c.reason(step, on.Name)
		switch same := got.String() == want.String(); {
		case same && why != "":
			report.Stale = append(report.Stale, fmt.Sprintf("%s: %s: %s answers as AWS: %q is not needed",
				g.Group, step.Does, on.Name, why))
		case !same:
			if step.Why[on.Name] == wording && !sameButWording(got, want) {
				why = ""
			}
			report.Differences = append(report.Differences, Difference{g.Group, step.Does, on.Name, want, got, why})
		}
	}
	return nil
}

// unfill names kept values in an error's message.
func unfill(text string, known map[string]string) string {
	for name, value := range known {
		// Short ones may stand in any message.
		if len(value) > 20 {
			text = strings.ReplaceAll(text, value, "${"+name+"}")
		}
	}
	return text
}

func withoutCapacity(gives any, asked bool) any {
	if object, ok := gives.(map[string]any); ok {
		delete(object, "ItemCollectionMetrics")
		if !asked {
			delete(object, "ConsumedCapacity")
		}
	}
	return gives
}

// wording is the reason that allows another message.
const wording = "wording"

// input writes a step's input out. Calls of one table or queue name the group's first where they name none.
func (s Step) input(g Group, known map[string]string) any {
	in, _ := fill(s.With, known).(map[string]any)
	if in == nil {
		in = map[string]any{}
	}
	switch s.Call {
	case "GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "DescribeTable", "DescribeTimeToLive",
		"UpdateTimeToLive":
		if in["TableName"] == nil && len(g.Tables) > 0 {
			in["TableName"] = strings.TrimSuffix(g.Tables[0], "*")
		}
	}
	if len(g.Queues) > 0 && in["QueueUrl"] == nil && s.Call != "SQS.GetQueueUrl" && s.Call != "SQS.ListQueues" {
		in["QueueUrl"] = known[g.Queues[0].Name]
	}
	return in
}

// String writes a difference for the list that make conformance prints.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s\n    AWS   %.600s\n    %-5s %.600s\n    why   %s",
		d.Group, d.Step, d.Want, d.Implementation, d.Got, d.Why)
}
