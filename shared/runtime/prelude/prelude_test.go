package prelude

import (
	"testing"
)

func TestServesEveryModule(t *testing.T) {
	for _, name := range Modules() {
		if _, ok := Module(name); !ok {
			t.Errorf("Module(%q) is missing", name)
		}
	}
	if _, ok := Module("main"); ok {
		t.Error("main is served as a module")
	}
}
