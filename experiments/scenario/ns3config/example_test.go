package ns3config_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pintlab/experiments/scenario/ns3config"
)

// A config.txt of the HPCC simulators, with its topology and flows, becomes a scenario.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "config")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"topology.txt": "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n",
		"flow.txt":     "1\n0 1 3 100 20000 2\n",
		"config.txt": "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\n" +
			"CC_MODE 3\nRATE_AI 50Mb/s\nVAR_WIN 1\nMULTI_RATE 0\nFCT_OUTPUT_FILE fct.txt\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	sc, ignored, err := ns3config.Load(filepath.Join(dir, "config.txt"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sc.CC.Kind, "over", sc.Telemetry.Kind, sc.Transport.Kind)
	for _, key := range ignored {
		fmt.Printf("%s: %s\n", key.Key, key.Reason)
	}
	// Output:
	// hpcc over int gobackn
	// FCT_OUTPUT_FILE: results go to the run directory, as fct.txt
}
