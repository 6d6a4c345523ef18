GOARCH := amd64
