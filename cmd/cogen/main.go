// Command cogen generates state machines for functions marked //cogen:async.
//
//	//go:generate go tool cogen
//
// See cogen -h for its flags, and package
// [github.com/cogen-go/cogen/transform] for what it does.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
