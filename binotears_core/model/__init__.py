"""The mathematics: distribution, features, objective, acyclicity."""
