package query

import "fmt"

// DidYouMean returns ", did you mean …?" with the known name most similar to name, or "" if none is within two typing
// errors.
func DidYouMean(name string, known []string) string {
	nearest, errors := "", 3
	for _, candidate := range known {
		if d := distance(name, candidate); d < errors && d < len(candidate) {
			nearest, errors = candidate, d
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", nearest)
}

// distance returns the edit distance of a and b in bytes. If their lengths differ by more than 2, it returns a large
// number.
func distance(a, b string) int {
	const far = 1 << 10
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return far
	}

	row := make([]int, len(b)+1) // current row of the edit distance table
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal, row[j+1] = row[j+1], min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
