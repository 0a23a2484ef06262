//go:build race

package golden

// raceDetector says that the programs are to be built with the race detector,
// because the test was.
const raceDetector = true
