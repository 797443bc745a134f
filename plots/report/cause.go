package report

// Cause is the kind of reason why our number differs from a paper's number, or why our rows contradict the paper's
// words.
type Cause string

// The causes. A statement that does not deviate has the zero Cause.
const (
	NoCause       Cause = ""
	OurInput      Cause = "input"
	HiddenSetting Cause = "setting"
	OtherHardware Cause = "hardware"
	NothingKnown  Cause = "open"
)

// Causes lists the causes in the order in which pages count them.
var Causes = []Cause{OurInput, HiddenSetting, OtherHardware, NothingKnown}

// Text returns the cause in words, empty for none.
func (c Cause) Text() string {
	switch c {
	case OurInput:
		return "our input is not the paper's"
	case HiddenSetting:
		return "the paper leaves the setting open"
	case OtherHardware:
		return "our hardware is not the paper's"
	case NothingKnown:
		return "no input, setting or hardware is known to explain it"
	}
	return ""
}
