#!/bin/sh
# The MCP server of this plugin: a pipe to the daemon.
# memoryd is found on the PATH; its own interpreter, started isolated, runs the client's file. That is faster than the
# program on the PATH, and nothing of the agent's environment is imported.
found=$(command -v memoryd) || { echo 'memoryd is not installed, or not on the PATH: uv tool install memoryd' >&2; exit 1; }
home=$(dirname "$(readlink -f "$found" 2>/dev/null || printf %s "$found")")
if [ -x "$home/python" ]; then
  for file in "$home"/../lib/python3*/site-packages/clients/mcp_pipe.py; do
    [ -f "$file" ] && exec "$home/python" -I -S "$file"
  done
fi
exec "$home/memoryd-mcp"
