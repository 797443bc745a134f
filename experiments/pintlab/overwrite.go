package pintlab

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pintlab/experiments/internal/figures"
	"pintlab/experiments/scenario"
	"pintlab/internal/flags"
	"pintlab/internal/lists"
	"pintlab/internal/outfile"
	"pintlab/netsim/schema"
)

// writesLast is the annotation of commands whose last argument is a file to write.
const writesLast = "writes last"

// keepInputs returns an error if a command would overwrite one of its inputs. These are files that its command line
// names, files of results in a directory that it names, and the files in more.
func keepInputs(cmd *cobra.Command, more ...outfile.Named) error {
	writes, reads := []outfile.Named(nil), more
	cmd.Flags().Visit(func(f *pflag.Flag) {
		named := outfile.Named{By: "--" + f.Name, File: f.Value.String()}
		if flags.Writes(f) {
			writes = append(writes, named)
		} else {
			reads = append(reads, named)
		}
	})
	by := called(cmd)
	args := cmd.Flags().Args()
	if _, is := cmd.Annotations[writesLast]; is {
		last := len(args) - 1
		writes, args = append(writes, outfile.Named{By: by, File: args[last]}), args[:last]
	}
	if writes == nil {
		return nil
	}
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			continue // the command explains it
		}
		files := []string{arg}
		if info.IsDir() {
			if files, err = figures.Inputs(arg); err != nil {
				return err
			}
		}
		for _, file := range files {
			reads = append(reads, outfile.Named{By: by, File: file})
		}
	}
	return outfile.Distinct(reads, writes)
}

// keepFiles is like keepInputs, but the inputs also include the files that keys of a scenario name.
func keepFiles(cmd *cobra.Command, sc *scenario.Scenario) error {
	return keepInputs(cmd, lists.Map(sc.Files(), func(key schema.Present) outfile.Named {
		return outfile.Named{By: key.Key, File: key.Value}
	})...)
}
