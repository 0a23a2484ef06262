package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cogen-go/cogen/internal/service"
)

// patience is how long a server may take to start, to report and to end.
const patience = 20 * time.Second

// A Server is one of the example servers, or another that speaks as package
// service does, running as a process of its own.
type Server struct {
	// Addr is where it listens.
	Addr string

	cmd    *exec.Cmd
	lines  chan string // of its output; closed at the end
	stderr bytes.Buffer
	ended  bool
}

// Start starts the program on a free port of the loopback interface, with
// variables added to its environment.
func Start(program string, env ...string) (*Server, error) {
	s := &Server{cmd: exec.Command(program, "-addr", "127.0.0.1:0"), lines: make(chan string, 16)}
	s.cmd.Env = append(os.Environ(), env...)
	s.cmd.Stderr = &s.stderr
	// The server must not outlive this process, however that ends.
	s.cmd.SysProcAttr = dieWithParent()
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go s.readLines(out)
	line, err := s.line()
	if err != nil {
		s.Kill()
		return nil, fmt.Errorf("start %s: %w\n%s", program, err, &s.stderr)
	}
	addr, ok := strings.CutPrefix(line, "listening on ")
	if !ok {
		s.Kill()
		return nil, fmt.Errorf("start %s: unexpected output %q", program, line)
	}
	s.Addr = addr
	return s, nil
}

func (s *Server) readLines(out io.Reader) {
	defer close(s.lines)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		s.lines <- lines.Text()
	}
}

func (s *Server) line() (string, error) {
	select {
	case line, ok := <-s.lines:
		if !ok {
			return "", io.ErrUnexpectedEOF
		}
		return line, nil
	case <-time.After(patience):
		return "", errors.New("the server says nothing")
	}
}

func (s *Server) report() (service.Report, error) {
	line, err := s.line()
	if err != nil {
		return service.Report{}, fmt.Errorf("report of the server: %w\n%s", err, &s.stderr)
	}
	r, ok := service.ParseReport(line)
	if !ok {
		return r, fmt.Errorf("report of the server: %q", line)
	}
	return r, nil
}

// Report asks the server for a report.
func (s *Server) Report() (service.Report, error) {
	if err := askForReport(s.cmd.Process); err != nil {
		return service.Report{}, err
	}
	return s.report()
}

// Stop asks the server to end, and returns the report it ends with. It is an
// error if the server does not exit with status 0.
func (s *Server) Stop() (service.Report, error) {
	defer s.Kill()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return service.Report{}, err
	}
	r, err := s.report()
	if err != nil {
		return r, err
	}
	killed := time.AfterFunc(patience, func() { s.cmd.Process.Kill() })
	defer killed.Stop()
	for range s.lines {
	}
	s.ended = true
	if err := s.cmd.Wait(); err != nil {
		return r, fmt.Errorf("server: %w\n%s", err, &s.stderr)
	}
	return r, nil
}

// Kill ends the server if it has not ended. It can always be called.
func (s *Server) Kill() {
	if s.ended {
		return
	}
	s.ended = true
	s.cmd.Process.Kill()
	for range s.lines {
	}
	s.cmd.Wait()
}

// Resident returns the server's resident memory in bytes.
func (s *Server) Resident() (int64, error) {
	status, err := os.ReadFile(s.proc("status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("no VmRSS in %s", s.proc("status"))
}

func (s *Server) proc(name string) string {
	return fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, name)
}

// CPU returns the processor time that the server has used.
func (s *Server) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(s.proc("stat"))
	if err != nil {
		return 0, err
	}
	// The second field is the program's name in parentheses and may hold
	// anything; utime and stime are the 14th and the 15th (proc_pid_stat(5)).
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s has %d fields", s.proc("stat"), len(fields))
	}
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.proc("stat"), err)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / clockTicks), nil
}

// clockTicks is USER_HZ, which is 100 on every architecture that Go has.
const clockTicks = 100
