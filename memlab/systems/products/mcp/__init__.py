"""Any MCP server with a memory: its tools are called as an agent would call them."""
