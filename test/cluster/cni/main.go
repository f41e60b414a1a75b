// yagura-networks is the local cluster's stand-in for Multus: a CNI plugin, last in the chain of the pod network, that
// attaches a pod to the networks its annotation names and says in another annotation what came of it. Run as
// "yagura-networks watch CONFLIST NODE" it does the same for pods whose annotation changes while they run.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

type config struct {
	CNIVersion string          `json:"cniVersion"`
	Name       string          `json:"name"`
	PrevResult json.RawMessage `json:"prevResult"`
	API        apiConfig       `json:"kubernetes"`
	StateDir   string          `json:"stateDir"`
}

type apiConfig struct {
	Server string `json:"server"`
	CA     string `json:"ca"`
	Cert   string `json:"cert"`
	Key    string `json:"key"`
}

// The caller's environment, as the CNI specification names it.
type call struct {
	ContainerID string `json:"containerID"`
	NetNS       string `json:"netns"`
	IfName      string `json:"ifName"`
	Args        string `json:"args"`
	Path        string `json:"path"`
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "watch" {
		watch(os.Args[2], os.Args[3])
	}
	version := "0.4.0"
	err := run(&version)
	if err == nil {
		return
	}
	answer, _ := json.Marshal(map[string]any{"cniVersion": version, "code": 999, "msg": "yagura-networks: " + err.Error()})
	fmt.Println(string(answer))
	os.Exit(1)
}

func run(version *string) error {
	command := os.Getenv("CNI_COMMAND")
	if command == "VERSION" {
		fmt.Println(`{"cniVersion":"1.0.0","supportedVersions":["0.3.1","0.4.0","1.0.0"]}`)
		return nil
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var conf config
	if err := json.Unmarshal(input, &conf); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	*version = conf.CNIVersion
	c := call{
		ContainerID: os.Getenv("CNI_CONTAINERID"),
		NetNS:       os.Getenv("CNI_NETNS"),
		IfName:      os.Getenv("CNI_IFNAME"),
		Args:        os.Getenv("CNI_ARGS"),
		Path:        os.Getenv("CNI_PATH"),
	}
	switch command {
	case "ADD":
		if err := add(conf, c); err != nil {
			return err
		}
		fmt.Println(string(conf.PrevResult))
		return nil
	case "DEL":
		return del(conf, c)
	case "CHECK":
		return nil
	}
	return fmt.Errorf("CNI_COMMAND %q is not known", command)
}

func add(conf config, c call) error {
	namespace, name := podOf(c.Args)
	if name == "" {
		return nil
	}
	api, err := newAPI(conf.API)
	if err != nil {
		return err
	}
	annotations, err := api.podAnnotations(namespace, name)
	if err != nil {
		return err
	}
	requests, err := parseNetworks(annotations[networksAnnotation], namespace)
	if err != nil {
		return fmt.Errorf("annotation %s of pod %s/%s: %w", networksAnnotation, namespace, name, err)
	}
	unlock, err := lockState(conf.StateDir, c.ContainerID)
	if err != nil {
		return err
	}
	defer unlock()
	record := &state{Call: c, Status: statusOf(conf.Name, c.IfName, conf.PrevResult, true)}
	if err := record.save(conf.StateDir); err != nil {
		return err
	}
	if len(requests) == 0 {
		return nil
	}
	statuses := []status{record.Status}
	for _, request := range requests {
		attached, err := record.attach(conf.StateDir, api, request)
		if err != nil {
			_ = record.removeAll(conf.StateDir)
			return fmt.Errorf("network %s/%s for pod %s/%s: %w", request.Namespace, request.Name, namespace, name, err)
		}
		statuses = append(statuses, attached)
	}
	if err := api.tellStatus(namespace, name, statuses); err != nil {
		_ = record.removeAll(conf.StateDir)
		return err
	}
	return nil
}

func del(conf config, c call) error {
	unlock, err := lockState(conf.StateDir, c.ContainerID)
	if err != nil {
		return err
	}
	defer unlock()
	record, err := loadState(conf.StateDir, c.ContainerID)
	if err != nil || record == nil {
		return err
	}
	record.Call = c
	return record.removeAll(conf.StateDir)
}

func podOf(args string) (namespace, name string) {
	for _, pair := range strings.Split(args, ";") {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "K8S_POD_NAMESPACE":
			namespace = value
		case "K8S_POD_NAME":
			name = value
		}
	}
	return namespace, name
}
