module buf.build/go/protoyaml

go 1.26.0

require (
	go.yaml.in/yaml/v3 v3.0.5
	google.golang.org/protobuf v1.36.12
)
