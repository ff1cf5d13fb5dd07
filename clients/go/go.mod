module parley/client

go 1.24
