package scenario
import ("testing";"strings";"time";"fmt")
func TestZZ(t *testing.T){
 for _,p:=range []struct{name,s string}{{"-",strings.Repeat("- ",200000)},{"[",strings.Repeat("[",200000)},{"?",strings.Repeat("? ",200000)},{"{",strings.Repeat("{a: ",200000)}, {"!",strings.Repeat("!a ",200000)}} {
  t0:=time.Now(); _,err:=Parse([]byte(p.s),"f"); e:=""; if err!=nil{e=err.Error()}; if len(e)>150{e=e[:150]}
  fmt.Println(p.name,len(p.s),time.Since(t0),e)
 }}
