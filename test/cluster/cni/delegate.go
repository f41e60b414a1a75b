package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// attachment is one network of one pod: all that its removal needs, without asking the API.
type attachment struct {
	IfName string   `json:"ifName"`
	Config string   `json:"config"`
	MAC    string   `json:"mac,omitempty"`
	IPs    []string `json:"ips,omitempty"`
}

type plugins struct {
	version string
	name    string
	list    []map[string]any
}

// plugins reads a NetworkAttachmentDefinition's spec.config: one plugin, or a list of them.
func (a attachment) plugins() (plugins, error) {
	var conf map[string]any
	if err := json.Unmarshal([]byte(a.Config), &conf); err != nil {
		return plugins{}, fmt.Errorf("spec.config: %w", err)
	}
	version, _ := conf["cniVersion"].(string)
	if version == "" {
		version = "0.3.1"
	}
	name, _ := conf["name"].(string)
	if name == "" {
		return plugins{}, errors.New("spec.config has no name")
	}
	found := plugins{version: version, name: name}
	listed, isList := conf["plugins"].([]any)
	if !isList {
		listed = []any{conf}
	}
	for _, each := range listed {
		plugin, ok := each.(map[string]any)
		if !ok {
			return plugins{}, errors.New("spec.config: a plugin is not an object")
		}
		if _, ok := plugin["type"].(string); !ok {
			return plugins{}, errors.New("spec.config: a plugin has no type")
		}
		found.list = append(found.list, plugin)
	}
	return found, nil
}

func (a attachment) add(c call) (json.RawMessage, error) {
	found, err := a.plugins()
	if err != nil {
		return nil, err
	}
	var prev json.RawMessage
	for _, plugin := range found.list {
		if prev, err = a.invoke("ADD", c, found, plugin, prev); err != nil {
			return nil, err
		}
	}
	return prev, nil
}

func (a attachment) del(c call) error {
	found, err := a.plugins()
	if err != nil {
		return nil // nothing was ever attached by it
	}
	for i := len(found.list) - 1; i >= 0; i-- {
		if _, err := a.invoke("DEL", c, found, found.list[i], nil); err != nil {
			return err
		}
	}
	return nil
}

func (a attachment) invoke(command string, c call, of plugins, plugin map[string]any, prev json.RawMessage) (json.RawMessage, error) {
	conf := map[string]any{}
	for key, value := range plugin {
		conf[key] = value
	}
	conf["cniVersion"], conf["name"] = of.version, of.name
	if prev != nil {
		conf["prevResult"] = prev
	}
	runtime := map[string]any{}
	if capabilities, ok := plugin["capabilities"].(map[string]any); ok {
		if capabilities["mac"] == true && a.MAC != "" {
			runtime["mac"] = a.MAC
		}
		if capabilities["ips"] == true && len(a.IPs) > 0 {
			runtime["ips"] = a.IPs
		}
	}
	if len(runtime) > 0 {
		conf["runtimeConfig"] = runtime
	}
	args := "IgnoreUnknown=1;" + c.Args
	if a.MAC != "" {
		args += ";MAC=" + a.MAC
	}
	input, err := json.Marshal(conf)
	if err != nil {
		return nil, err
	}
	kind := plugin["type"].(string)
	run := exec.Command(filepath.Join(filepath.SplitList(c.Path)[0], kind))
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "CNI_COMMAND=" + command, "CNI_CONTAINERID=" + c.ContainerID, "CNI_NETNS=" + c.NetNS, "CNI_IFNAME=" + a.IfName, "CNI_PATH=" + c.Path, "CNI_ARGS=" + strings.Trim(args, ";")}
	run.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	output, err := run.Output()
	if err != nil {
		var failure struct {
			Msg     string `json:"msg"`
			Details string `json:"details"`
		}
		_ = json.Unmarshal(output, &failure)
		return nil, fmt.Errorf("plugin %s %s: %w: %s %s %s", kind, command, err, failure.Msg, failure.Details, strings.TrimSpace(stderr.String()))
	}
	return output, nil
}
