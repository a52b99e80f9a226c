ctx node attributes where = "http://localhost:$(ctx node properties port)"
