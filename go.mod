module github.com/cogen-go/cogen

go 1.26
