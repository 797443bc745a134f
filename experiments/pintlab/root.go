package pintlab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
)

// Exit codes.
const (
	exitFine        = 0
	exitFailed      = 1 // a run or a check failed, or a claim does not hold
	exitUsage       = 2 // bad input or usage
	exitInterrupted = 130
)

// commands returns all commands. A new command consists of a file with its constructor, a file of help, and a line
// here.
func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{
		compareCommand(p),
		reproduceCommand(p),
		sweepCommand(p),
		plotCommand(p),
		reportCommand(p),
		runCommand(p),
		estimateCommand(p),
		seriesCommand(p), viewCommand(p), notebookCommand(p),
		validateCommand(p), benchCommand(p),
		pintCommand(p),
		intCommand(p),
		fridgeCommand(p),
		p4Command(p),
		sketchCommand(p),
		guardCommand(p),
		listCommand(p), cleanCommand(p),
		presetsCommand(p),
		newCommand(p), schemaCommand(p),
		pythonCommand(p),
		topologyCommand(p),
		workloadCommand(p),
		manCommand(p), versionCommand(p),
	}
}

// Groups of commands in the help.
const (
	groupRun     = "run"
	groupResults = "results"
	groupStudies = "studies"
	groupInputs  = "inputs"
)

// suggestWithin is the largest edit distance between a mistyped command and a command that is suggested instead.
const suggestWithin = 2

// program is the state that all commands share.
type program struct {
	language *scenario.Language
	stdout   *output
	stderr   io.Writer
	grace    time.Duration // time in which a command must end after an interrupt
	noHelp   error         // error of --help for a command that does not exist
}

// interrupts returns a channel that receives the signals that interrupt a command.
func interrupts() chan os.Signal {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	return signals
}

func newProgram(set *protocols.Set, stdout, stderr io.Writer) *program {
	return &program{
		language: scenario.Of(set), stderr: stderr, grace: 800 * time.Millisecond,
		stdout: &output{w: stdout, coloured: coloured(stdout), width: widthOf(stdout)},
	}
}

// start runs the program and returns the exit code. args contains the arguments after the name of the program. The
// first interrupt cancels the command's context; after it, no file gets its final name. The second interrupt ends the
// process.
func (p *program) start(args []string, signals <-chan os.Signal) int {
	root := p.root()
	root.SetArgs(args)
	return p.execute(root, signals)
}

func (p *program) execute(root *cobra.Command, signals <-chan os.Signal) int {
	stderr := p.stderr
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	var over sync.Mutex // locked by the goroutine that reports the end, and never unlocked
	go func() {
		select {
		case <-done:
			return
		case <-signals:
		}
		outfile.Interrupt()
		cancel()
		// Do not wait for work that cannot be cancelled quickly, such as the start of millions of flows.
		// Results are complete or absent at any time.
		select {
		case <-done:
			return
		case <-signals:
		case <-time.After(p.grace):
		}
		if !over.TryLock() {
			return
		}
		err := outfile.Abandon()
		fmt.Fprintln(stderr, "pintlab: interrupted; unfinished work is lost")
		if err != nil {
			fmt.Fprintln(stderr, "pintlab:", err)
		}
		os.Exit(exitInterrupted)
	}()

	err := root.ExecuteContext(ctx)
	p.stdout.flush()
	if err = cmp.Or(err, p.noHelp); err == nil {
		err = p.stdout.failure()
	}
	over.Lock()
	if ctx.Err() != nil {
		err = errors.Join(err, outfile.Abandon())
	}
	if ctx.Err() != nil && (err == nil || exitCode(err) != exitInterrupted) {
		err = errors.Join(err, &codedError{exitInterrupted, errors.New("interrupted")})
	}
	if err == nil {
		return exitFine
	}
	prefix := "pintlab: "
	for line := range strings.Lines(message(err)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "pintlab ") { // a command, which stays on one line so that it can be copied
			fmt.Fprintln(stderr, visible(line))
			continue
		}
		text := prefix + visible(shorten(line))
		if width := widthOf(stderr); width > 0 {
			text = wrapLine(text, width)
		}
		fmt.Fprintln(stderr, text)
		prefix = "  "
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitCode(err)
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "pintlab",
		Short:             "Simulate data-centre networks with in-band telemetry (INT, PINT) and HPCC",
		Args:              subcommandArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		// Every command that simulates has this flag. Its runs read the limit from their context.
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if f := cmd.Flags().Lookup(flagMemory); f != nil {
				cmd.SetContext(sim.WithMemoryLimit(cmd.Context(), f.Value.(*memoryLimit).limit()))
			}
			return keepInputs(cmd)
		},

		SuggestionsMinimumDistance: suggestWithin,
	}
	version := root.Flags().BoolP("version", "v", false, "print the version of the program")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			p.version(cmd.Context())
			return nil
		}
		return cmd.Help()
	}
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetFlagErrorFunc(p.flagError)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		// For --help, cobra does not check the arguments.
		if cmd.HasSubCommands() {
			p.noHelp = subcommandArgs(cmd, cmd.Flags().Args())
		}
		if p.noHelp == nil {
			help(cmd, args)
		}
	})
	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: "Experiments:"},
		&cobra.Group{ID: groupResults, Title: "Results of experiments:"},
		&cobra.Group{ID: groupStudies, Title: "Telemetry, sketches, P4:"},
		&cobra.Group{ID: groupInputs, Title: "Inputs:"},
	)
	root.AddCommand(p.commands()...)
	addHelp(root)
	p.complete(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkHelp(root)
	return root
}

