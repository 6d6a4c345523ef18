GOARCH := arm64
