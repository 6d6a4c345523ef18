package sandboxtest

// expression is JavaScript and the JSON of its value.
type expression struct{ code, data string }

var expressions = []expression{{`1 + 1`, `2`}}
