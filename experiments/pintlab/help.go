package pintlab

import (
	"embed"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpFiles contains the description and the examples of each command, in a file with the command's name. In these
// files, {} stands for the description that the command itself sets, and {NAME} alone on a line stands for another
// file. flags.txt contains the texts of flags that are too long for a tag. If commands have different texts for a flag,
// the entry includes the name of the command.
//
//go:embed help
var helpFiles embed.FS

// helpInclude matches the name of another file.
var helpInclude = regexp.MustCompile(`(?m)^\{([a-z-]+)\}$`)

func helpText(name string) string {
	text, _ := helpFiles.ReadFile("help/" + name + ".txt") // some commands need no description
	return helpInclude.ReplaceAllStringFunc(strings.TrimSuffix(string(text), "\n"), func(include string) string {
		return helpText(strings.Trim(include, "{}"))
	})
}

// addHelp adds the texts of helpFiles to a command and its subcommands.
func addHelp(cmd *cobra.Command) {
	flags := map[string]string{}
	for line := range strings.Lines(helpText("flags") + "\n") {
		flag, use, _ := strings.Cut(strings.TrimSpace(line), ": ")
		flags[flag] = strings.NewReplacer("{", "`", "}", "`").Replace(use)
	}
	addHelpOf(cmd, flags)
}

func addHelpOf(cmd *cobra.Command, flags map[string]string) {
	for _, c := range cmd.Commands() {
		addHelpOf(c, flags)
	}
	name := called(cmd)
	text, examples, _ := strings.Cut(helpText(strings.ReplaceAll(name, " ", "-")), "Examples:\n")
	cmd.Long, cmd.Example = strings.Replace(strings.TrimSpace(text), "{}", cmd.Long, 1), examples
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" {
			f.Usage = flags[f.Name] + flags[name+" "+f.Name]
		}
	})
}
