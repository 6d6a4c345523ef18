package process
import ("testing")
func BenchmarkConsole(b *testing.B) { s:=newSupervisor(b); r:=request(`exports.main = async (event) => { console.log('hi', {a:1}); return 1 }`); for b.Loop() { s.must(b,r) } }
func BenchmarkTimer(b *testing.B) { s:=newSupervisor(b); r:=request(`exports.main = async (event) => { await new Promise(ok => setTimeout(ok, 0)); return 1 }`); for b.Loop() { s.must(b,r) } }
