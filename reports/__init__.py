"""verdict.json → charts → one HTML page. Renders what `narrowgate compare` decided and decides nothing itself."""
