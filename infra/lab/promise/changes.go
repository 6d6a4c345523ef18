package promise

import "fmt"

// Changes of many records are told apart by digits: change n adds 10^n to a column of each record, so the nth digit of
// a record says how often that change has met it.

// Power is 10^n, what change n adds.
func Power(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// Met is the mark of a change that has met a record.
func Met(n int, record string) string { return fmt.Sprintf("%d/%s", n, record) }

// Digits counts in found how often each change has met a record whose column is sum.
func Digits(found map[string]int, record string, sum int64) {
	for n := 0; sum > 0; n, sum = n+1, sum/10 {
		if sum%10 > 0 {
			found[Met(n, record)] = int(sum % 10)
		}
	}
}

// Partly looks for changes that met only some of the records. One without an answer may have been accepted or not, and
// what was accepted is done to its end.
func Partly(found map[string]int, changes int, records []string) (t Tally) {
	for n := range changes {
		met := 0
		for _, record := range records {
			met += min(found[Met(n, record)], 1)
		}
		if met < len(records) {
			t.Trouble(&t.Lost, min(met, 1), "change %d met %d of %d records", n, met, len(records))
		}
	}
	return t
}
