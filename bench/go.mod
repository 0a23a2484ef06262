module github.com/cogen-go/cogen/bench

go 1.26.0

require github.com/cogen-go/cogen v0.0.0

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/cogen-go/cogen => ../

tool github.com/cogen-go/cogen/cmd/cogen
