package requests

import "fmt"

// Each change of many records adds another power of ten to a column of theirs: its digits tell how often each change
// met a record.

// power is 10^n.
func power(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// digits counts the changes that met a record, by the marks of the two.
func digits(found map[string]int, record string, sum int64) {
	for n := 0; sum > 0; n, sum = n+1, sum/10 {
		if sum%10 > 0 {
			found[digit(n, record)] = int(sum % 10)
		}
	}
}

// digit is the mark of a change of a record.
func digit(n int, record string) string { return fmt.Sprintf("%d/%s", n, record) }
