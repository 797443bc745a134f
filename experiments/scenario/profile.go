package scenario

import (
	_ "embed"
	"fmt"

	"pintlab/internal/schema"
)

//go:embed profiles/ns3-artifact.txt
var ns3Profile string

// The profiles.
const (
	ProfileDefault = "default"
	ProfileNS3     = "ns3-artifact"
)

// profiles has the values by which the defaults of a profile differ from those
// of the tags. It is never written to after it is made.
var profiles = func() schema.Profiles {
	ns3, err := schema.ParseProfile(ns3Profile)
	if err != nil {
		panic(err) // it is embedded, and a test reads it
	}
	return schema.Profiles{ProfileDefault: {}, ProfileNS3: ns3}
}()

// Expand lists what a profile sets, as "key=value" in the order of the keys. A
// key counts only in scenarios where it has an effect.
func Expand(profile string) ([]string, error) {
	if _, ok := profiles[profile]; !ok {
		return nil, fmt.Errorf("profile %q is not known (accepted: %s, %s)", profile, ProfileDefault, ProfileNS3)
	}
	return profiles.List(profile, &Scenario{}), nil
}