// checkHelp makes the commands help and completion refuse words that are not commands.
func checkHelp(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				cmd, rest, err := root.Find(args)
				if err != nil || len(rest) == 0 {
					return err
				}
				return subcommandArgs(cmd, rest)
			}
		case "completion":
			c.Args, c.RunE = subcommandArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// group returns a command that only contains other commands.
func group(id, use, short string, members ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, GroupID: id, Args: subcommandArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: suggestWithin,
	}
	cmd.AddCommand(members...)
	return cmd
}

// subcommandArgs returns an error for words that are not a subcommand.
func subcommandArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = fmt.Sprintf("; did you mean %s?", strings.Join(s, " or "))
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "completion" {
			names = append(names, c.Name())
		}
	}
	where := ""
	if cmd.HasParent() {
		where = " in " + called(cmd)
	}
	return fmt.Errorf("no command %q%s%s (commands: %s)", args[0], where, hint, strings.Join(names, ", "))
}

// called returns the words of a command after the name of the program. Errors begin with these words.
func called(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// exactly requires one argument for each word of want.
func exactly(want ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(want) {
			return nil
		}
		what := strings.Join(want, " and ")
		what = cmp.Or(what, "no arguments")
		return fmt.Errorf("%s: want %s, got %s", called(cmd), what, number.Count(len(args), "argument"))
	}
}

func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s: want %s, got 0 arguments", called(cmd), what)
		}
		return nil
	}
}

func atMostOne(what string) cobra.PositionalArgs { return atMost(1, what) }

func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return fmt.Errorf("%s: want at most %s, got %s", called(cmd), what, number.Count(len(args), "argument"))
		}
		return nil
	}
}

// codedError is an error with an exit code.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// failed sets the exit code of an error to 1, because the input did not cause the error. It does not change interrupts.
func failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &codedError{exitFailed, err}
}

// interrupted returns the error of an interrupt. The message describes what was kept and how to continue.
func interrupted(format string, args ...any) error {
	return &codedError{exitInterrupted, fmt.Errorf("interrupted "+format, args...)}
}

// message returns the text of an error for the user.
func message(err error) string {
	var coded *codedError
	switch {
	case errors.As(err, &coded) || !errors.Is(err, context.Canceled):
		return err.Error()
	case err.Error() == context.Canceled.Error():
		return "interrupted"
	}
	return "interrupted " + err.Error()
}

// Limits of a line of an error, in bytes. Errors quote the input, and a word of the input may have megabytes.
const (
	longestWord = 4096 // a path may have this many bytes
	longestLine = 1 << 14
	keptOfWord  = 60
)

// shorten cuts words and lines that are too long to read. "…" replaces the part that is cut.
func shorten(line string) string {
	var b strings.Builder
	for word := range strings.SplitAfterSeq(line, " ") {
		if len(word) > longestWord {
			word = strings.ToValidUTF8(word[:keptOfWord], "") + "… "
		}
		if b.Len()+len(word) > longestLine {
			b.WriteString("…")
			break
		}
		b.WriteString(word)
	}
	return strings.TrimSuffix(b.String(), " ")
}

// visible escapes control characters in names and contents of files, because a terminal would execute them.
func visible(line string) string {
	var b strings.Builder
	for _, r := range line {
		if unicode.IsControl(r) && r != '\t' {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unsuccessful lists the errors of runs and questions that had valid input but no result.
var unsuccessful = []error{sim.ErrStalled, sim.ErrStopped, study.ErrBarren, pint.ErrUnknown, sketch.ErrTooFull}

// exitCode returns the exit code of an error. Errors without a code are bad input.
func exitCode(err error) int {
	var coded *codedError
	var some *campaign.FailedError
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &some), diskFailed(err),
		slices.ContainsFunc(unsuccessful, func(e error) bool { return errors.Is(err, e) }):
		return exitFailed
	}
	return exitUsage
}

// diskFailed reports whether the disk caused an error, because it is full or broken.
func diskFailed(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO},
		func(e error) bool { return errors.Is(err, e) })
}
