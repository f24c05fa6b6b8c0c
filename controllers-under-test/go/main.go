// Command fleets reconciles Fleets with controller-runtime. Its first argument is the name of a variant, which is that of its folder.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"example.com/fleets/common"
	"example.com/fleets/correct"
	duplicates "example.com/fleets/duplicates-on-stale-list"
	ignoresconflict "example.com/fleets/ignores-conflict"
	wakesitself "example.com/fleets/no-generation-predicate"
	lies "example.com/fleets/observed-generation-lies"
	oldcopy "example.com/fleets/polls-with-an-old-copy"
	refreshes "example.com/fleets/refreshes-version-only"
	finalizers "example.com/fleets/removes-foreign-finalizers"
	resyncs "example.com/fleets/resyncs-with-an-old-copy"
	staleretry "example.com/fleets/stale-read-in-retry"
	wholestatus "example.com/fleets/status-on-main-resource"
	trustscache "example.com/fleets/trusts-cached-status"
)

var variants = map[string]func() common.Steps{
	"correct":                    correct.Steps,
	"duplicates-on-stale-list":   duplicates.Steps,
	"ignores-conflict":           ignoresconflict.Steps,
	"no-generation-predicate":    wakesitself.Steps,
	"observed-generation-lies":   lies.Steps,
	"polls-with-an-old-copy":     oldcopy.Steps,
	"refreshes-version-only":     refreshes.Steps,
	"removes-foreign-finalizers": finalizers.Steps,
	"resyncs-with-an-old-copy":   resyncs.Steps,
	"stale-read-in-retry":        staleretry.Steps,
	"status-on-main-resource":    wholestatus.Steps,
	"trusts-cached-status":       trustscache.Steps,
}

func main() {
	if len(os.Args) < 2 || variants[os.Args[1]] == nil {
		names := strings.Join(slices.Sorted(maps.Keys(variants)), ", ")
		fmt.Fprintf(os.Stderr, "got %q, expected one of %s\n", os.Args[1:], names)
		os.Exit(2)
	}
	common.Main(variants[os.Args[1]]())
}
