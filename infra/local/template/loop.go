package template

import "fmt"

// checkLoops compares RecursiveLoop with the queues that functions send to: Lambda stops a chain of messages that comes
// back to the same function after about 16 rounds, unless the function allows it. Where nothing comes back, the
// protection stays.
func (b *builder) checkLoops() {
	for _, f := range b.out.Functions {
		switch loops := b.reaches(f, f, map[*Function]bool{}); {
		case loops && !f.loops:
			b.fail(fmt.Errorf("%s: messages that it sends come back to it, so Lambda stops it after 16 rounds; "+
				"declare RecursiveLoop: Allow", f.ID))
		case !loops && f.loops:
			b.fail(fmt.Errorf("%s: RecursiveLoop: Allow, but no message that it sends comes back to it", f.ID))
		}
	}
}

// reaches says whether messages of from, or of what they start, come to the function.
func (b *builder) reaches(from, to *Function, seen map[*Function]bool) bool {
	for _, next := range b.out.Functions {
		if seen[next] || !b.sendsTo(from, next) {
			continue
		}
		seen[next] = true
		if next == to || b.reaches(next, to, seen) {
			return true
		}
	}
	return false
}

// sendsTo says whether one function may send to a queue that feeds the other.
func (b *builder) sendsTo(from, to *Function) bool {
	for _, e := range to.Queues {
		if Allowed(from.Grants, "sqs:SendMessage", b.arn("sqs", e.Queue), "") {
			return true
		}
	}
	return false
}
