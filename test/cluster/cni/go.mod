module yagura.dev/test/cluster/cni

go 1.24
