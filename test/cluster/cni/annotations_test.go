package main

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestParseNetworks(t *testing.T) {
	cases := map[string][]request{
		"":  nil,
		"a": {{Name: "a", Namespace: "pod-ns", Interface: "net1"}},
		"a, x/b@eth7": {
			{Name: "a", Namespace: "pod-ns", Interface: "net1"},
			{Name: "b", Namespace: "x", Interface: "eth7"},
		},
		`[{"name":"a","namespace":"x","interface":"pod1","mac":"02:00:00:00:00:01"}]`: {{Name: "a", Namespace: "x", Interface: "pod1", MAC: "02:00:00:00:00:01"}},
	}
	for text, want := range cases {
		got, err := parseNetworks(text, "pod-ns")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parseNetworks(%q) = %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{`[{"interface":"x"}]`, `[`, `x/`} {
		if _, err := parseNetworks(bad, "pod-ns"); err == nil {
			t.Errorf("parseNetworks(%q) is no error", bad)
		}
	}
}

func TestStatusTakesThePodsEndOfTheCable(t *testing.T) {
	raw := json.RawMessage(`{"interfaces":[{"name":"veth1","mac":"aa:aa:aa:aa:aa:aa"},{"name":"net1","mac":"bb:bb:bb:bb:bb:bb","sandbox":"/run/netns/x"}],"ips":[{"address":"10.1.2.3/24"}]}`)
	got := statusOf("x/b", "net1", raw, false)
	want := status{Name: "x/b", Interface: "net1", MAC: "bb:bb:bb:bb:bb:bb", IPs: []string{"10.1.2.3"}, DNS: map[string]any{}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDifference(t *testing.T) {
	added, removed := difference(
		[]attachment{{IfName: "pod1"}, {IfName: "pod2"}},
		[]request{{Interface: "pod2"}, {Interface: "pod3"}},
	)
	if len(added) != 1 || added[0].Interface != "pod3" || len(removed) != 1 || !removed["pod1"] {
		t.Errorf("added %+v, removed %+v", added, removed)
	}
}
