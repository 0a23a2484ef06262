package transform
import ("testing";"fmt";"sort";"regexp";"os";"strconv";"strings")
func TestZZ(t *testing.T){
 imp,err:=fuzzImporter(); if err!=nil{t.Fatal(err)}
 n,ok,bad:=0,0,map[string]int{}
 ex:=map[string]string{}
 N,_:=strconv.Atoi(os.Getenv("ZZN"))
 start,_:=strconv.Atoi(os.Getenv("ZZS"))
 re:=regexp.MustCompile(`[0-9]+`)
 diags:=map[string]int{}
 for path,src:=range goldenSources(t){ if strings.Contains(path,"local_type"){continue}
 for seed:=start;seed<start+N;seed++{
 n++
 s,y:=markAll(mutate(src, uint64(seed), imp)); if !y {continue}
 func(){
 prog := checkFiles(Options{}, "example.com/fuzz", map[string]string{"x.go": s}, imp)
 r,err:=prog.generate(compilePackage)
 key:=""
 if err!=nil { key=re.ReplaceAllString(strings.Split(err.Error(),"\n")[0],"N") 
 } else if r.Failed(){ for _,d:=range r.Diagnostics { if d.Severity==Error { diags[d.Code]++; break} }; return } else { for _,d:=range r.Diagnostics {diags[d.Code+" warn"]++}; ok++; return }
 bad[key]++; if ex[key]==""||len(s)<len(ex[key]) {ex[key]=s}
 }()
 }}
 fmt.Println(n, ok, diags)
 keys:=[]string{}; for k:=range bad{keys=append(keys,k)}; sort.Slice(keys,func(i,j int)bool{return bad[keys[i]]>bad[keys[j]]})
 for i,k:=range keys { fmt.Println(bad[k], k[:min(len(k),200)]); os.WriteFile(fmt.Sprintf("/tmp/zz/%02d.go",i),[]byte("// "+k+"\n"+ex[k]),0o644) }
}
