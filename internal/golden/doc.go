// Package golden runs the cases of testdata/golden: small packages that show
// one corner of the language or of the runtime each, and what cogen must make
// of it. It holds tests only; docs/testing.md says how to add a case.
package golden
