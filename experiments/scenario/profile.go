package scenario

import (
	_ "embed"
	"fmt"

	"pintlab/netsim/schema"
)

//go:embed profiles/ns3-artifact.txt
var ns3Profile string

// Profiles of a scenario.
const (
	ProfileDefault = "default"
	ProfileNS3     = "ns3-artifact"
)

// profiles contains, for each profile, the defaults that differ from the defaults in the tags. It is read-only.
var profiles = func() schema.Profiles {
	ns3, err := schema.ParseProfile(ns3Profile)
	if err != nil {
		panic(err) // the embedded profile is valid
	}
	return schema.Profiles{ProfileDefault: {}, ProfileNS3: ns3}
}()

// Expand lists the settings of a profile as "key=value", in the order of the keys. It omits keys that have no effect in
// the default scenario.
func Expand(profile string) ([]string, error) {
	if _, ok := profiles[profile]; !ok {
		return nil, fmt.Errorf("profile %q is not known (accepted: %s, %s)", profile, ProfileDefault, ProfileNS3)
	}
	return profiles.List(profile, &Scenario{}), nil
}
