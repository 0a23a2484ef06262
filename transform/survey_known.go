package transform

import (
	"go/types"
	"slices"
	"strings"
)

// blockingFuncs are functions of the standard library, by their full names, that can
// block the thread, or park the goroutine, for as long as something outside takes, and
// have no companion. Reading a file is among them: the runtime does that in a pool.
var blockingFuncs = func() map[string]bool {
	names := strings.Fields(`
		(*os.File).Read (*os.File).ReadAt (*os.File).ReadFrom (*os.File).Write (*os.File).WriteAt
		(*os.File).WriteTo (*os.File).WriteString (*os.File).Sync (*os.File).ReadDir
		os.ReadFile os.WriteFile os.ReadDir
		(*os.Process).Wait
		(*os/exec.Cmd).Run (*os/exec.Cmd).Output (*os/exec.Cmd).CombinedOutput (*os/exec.Cmd).Wait
		(*sync.Once).Do
		net.Dial net.DialTimeout net.DialTCP net.DialUDP net.DialUnix
		(*net.Dialer).Dial (*net.Dialer).DialContext
		net.LookupAddr net.LookupCNAME net.LookupHost net.LookupIP net.LookupMX net.LookupNS net.LookupPort net.LookupSRV net.LookupTXT
		(*net.Resolver).LookupAddr (*net.Resolver).LookupHost (*net.Resolver).LookupIP (*net.Resolver).LookupIPAddr (*net.Resolver).LookupNetIP
		(*net.conn).Read (*net.conn).Write (*net.TCPListener).Accept (*net.TCPListener).AcceptTCP
		(*net.UDPConn).ReadFrom (*net.UDPConn).ReadFromUDP (*net.UDPConn).WriteTo
		(*net.UnixListener).Accept (*net.UnixListener).AcceptUnix
		net/http.Get net/http.Head net/http.Post net/http.PostForm net/http.ListenAndServe net/http.ListenAndServeTLS net/http.Serve
		(*net/http.Client).Do (*net/http.Client).Get (*net/http.Client).Head (*net/http.Client).Post (*net/http.Client).PostForm
		(*net/http.Server).ListenAndServe (*net/http.Server).Serve (*net/http.Server).Shutdown
		(*database/sql.DB).Exec (*database/sql.DB).ExecContext (*database/sql.DB).Query (*database/sql.DB).QueryContext
		(*database/sql.DB).Ping (*database/sql.DB).PingContext (*database/sql.DB).Begin (*database/sql.DB).BeginTx
		(*database/sql.Stmt).Exec (*database/sql.Stmt).Query (*database/sql.Tx).Exec (*database/sql.Tx).Query (*database/sql.Tx).Commit
		fmt.Scan fmt.Scanf fmt.Scanln
	`)
	out := make(map[string]bool, len(names))
	for _, name := range names {
		out[name] = true
	}
	return out
}()

// quietPackages only compute.
var quietPackages = strings.Fields(`bytes cmp context encoding/base64 encoding/binary encoding/hex errors hash/crc32 hash/fnv
	maps math math/big math/bits math/cmplx math/rand math/rand/v2 net/netip path path/filepath reflect runtime slices sort
	strconv strings sync/atomic time unicode unicode/utf16 unicode/utf8 unique unsafe`)

// isQuiet reports whether a call of fn is certain not to wait.
func isQuiet(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return true // Error of error
	}
	if path := fn.Pkg().Path(); !slices.Contains(quietPackages, path) {
		// Unlocking, and what else package sync has without a companion.
		return path == "sync" && !blockingFuncs[fn.Origin().FullName()]
	}
	if fn.Pkg().Path() == "time" && fn.Name() == "Sleep" {
		return false
	}
	if fn.Pkg().Path() == "context" || fn.Pkg().Path() == "errors" {
		return true
	}
	for v := range fn.Signature().Params().Variables() {
		t := v.Type().Underlying()
		if _, ok := t.(*types.Signature); ok || types.IsInterface(t) && !isTypeParam(v.Type()) {
			return false
		}
	}
	return true
}
