package llm
import ("testing";"os";"encoding/csv";"strings";"encoding/json")
func TestZZ(t *testing.T){
 f,_:=os.Open("/work/shared/data/banking77/train.csv"); rows,_:=csv.NewReader(f).ReadAll()
 tools:=append([]Tool{},desk...)
 tools=append(tools,Tool{Name:"block",Triggers:[]string{"block my card","freeze my card"}},Tool{Name:"activate",Triggers:[]string{"activate my card"}},Tool{Name:"close",Triggers:[]string{"close my account","delete my account"}},Tool{Name:"pin",Triggers:[]string{"change my pin"}},Tool{Name:"refund",Triggers:[]string{"refund"}},Tool{Name:"topup",Triggers:[]string{"top up {amount}"},Parameters:schemaOf(`"amount"`,`"amount":{"type":"number"}`)})
 n:=map[string]int{}
 for _,r:=range rows { if got:=called(t,Request{Messages:user(r[0]),Tools:tools}); got!="" { k:=strings.Fields(got)[0]; n[k]++; if n[k]<=14 {t.Logf("%-20s | %s | %s",got,r[1],strings.ReplaceAll(r[0],"\n"," "))} } }
 t.Log(n, len(rows))
 var d map[string]any; b,_:=os.ReadFile("/work/shared/data/clinc150/val.json"); json.Unmarshal(b,&d); t.Logf("%T %d",d,len(b))
}
func BenchmarkZZ(b *testing.B){ for b.Loop() { use(Request{Messages:user("I would like to know more about the plans that you offer, please, and what they cost a year"),Tools:desk}) } }
