package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// state is one pod and its networks: all that is needed to add to them and to remove them, without asking the API.
type state struct {
	Call     call         `json:"call"`
	Status   status       `json:"status"`
	Attached []attachment `json:"attached"`
}

// attach records the network first: whatever happens then, its removal is found.
func (s *state) attach(dir string, a *api, r request) (status, error) {
	text, err := a.networkConfig(r.Namespace, r.Name)
	if err != nil {
		return status{}, err
	}
	next := attachment{IfName: r.Interface, Config: text, MAC: r.MAC, IPs: r.IPs}
	s.Attached = append(s.Attached, next)
	if err := s.save(dir); err != nil {
		return status{}, err
	}
	result, err := next.add(s.Call)
	return statusOf(r.Namespace+"/"+r.Name, r.Interface, result, false), err
}

func (s *state) detach(dir, ifName string) error {
	for i, each := range s.Attached {
		if each.IfName != ifName {
			continue
		}
		if err := each.del(s.Call); err != nil {
			return err
		}
		s.Attached = append(s.Attached[:i:i], s.Attached[i+1:]...)
		return s.save(dir)
	}
	return nil
}

func (s *state) removeAll(dir string) error {
	for i := len(s.Attached) - 1; i >= 0; i-- {
		if err := s.Attached[i].del(s.Call); err != nil {
			return err
		}
	}
	err := os.Remove(statePath(dir, s.Call.ContainerID))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func (s *state) save(dir string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := statePath(dir, s.Call.ContainerID)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// loadState answers nil for a pod that nothing is known of.
func loadState(dir, containerID string) (*state, error) {
	text, err := os.ReadFile(statePath(dir, containerID))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &state{Call: call{ContainerID: containerID}}
	return s, json.Unmarshal(text, s)
}

func statePath(dir, containerID string) string {
	return filepath.Join(dir, containerID+".json")
}

// lockState keeps the plugin and the watcher from changing one pod at the same time.
func lockState(dir, containerID string) (func(), error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, containerID+".lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, err
	}
	return func() {
		if _, err := os.Stat(statePath(dir, containerID)); err != nil {
			_ = os.Remove(path)
		}
		file.Close()
	}, nil
}
