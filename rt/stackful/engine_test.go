package stackful

import "testing"

func TestEngineIsReported(t *testing.T) {
	t.Logf("%s %s", EngineName(), EngineReason())
}
