module stalemate

go 1.24
