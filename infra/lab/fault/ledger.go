package fault

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"time"

	"minicloud/infra/lab/promise"
)

// The states of a request, as its client knows them after the last answer; the zero value is unknown.
const (
	unknown      = promise.May
	acknowledged = promise.Must
	refused      = promise.Never
)

// effect is a request that has one effect. What the effect leaves carries its mark.
type effect struct {
	mark  string
	known promise.Need
	said  string // the refusal

	// Of a request that was repeated with its key: how long until it was answered,
	// and what is wrong with the answers, "" when nothing is.
	took  time.Duration
	wrong string
}

// effects holds requests against how often each one's mark was found.
func (t *Result) effects(requests []effect, found map[string]int) {
	var asked promise.Ledger
	why := map[string]string{}
	for _, e := range requests {
		asked.Ask(e.mark, e.known)
		why[e.mark] = e.said
		t.request(e)
	}
	t.Add(asked.Judge(promise.Found{Times: found, Why: why}))
}

// request counts a request, and judges its answers.
func (t *Result) request(e effect) {
	t.Count(e.known)
	if e.wrong != "" {
		t.trouble(&t.Lost, "%q: %s", e.mark, e.wrong)
	}
	if e.took > 0 {
		t.took(e.took, e.mark+" was answered")
	}
}

// addition is a request that adds an amount to a sum.
type addition struct {
	effect
	sum    string
	amount uint
}

// sums holds additions against what the sums are: each must be what was
// acknowledged and some of what is unknown.
func (t *Result) sums(requests []addition, found map[string]int64) {
	certain, possible := map[string]int64{}, map[string]*big.Int{}
	for sum := range found {
		possible[sum] = big.NewInt(1) // bit n: the unknown ones may be n together
	}

	for _, a := range requests {
		t.request(a.effect)
		switch {
		case possible[a.sum] == nil:
			t.trouble(&t.Lost, "there is no sum %q", a.sum)
		case a.known == acknowledged:
			certain[a.sum] += int64(a.amount)
		case a.known == unknown:
			with := new(big.Int).Lsh(possible[a.sum], a.amount)
			possible[a.sum].Or(possible[a.sum], with)
		}
	}

	for _, sum := range sorted(found) {
		t.sum(sum, found[sum]-certain[sum], possible[sum])
	}
}

// sum judges what a sum is beyond what is certain.
func (t *Result) sum(name string, over int64, possible *big.Int) {
	most := int64(possible.BitLen() - 1)

	switch {
	case over < 0:
		t.trouble(&t.Lost, "sum %q is %d less than what was acknowledged", name, -over)
	case over > most:
		t.trouble(&t.Doubled, "sum %q is %d more than what was acknowledged, at most %d may be", name, over, most)
	case possible.Bit(int(over)) == 0:
		t.trouble(&t.Doubled, "sum %q is %d more than what was acknowledged, which is no sum of unknown ones", name, over)
	}
}

// same holds two sets of names against each other: what should be there, and
// what is.
func (t *Result) same(where string, should, is map[string]int) {
	for _, name := range sorted(should) {
		if is[name] == 0 {
			t.trouble(&t.Lost, "%s: %q is missing", where, name)
		}
	}
	for _, name := range sorted(is) {
		if is[name] > 1 || should[name] == 0 {
			t.trouble(&t.Doubled, "%s: %q is there %d times, not %d", where, name, is[name], should[name])
		}
	}
}

// total holds a number that the platform says against a recount.
func (t *Result) total(of string, said, counted int) {
	t.Count(acknowledged)

	switch {
	case said < counted:
		t.trouble(&t.Lost, "the total of %s is %d, there are %d", of, said, counted)
	case said > counted:
		t.trouble(&t.Doubled, "the total of %s is %d, there are %d", of, said, counted)
	}
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
