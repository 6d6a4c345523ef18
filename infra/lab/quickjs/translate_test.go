package main

import (
	"strings"
	"testing"
)

// translated is the body of a function of one parameter and result, both i32.
func translated(code ...byte) string {
	m := &module{
		types: []signature{{in: []byte{i32}, out: []byte{i32}}}, kinds: []int{0}, names: map[int]string{0: "f"},
		globals: []global{{kind: i32}}, code: []*reader{{bytes: append([]byte{0}, code...)}},
	}
	text := translate(m)
	_, body, _ := strings.Cut(text, "func c_f(")
	return strings.Join(strings.Fields(body), " ")
}

func TestFunctions(t *testing.T) {
	for name, c := range map[string]struct {
		code []byte
		has  []string
		not  string
	}{
		"a condition that is used at once": {
			[]byte{0x20, 0, 0x41, 5, 0x48, 0x04, 0x7f, 0x41, 7, 0x05, 0x41, 9, 0x0b, 0x0b}, // l0 < 5 ? 7 : 9
			[]string{"if !(int32(l0) < int32(uint32(5)))", "s0i = uint32(7) goto label2", "s0i = uint32(9) label2: return s0i"}, "",
		},
		"a loop asks whether to stop": {
			[]byte{0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 0, 0x0b}, // while (--l0)
			[]string{"label2: vm.loop()", "l0 = s0i if l0 != 0 { goto label2 }", "return l0"}, "",
		},
		"what nothing gets to is left out": {
			[]byte{0x02, 0x7f, 0x20, 0, 0x0f, 0x41, 3, 0x0b, 0x0b}, // { return l0; 3 }
			[]string{"return l0 }"}, "uint32(3)",
		},
		"a local that changes is read before": {
			[]byte{0x20, 0, 0x41, 1, 0x21, 0, 0x20, 0, 0x6a, 0x0b}, // old l0 + (l0 = 1)
			[]string{"s0i = l0 l0 = uint32(1) s0i = s0i + l0"}, "",
		},
		"a constant that has no sign": {
			[]byte{0x20, 0, 0x41, 0x7f, 0x48, 0x0b}, // l0 < -1
			[]string{"s1i = uint32(4294967295)", "int32(l0) < int32(s1i)"}, "",
		},
	} {
		got := translated(c.code...)
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\n  lacks %s", name, got, want)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %s\n  has %s", name, got, c.not)
		}
	}
}

func TestRefusesOtherFiles(t *testing.T) {
	for _, data := range []string{"", "MZ", "\x00asm\x01\x00\x00\x00\x01\x7f"} {
		if _, err := parse([]byte(data)); err == nil {
			t.Errorf("%q was read", data)
		}
	}
}
