// Package stalemate runs a controller through stalemate as a Go test: one subtest per property, one failure per finding.
//
// Copy this file into your repository (for example to internal/stalemate). It needs no Node on PATH: it calls the standalone program or the
// image. The test needs a timeout that covers the budget and the shrinking: go test -timeout 20m.
package stalemate

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Options configure the call, which is stalemate ci ARGS -- COMMAND.
type Options struct {
	// Stalemate is the program to call. It defaults to the words of $STALEMATE, or to "stalemate". For the image, use docker run --rm --init
	// --user UID:GID -v FOLDER:/work stalemate
	Stalemate []string
	// Args are flags of "stalemate ci": --config, --crds, --sample, --budget and so on.
	Args []string
	// Command is the controller with its arguments, including {kubeconfig}. If empty, the configuration names the target.
	Command []string
	// Dir is the working directory, to which paths are relative. It defaults to the folder of the test.
	Dir string
}

// line has the fields that this package reads from a line of the "jsonl" report (docs/schemas/run.schema.json).
type line struct {
	Type, Name, Property, Sentence, Story, Result, About string

	Fails, Vacuous, Untested bool
	Holds, Violated          int
	Warnings                 []string
}

// Run runs a campaign and fails t if the campaign fails.
func Run(t *testing.T, o Options) {
	t.Helper()
	words := o.Stalemate
	if len(words) == 0 {
		words = strings.Fields(os.Getenv("STALEMATE"))
	}
	if len(words) == 0 {
		words = []string{"stalemate"}
	}
	called := strings.Join(words, " ")
	words = slices.Concat(words, []string{"ci", "--report", "jsonl=-"}, o.Args)
	if len(o.Command) > 0 {
		words = slices.Concat(words, []string{"--"}, o.Command)
	}
	command := exec.CommandContext(t.Context(), words[0], words[1:]...)
	command.Dir = o.Dir
	// On an interrupt, stalemate stops its targets and reports what it has found.
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	command.WaitDelay = 30 * time.Second
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err := command.Run()
	lines := read(t, out.Bytes())
	if len(lines) == 0 {
		t.Fatalf("%s\n%v: no result of %q; STALEMATE names the program, or the command that runs the image", said.String(), err, words)
	}
	for i := range lines {
		lines[i].Story = strings.ReplaceAll(lines[i].Story, "npx stalemate", called)
	}
	tell(t, lines)
	if err != nil && !t.Failed() {
		// Exit code 3: too little contention, or a problem of the environment.
		t.Errorf("%s\n%v, without a finding", said.String(), err)
	}
}

func read(t *testing.T, out []byte) (lines []line) {
	t.Helper()
	for _, text := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		var one line
		if len(text) == 0 {
			continue
		}
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatalf("stdout of stalemate holds %q, expected lines of JSON: %v", text, err)
		}
		lines = append(lines, one)
	}
	return lines
}

func tell(t *testing.T, lines []line) {
	for _, one := range lines {
		switch one.Type {
		case "scenario":
			for _, warning := range one.Warnings {
				t.Log("warning: " + warning)
			}
		case "property":
			t.Run(one.Name, func(t *testing.T) { judge(t, one, lines) })
		case "kept":
			t.Run("kept/"+one.Name, func(t *testing.T) {
				switch one.Result {
				case "passed":
				case "aside":
					t.Skip(one.About)
				default:
					t.Error(one.Sentence + "\n" + one.About)
				}
			})
		}
	}
}

func judge(t *testing.T, property line, lines []line) {
	for _, one := range lines {
		switch {
		case one.Type != "finding" || one.Property != property.Name:
		case one.Fails:
			t.Error("\n" + one.Story)
		default:
			t.Log("reported only:\n" + one.Story)
		}
	}
	switch {
	case property.Holds+property.Violated == 0:
		t.Skip("no run could evaluate it")
	case property.Vacuous || property.Untested:
		t.Skip("no run exercised it")
	}
}
