package action

import (
	"encoding/json"
	"fmt"
)

// Partial is the result of an attempt at a message to many recipients that has got some way: progress is handed to the
// next attempt, and the log shows the counts.
func Partial(progress, counts any) (Result, error) {
	state, err := json.Marshal(progress)
	if err != nil {
		return Result{}, fmt.Errorf("state of the messages: %w", err)
	}
	response, err := json.Marshal(counts)
	if err != nil {
		return Result{}, fmt.Errorf("answer of the messages: %w", err)
	}
	return Result{Response: string(response), State: state}, nil
}

// Finished is the result of a run whose recipients are all done, with the counts for the log and how many messages have
// an unknown fate: then it is Interrupted. Its state is empty, because a replay begins again and finds what was sent.
func Finished(counts any, unknown int) (Result, error) {
	r, err := Partial(struct{}{}, counts)
	if err == nil && unknown > 0 {
		err = Permanent(Interrupted,
			"of %d messages it is unknown whether they were sent; a replay sends them, perhaps for the second time", unknown)
	}
	return r, err
}

// Continue reads the progress that the attempt before has left; the zero one where there is none.
func Continue[P any](w Work) (progress P, err error) {
	if w.State == nil {
		return progress, nil
	}
	if err := json.Unmarshal(w.State, &progress); err != nil {
		return progress, fmt.Errorf("state of the messages: %w", err)
	}
	return progress, nil
}
