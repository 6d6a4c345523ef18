package promise

import "time"

// Job is what is known of one run of a function: by its caller, by a witness that hears user code begin, and by the
// platform's records.
type Job struct {
	ID       string
	Accepted Need          // whether it must have a record
	Ready    time.Time     // when it may run
	Limit    time.Duration // of its time
	// Cancelled is what its caller was told: Must that it was cancelled, Never that it was not, May where nobody knows or
	// nobody asked.
	Cancelled Need

	Begun   int // how often the witness heard it begin
	Records int
	Status  string // of its record
	Ended   time.Time
}

// lateness is how long after its time limit a job may end (D19), counted from the moment when it may run.
const lateness = 30 * time.Second

// Over is when the job must have ended.
func (j Job) Over() time.Time { return j.Ready.Add(j.Limit + lateness) }

// terminal and unrun are states: those that a job ends in, and of these the ones whose function never began.
var (
	terminal = map[string]bool{
		"fulfilled": true, "execution_failed": true, "deadline_exceeded": true, "execution_rejected": true,
		"schedule_failed": true,
	}
	unrun = map[string]bool{"execution_rejected": true, "schedule_failed": true}
)

// Judge holds a job against D19: it has one record, which is terminal, and its code began at most once. When it ended
// is another question: see Over.
func (j Job) Judge() (t Tally) {
	if j.Records == 0 {
		if j.Accepted == Must || j.Begun > 0 {
			t.Trouble(&t.Lost, 1, "job %s was accepted, or began, and has no record", j.ID)
		}
	} else if !terminal[j.Status] {
		t.Trouble(&t.Late, 1, "job %s is %s", j.ID, j.Status)
	}
	t.Trouble(&t.Doubled, j.Begun-1, "job %s began %d times", j.ID, j.Begun)
	t.Trouble(&t.Doubled, j.Records-1, "job %s has %d records", j.ID, j.Records)

	if j.Status == "fulfilled" && j.Begun == 0 {
		t.Trouble(&t.Lost, 1, "job %s is fulfilled and never began", j.ID)
	}
	if unrun[j.Status] && j.Begun > 0 {
		t.Trouble(&t.Doubled, 1, "job %s began and is recorded as %s", j.ID, j.Status)
	}
	return t
}

// JudgeCancelled holds a job against what the caller of its cancellation was told.
func (j Job) JudgeCancelled() (t Tally) {
	rejected := j.Status == "execution_rejected"
	switch {
	case j.Cancelled == Must && j.Begun > 0:
		t.Trouble(&t.Doubled, 1, "job %s was cancelled and began", j.ID)
	case j.Cancelled == Must && !rejected:
		t.Trouble(&t.Lost, 1, "job %s was cancelled and is %s", j.ID, j.Status)
	case j.Cancelled == Never && rejected:
		t.Trouble(&t.Lost, 1, "the cancellation of job %s was refused and it did not run", j.ID)
	}
	return t
}
