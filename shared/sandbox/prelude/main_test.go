package prelude

import "testing"

func TestConsolePrints(t *testing.T) {
	r := newRealm(t, map[string]string{"KEY": "value"})
	got := r.eval(`console.log("a", 1, true, null, undefined); console.warn({a: 1, b: [1, 2, {c: new Map([["k", new Set([1])]])}]}); console.error("%s is %d", "x", 5);
	console.log(process.env); setTimeout(() => console.log("later"), 10); queueMicrotask(() => console.log("soon")); class A { x = 1; f() {} } console.log(A, new A, [new A().f, async () => {}, function* g() {}]);
	console.log(new Error("no"));`)
	t.Log(got)
}
