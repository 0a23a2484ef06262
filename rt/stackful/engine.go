package stackful

import (
	"fmt"
	"os"
	"sync"
)

// An engine makes stacks and switches to and from them.
type engine interface {
	// name is for reports: "portable" or "exchange".
	name() string
	// equip gives r, which is new, a stack and the function that switches. Main
	// will be called on the stack when it is resumed for the first time. It is called
	// by home.
	equip(r *Runner, main func())
}

// A stack is one engine's part of a [Runner].
type stack interface {
	// doom is told that the runner is dying, before it is resumed for the last time.
	doom()
	// rehome makes the caller the home of the stack, which is suspended.
	rehome() error
}

// choice is the engine that new runners use, and if that is not the exchange
// engine, why.
type choice struct {
	engine engine
	reason string
}

// chosen is made when the first runner is, or when somebody asks.
var chosen = sync.OnceValue(func() choice { return choose(os.Getenv(variable)) })

// variable is the environment variable that forces an engine.
const variable = "COGEN_STACKFUL"

func choose(want string) choice {
	switch want {
	case "portable":
		return choice{portable{}, variable + " asks for portable"}
	case "", "exchange":
		e, err := newExchange()
		switch {
		case err == nil:
			return choice{e, ""}
		case want == "":
			return choice{portable{}, err.Error()}
		default:
			panic(fmt.Sprintf("stackful: %s asks for exchange: %v", variable, err))
		}
	default:
		panic(fmt.Sprintf("stackful: %s=%q: want portable or exchange", variable, want))
	}
}

// EngineName returns the name of the engine that switches runners, "exchange"
// or "portable".
func EngineName() string { return chosen().engine.name() }

// EngineReason says why the engine is not exchange, the faster one; it is empty
// if it is.
func EngineReason() string { return chosen().reason }
