package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type pod struct {
	Metadata struct {
		Namespace   string            `json:"namespace"`
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
}

// watch brings running pods of a node to what their annotations ask for, until the stream of them ends: then it is started
// anew, and is of the newest build.
func watch(conflist, node string) {
	if err := watchOnce(conflist, node); err != nil {
		log.Printf("watching the pods of %s: %v", node, err)
	}
	time.Sleep(time.Second)
	os.Exit(0)
}

func watchOnce(conflist, node string) error {
	conf, err := readConflist(conflist)
	if err != nil {
		return err
	}
	a, err := newAPI(conf.API)
	if err != nil {
		return err
	}
	query := url.Values{"watch": {"1"}, "timeoutSeconds": {"300"}, "fieldSelector": {"spec.nodeName=" + node}}
	// The stream lives longer than any one answer may take.
	stream := &http.Client{Transport: a.client.Transport}
	answer, err := stream.Get(a.server + "/api/v1/pods?" + query.Encode())
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("GET pods: %s", answer.Status)
	}
	for events := json.NewDecoder(answer.Body); ; {
		var event struct {
			Type   string `json:"type"`
			Object pod    `json:"object"`
		}
		if err := events.Decode(&event); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if event.Type != "ADDED" && event.Type != "MODIFIED" {
			continue
		}
		if err := follow(conf.StateDir, a, event.Object); err != nil {
			log.Printf("pod %s/%s: %v", event.Object.Metadata.Namespace, event.Object.Metadata.Name, err)
		}
	}
}

// follow attaches what a pod asks for and does not have, and detaches what it asks for no more.
func follow(dir string, a *api, p pod) error {
	m := p.Metadata
	text, asked := m.Annotations[networksAnnotation]
	if !asked {
		return nil
	}
	requests, err := parseNetworks(text, m.Namespace)
	if err != nil {
		return err
	}
	containerID, err := findPod(dir, m.Namespace, m.Name)
	if err != nil || containerID == "" {
		return err
	}
	unlock, err := lockState(dir, containerID)
	if err != nil {
		return err
	}
	defer unlock()
	record, err := loadState(dir, containerID)
	if err != nil || record == nil {
		return err
	}
	added, removed := difference(record.Attached, requests)
	if len(added) == 0 && len(removed) == 0 {
		return nil
	}
	statuses := []status{record.Status}
	var told []status
	_ = json.Unmarshal([]byte(m.Annotations[statusAnnotation]), &told)
	for _, each := range told {
		if !each.Default && !removed[each.Interface] {
			statuses = append(statuses, each)
		}
	}
	var failure error
	for ifName := range removed {
		if err := record.detach(dir, ifName); err != nil {
			failure = err
		}
	}
	for _, r := range added {
		attached, err := record.attach(dir, a, r)
		if err != nil {
			_ = record.detach(dir, r.Interface)
			failure = fmt.Errorf("network %s/%s: %w", r.Namespace, r.Name, err)
			continue
		}
		statuses = append(statuses, attached)
	}
	if err := a.tellStatus(m.Namespace, m.Name, statuses); err != nil {
		return err
	}
	return failure
}

func difference(attached []attachment, requests []request) (added []request, removed map[string]bool) {
	removed = map[string]bool{}
	for _, each := range attached {
		removed[each.IfName] = true
	}
	for _, r := range requests {
		if removed[r.Interface] {
			delete(removed, r.Interface)
		} else {
			added = append(added, r)
		}
	}
	return added, removed
}

// findPod answers the container that a pod's networks are recorded under; empty when there is none.
func findPod(dir, namespace, name string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		containerID := strings.TrimSuffix(filepath.Base(file), ".json")
		record, err := loadState(dir, containerID)
		if err != nil || record == nil {
			continue
		}
		if ns, n := podOf(record.Call.Args); ns == namespace && n == name {
			return containerID, nil
		}
	}
	return "", nil
}

func readConflist(path string) (config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return config{}, err
	}
	var list struct {
		Plugins []json.RawMessage `json:"plugins"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return config{}, err
	}
	for _, plugin := range list.Plugins {
		var kind struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(plugin, &kind) == nil && kind.Type == "yagura-networks" {
			var conf config
			return conf, json.Unmarshal(plugin, &conf)
		}
	}
	return config{}, fmt.Errorf("%s has no plugin yagura-networks", path)
}
