"""Between an MCP client and its server: calls are decided, results screened, the rest passes."""
