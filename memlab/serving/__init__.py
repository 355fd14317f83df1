"""The reference memory behind other interfaces: an MCP server, an Anthropic memory tool, a LangGraph store."""
